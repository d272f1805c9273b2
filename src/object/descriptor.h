// Descriptor tables: what the schema in api/ says about every type, in the form that codecs walk.
//
// The tables are constants that tools/schema writes at build time (and that a custom resource
// definition builds at run time). There is no per-type code anywhere: JSON, YAML and protobuf
// codecs, patches, defaulting and OpenAPI all read these few structures.
//
// A message has two orders. `fields` is the order of JSON output, with inlined messages already
// flattened into their place; a field is known by its index there. `proto_fields` is the order of
// protobuf tags, where an inlined message is an ordinary nested message whose fields are the run
// of flattened fields beginning at `first_field`.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace skiff::object {

struct MessageDesc;
struct GroupVersionDesc;
class OpenKind;

// The type of a field, or of the items of a list or the values of a map.
enum class FieldType : uint8_t {
  kString,
  kBytes,  // base64 in JSON
  kBool,
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kDouble,
  kTime,       // RFC 3339, whole seconds
  kMicroTime,  // RFC 3339, six digits of fraction
  kDuration,   // 1h0m0s
  kQuantity,
  kIntOrString,
  kRawJson,     // RawExtension and apiextensions' JSON: any JSON value, kept as text
  kFieldsV1,    // as kRawJson
  kUnknown,     // runtime.Unknown: as kRawJson, but an envelope in protobuf (audit events)
  kStringList,  // a list of strings that protobuf wraps in a message (Verbs, ExtraValue)
  kAny,         // any JSON value, decoded; not in protobuf
  kMessage,
};

enum class Cardinality : uint8_t { kSingle, kList, kMap };

enum class ListType : uint8_t { kUnset, kAtomic, kSet, kMap };
enum class MapType : uint8_t { kUnset, kAtomic, kGranular };

// What only patches, defaulting, validation and OpenAPI ask of a field.
struct FieldTraits {
  ListType list_type = ListType::kUnset;
  MapType map_type = MapType::kUnset;
  bool patch_merge = false;         // strategic merge: lists merge instead of being replaced
  bool patch_retain_keys = false;   // strategic merge: honours $retainKeys
  bool patch_replace = false;       // strategic merge: maps are replaced instead of merged
  std::string_view merge_key = {};  // strategic merge: the key that tells list items apart
  std::span<const std::string_view> list_map_keys = {};
  std::span<const std::string_view> enum_values = {};   // a closed set
  std::span<const std::string_view> known_values = {};  // constants of an open set
  std::string_view default_json = {};                   // defaulting: JSON text, empty when none
  std::span<const std::string_view> feature_gates = {};
};

inline constexpr FieldTraits kNoTraits;

struct FieldDesc {
  static constexpr uint8_t kOmitEmpty = 1;
  static constexpr uint8_t kOmitZero = 2;
  static constexpr uint8_t kPointer = 4;
  static constexpr uint8_t kRequired = 8;
  static constexpr uint8_t kShownUnset = 16;  // JSON shows the field even when it is not set

  // `,"name":` in a pool that is readable for kKeyPadding bytes past any key, so that encoders
  // copy keys in fixed steps.
  const char* key;
  const MessageDesc* message;  // of kMessage fields, else null
  const FieldTraits* traits;   // never null
  uint16_t tag;                // protobuf number, 0 when the field is not in protobuf
  uint8_t name_size;
  FieldType type;
  Cardinality cardinality;
  uint8_t flags;
  uint16_t proto_key;  // tag << 3 | wire type of a value or entry

  std::string_view name() const { return {key + 2, name_size}; }
  // `,"name":`
  std::string_view key_text() const { return {key, static_cast<size_t>(name_size) + 4}; }
  bool omit_empty() const { return (flags & kOmitEmpty) != 0; }
  bool omit_zero() const { return (flags & kOmitZero) != 0; }
  bool pointer() const { return (flags & kPointer) != 0; }
  bool required() const { return (flags & kRequired) != 0; }
  bool shown_unset() const { return (flags & kShownUnset) != 0; }
};
inline constexpr size_t kKeyPadding = 64;

// One protobuf field of a message, in ascending order of tags.
struct ProtoFieldDesc {
  uint32_t key;                // tag << 3 | wire type
  uint16_t first_field;        // index into fields, or where the inlined message's fields begin
  const MessageDesc* inlined;  // the inlined message, or null for a plain field
};

// Shapes of JSON that are not the plain object of a message's fields.
enum class MessageForm : uint8_t {
  kPlain,
  kSchemaOrArray,        // an object, or an array of objects
  kSchemaOrBool,         // an object, or a boolean
  kSchemaOrStringArray,  // an object, or an array of strings
};

struct MessageDesc {
  static constexpr uint16_t kNoField = 0xffff;

  std::string_view name;  // "PodSpec"
  const GroupVersionDesc* group_version;
  std::span<const FieldDesc> fields;             // order of JSON
  std::span<const ProtoFieldDesc> proto_fields;  // order of protobuf
  std::string_view zero_json;                    // the message with no field set
  std::string_view zero_protobuf;
  std::span<const uint16_t> name_slots;  // perfect hash: HashFieldName() & (size - 1) → index
  uint64_t name_seed;
  MessageForm form;
  MapType map_type;                // atomic: server-side apply owns the message as a whole
  bool is_kind;                    // has kind and apiVersion, the first two fields
  bool in_protobuf;                // has a protobuf form
  bool proto_order_is_json_order;  // ascending tags, inlined messages in their place, give both
  // Index of a tag's ProtoFieldDesc. Other tags up to the largest have the index of one more, whose
  // key is 0, behind the proto_fields.
  std::span<const uint8_t> proto_slots;
  // Bit i is set if field i is in protobuf and JSON shows it even when it is not set. Only of
  // messages with up to 64 fields.
  uint64_t shown_unset;
  // Of kinds that a definition made at run time: their objects are maps that may have any fields.
  // Those that stand in `fields` (kind, apiVersion and metadata) are typed, and for the others
  // open_kind.h is asked. Null: there are no fields but those.
  const OpenKind* open = nullptr;

  // The index of the field called `name`, or kNoField.
  uint16_t FindField(std::string_view name) const;
  // The field with this protobuf tag (inlined messages not searched), or null.
  const ProtoFieldDesc* FindProtoField(uint32_t tag) const;
};

// One file of the schema.
struct GroupVersionDesc {
  std::string_view path;         // "core/v1", "apps/v1": the file, and how other files refer to it
  std::string_view group;        // "" for the core group
  std::string_view version;      // "v1"
  std::string_view api_version;  // "apps/v1", or "v1" in the core group
  std::span<const MessageDesc* const> messages;  // all of them, sorted by name

  const MessageDesc* FindMessage(std::string_view name) const;
};

// What apiVersion and kind of a document stand for.
struct KindDesc {
  std::string_view api_version;
  std::string_view kind;
  const MessageDesc* message;
};

// Generated. Kinds ascend by api_version and kind, group-versions by path.
std::span<const KindDesc> AllKinds();
std::span<const GroupVersionDesc* const> AllGroupVersions();

// FindKind("apps/v1", "Deployment"); null when the schema has no such kind. Kinds that Kubernetes
// registers under foreign versions are found there too: ("v1", "Status"), ("apps/v1",
// "DeleteOptions").
const MessageDesc* FindKind(std::string_view api_version, std::string_view kind);
// FindMessage("core/v1", "PodSpec"): any message, by the path of its schema file.
const MessageDesc* FindMessage(std::string_view path, std::string_view name);

// The hash behind FindField. tools/schema computes the same function to choose seeds that make it
// perfect for each message: change both together.
inline uint32_t HashFieldName(std::string_view name, uint64_t seed) {
  uint64_t head = 0, middle = 0, tail = 0;
  const size_t size = name.size();
  if (size >= 8) {
    std::memcpy(&head, name.data(), 8);
    std::memcpy(&middle, name.data() + size / 2 - 4, 8);
    std::memcpy(&tail, name.data() + size - 8, 8);
  } else if (size != 0) {  // An empty name may have no address.
    std::memcpy(&head, name.data(), size);
  }
  const uint64_t mixed =
      head ^ (middle * 0xc2b2ae3d27d4eb4fu) ^ (tail * 0x9e3779b97f4a7c15u) ^ size;
  return static_cast<uint32_t>((mixed * seed) >> 40);
}

}  // namespace skiff::object

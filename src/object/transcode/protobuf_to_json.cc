#include "object/transcode/protobuf_to_json.h"

#include <bit>
#include <string>

#include "base/limits.h"
#include "object/json/encode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/protobuf/wire.h"
#include "object/transcode/json_value_writer.h"
#include "object/unset.h"

namespace skiff::object {
namespace {

constexpr uint32_t kMetadataKey = WireKey(1, WireType::kBytes);
constexpr uint32_t kResourceVersionKey = WireKey(6, WireType::kBytes);
constexpr size_t kMaxFields = 63;  // of one message: one bit each, and one more bit

constexpr uint64_t FieldBit(size_t index) { return uint64_t{1} << index; }

// Where in a message's bytes a field stands: from behind its first key to the end of the body that
// holds it.
struct FieldPlace {
  const uint8_t* at;
  const uint8_t* end;
};

// Walks the messages. Its functions take and give places as those of JsonValueWriter do: they give
// null for bytes that are broken, and for bytes in an order that Kubernetes never writes. Fields
// out of order, scattered lists, a message in two pieces, fields that are not in the schema: that
// is legal protobuf, but nothing a cluster stores. A tree sorts it out; doing so here would read
// parts twice on every level of nesting.
class Transcoder {
 public:
  Transcoder(std::string_view input, EmbeddedKinds embedded, ByteBuffer& out, Pieces pieces = {})
      : writer_(input, out, pieces), names_kinds_(embedded == EmbeddedKinds::kNamed) {}

  // Without a resource version the message has its own, or none.
  bool Run(std::string_view message, const MessageDesc& type, std::string_view api_version,
           std::string_view kind, std::string_view resource_version = {}) {
    char* to = writer_.Begin();
    *to++ = '{';
    if (!kind.empty()) to = TypeMember(to, "\"kind\":", kind);
    if (!api_version.empty()) to = TypeMember(to, "\"apiVersion\":", api_version);
    to = resource_version.empty() ? Members(to, type, WireReader(message), 0)
                                  : MembersWithVersion(to, type, message, resource_version);
    if (to == nullptr) return false;
    writer_.End(to - 1);  // without the last comma
    return true;
  }

 private:
  char* TypeMember(char* to, std::string_view key, std::string_view text) {
    std::memcpy(to, key.data(), key.size());
    return writer_.AnyString(to + key.size(), text);
  }

  // --- messages

  char* Message(char* to, const MessageDesc& type, WireReader in, int depth) {
    if (type.form != MessageForm::kPlain) [[unlikely]]
      return SchemaOr(to, type, in, depth);
    *to = '{';
    return Members(to + 1, type, in, depth);
  }

  // What follows an object's opening brace, and perhaps its first members.
  char* Members(char* to, const MessageDesc& type, WireReader in, int depth) {
    if (depth > limits::kMaxDepth || type.fields.size() > kMaxFields) [[unlikely]]
      return nullptr;
    to = type.proto_order_is_json_order ? InOrder(to, type, in, depth)
                                        : ByPlace(to, type, in, depth);
    return to == nullptr ? nullptr : writer_.Close(to, '}');
  }

  // An object whose metadata gets a resource version as it passes, for which it is walked in two
  // parts. Null also where that is not as simple as it nearly always is.
  char* MembersWithVersion(char* to, const MessageDesc& type, std::string_view message,
                           std::string_view version) {
    const auto split = SplitAtResourceVersion(message);
    const ProtoFieldDesc* const metadata = FindField(type, kMetadataKey, 0);
    if (!split || metadata == nullptr || metadata->inlined != nullptr) return nullptr;
    const FieldDesc& field = type.fields[metadata->first_field];
    if (field.cardinality != Cardinality::kSingle || field.type != FieldType::kMessage ||
        !IsSimple(type) || !IsSimple(*field.message)) {
      return nullptr;
    }
    const MessageDesc& meta = *field.message;
    const ProtoFieldDesc* const own = FindField(meta, kResourceVersionKey, 0);
    if (own == nullptr || own->inlined != nullptr) return nullptr;

    Walk object{.unset = type.shown_unset, .last = kMetadataKey};
    to = ShowUnsetBefore(to, type, object, metadata->first_field);
    to = writer_.Key(writer_.Room(to), field);
    *to++ = '{';
    Walk inner{.unset = meta.shown_unset};
    to = FieldsInOrder(to, meta, WireReader(split->before), 1, inner);
    if (to == nullptr) return nullptr;
    to = ShowUnsetBefore(to, meta, inner, own->first_field);
    inner.last = kResourceVersionKey;
    to = writer_.AnyString(writer_.Key(writer_.Room(to), meta.fields[own->first_field]), version);
    to = FieldsInOrder(to, meta, WireReader(split->after), 1, inner);
    if (to == nullptr) return nullptr;
    to = writer_.Close(ShowUnset(to, meta.fields.data(), inner.unset), '}');
    to = FieldsInOrder(to, type, WireReader(split->rest), 0, object);
    if (to == nullptr) return nullptr;
    return writer_.Close(ShowUnset(to, type.fields.data(), object.unset), '}');
  }
  static bool IsSimple(const MessageDesc& type) {
    return type.form == MessageForm::kPlain && type.fields.size() <= kMaxFields &&
           type.proto_order_is_json_order;
  }

  // How far a message in order has been walked.
  struct Walk {
    uint64_t unset = 0;  // the fields still to come that are shown when unset
    uint64_t last = 0;   // the key of the last field
  };

  // Where the order of tags is the order of JSON: one pass. An inlined message has no more fields
  // than the one that holds it, and shows its own unset fields.
  char* InOrder(char* to, const MessageDesc& type, WireReader in, int depth) {
    Walk walk{.unset = type.shown_unset};
    to = FieldsInOrder(to, type, in, depth, walk);
    if (to == nullptr) [[unlikely]]
      return nullptr;
    return ShowUnset(to, type.fields.data(), walk.unset);
  }

  // Shows what is unset before this field, which is about to be written.
  [[gnu::always_inline]] char* ShowUnsetBefore(char* to, const MessageDesc& type, Walk& walk,
                                               size_t index) {
    if (walk.unset == 0) return to;
    const uint64_t before = walk.unset & (FieldBit(index) - 1);
    walk.unset &= ~(before | FieldBit(index));
    return ShowUnset(to, type.fields.data(), before);
  }

  [[gnu::always_inline]] char* FieldsInOrder(char* to, const MessageDesc& type, WireReader in,
                                             int depth, Walk& walk) {
    const FieldDesc* const fields = type.fields.data();
    while (!in.done()) {
      uint64_t key = 0;
      if (in.ReadVarint(&key) != WireError::kNone) return nullptr;
      const ProtoFieldDesc* const met = FindField(type, key, walk.last);
      if (met == nullptr) [[unlikely]]
        return nullptr;
      walk.last = key;
      const size_t index = met->first_field;
      to = ShowUnsetBefore(to, type, walk, index);
      if (met->inlined != nullptr) {
        std::string_view body;
        if (in.ReadBytes(&body) != WireError::kNone) return nullptr;
        walk.unset &= ~((FieldBit(met->inlined->fields.size()) - 1) << index);
        to = InOrder(to, *met->inlined, WireReader(body), depth);
        if (to == nullptr) [[unlikely]]
          return nullptr;
        continue;
      }
      to = Field(writer_.Room(to), fields[index], met->key, in, depth);
      if (to == nullptr) [[unlikely]]
        return nullptr;
    }
    return to;
  }

  // The field with this key, which must be greater than the last. Keys that cannot be are found
  // here as well.
  [[gnu::always_inline]] static const ProtoFieldDesc* FindField(const MessageDesc& type,
                                                                uint64_t key, uint64_t last) {
    const uint64_t tag = key >> 3;
    if (key <= last || tag >= type.proto_slots.size()) [[unlikely]]
      return nullptr;
    const ProtoFieldDesc& field = type.proto_fields.data()[type.proto_slots[tag]];
    return field.key == key ? &field : nullptr;
  }

  // Otherwise two passes: places, then members in the order of JSON.
  char* ByPlace(char* to, const MessageDesc& type, WireReader in, int depth) {
    FieldPlace places[kMaxFields];
    uint64_t present = 0;
    if (!FindPlaces(type, in, 0, places, &present)) return nullptr;
    for (uint64_t rest = present | type.shown_unset; rest != 0; rest &= rest - 1) {
      const auto index = static_cast<size_t>(std::countr_zero(rest));
      const FieldDesc& field = type.fields[index];
      to = writer_.Room(to);
      if ((present & FieldBit(index)) == 0) {
        to = Unset(to, field);
        continue;
      }
      WireReader at(places[index].at, places[index].end);
      to = Field(to, field, field.proto_key, at, depth);
      if (to == nullptr) [[unlikely]]
        return nullptr;
    }
    return to;
  }

  // Notes where the fields of a body stand. An inlined message's fields are a run of the places
  // that begins at `first`.
  bool FindPlaces(const MessageDesc& type, WireReader in, size_t first, FieldPlace* places,
                  uint64_t* present) {
    uint64_t found = 0;
    uint64_t last = 0;
    bool in_run = false;  // the entries of a list or map are passing
    while (!in.done()) {
      uint64_t key = 0;
      if (in.ReadVarint(&key) != WireError::kNone) return false;
      const uint8_t* const value = in.at;
      if (!PassValue(static_cast<uint32_t>(key), in)) return false;
      if (key == last && in_run) continue;
      const ProtoFieldDesc* const met = FindField(type, key, last);
      if (met == nullptr) [[unlikely]]
        return false;
      last = key;
      const size_t index = first + met->first_field;
      if (met->inlined != nullptr) {
        WireReader body(value, in.at);
        std::string_view bytes;
        if (body.ReadBytes(&bytes) != WireError::kNone) return false;
        if (!FindPlaces(*met->inlined, WireReader(bytes), index, places, present)) return false;
        in_run = false;
      } else {
        places[index] = {value, in.end};
        found |= FieldBit(index);
        in_run = type.fields[met->first_field].cardinality != Cardinality::kSingle;
      }
    }
    *present |= found;
    return true;
  }

  // Passes over a value; the two usual wire types without a call.
  [[gnu::always_inline]] static bool PassValue(uint32_t key, WireReader& in) {
    std::string_view bytes;
    uint64_t varint = 0;
    if (WireTypeOf(key) == WireType::kBytes) return in.ReadBytes(&bytes) == WireError::kNone;
    if (WireTypeOf(key) == WireType::kVarint) return in.ReadVarint(&varint) == WireError::kNone;
    WireReader rest = in;
    if (rest.Skip(key) != WireError::kNone) return false;
    in = rest;
    return true;
  }

  // --- fields

  // A field that is not set, or set to what JSON does not tell from that.
  char* Unset(char* to, const FieldDesc& field) {
    if (!field.shown_unset()) [[likely]]
      return to;
    return writer_.Json(writer_.Key(to, field), UnsetJson(field));
  }
  char* ShowUnset(char* to, const FieldDesc* fields, uint64_t unset) {
    for (; unset != 0; unset &= unset - 1) {
      to = Unset(writer_.Room(to), fields[std::countr_zero(unset)]);
    }
    return to;
  }

  // A field whose key has been read. The common types are dealt with in place, the others by a
  // call: this is where a list of pods spends its time.
  [[gnu::always_inline]] char* Field(char* to, const FieldDesc& field, uint32_t key, WireReader& in,
                                     int depth) {
    if (field.cardinality != Cardinality::kSingle) {
      WireReader rest = in;  // the address of `in` would keep it out of registers
      to = writer_.Key(to, field);
      to = field.cardinality == Cardinality::kList ? List(to, field, key, &rest, depth)
                                                   : Map(to, field, key, &rest, depth);
      in = rest;
      return to;
    }
    if (WireTypeOf(key) == WireType::kBytes) {
      std::string_view body;
      if (in.ReadBytes(&body) != WireError::kNone) return nullptr;
      if (field.type == FieldType::kString) {
        if (body.empty() && !field.pointer()) return Unset(to, field);
        return writer_.String(writer_.Key(to, field), body);
      }
      if (field.type == FieldType::kMessage) {
        return Message(writer_.Key(to, field), *field.message, WireReader(body), depth + 1);
      }
      return RareSingle(to, field, body);
    }
    if (WireTypeOf(key) == WireType::kVarint) {
      uint64_t value = 0;
      if (in.ReadVarint(&value) != WireError::kNone) return nullptr;
      if (value == 0 && !field.pointer()) return Unset(to, field);
      return writer_.Varint(writer_.Key(to, field), field.type, value);
    }
    const uint8_t* const at = in.at;
    if (in.left() < sizeof(double)) return nullptr;
    in.at += sizeof(double);
    return Double(to, field, WireReader(at, in.at));
  }

  [[gnu::noinline]] char* Double(char* to, const FieldDesc& field, WireReader in) {
    uint64_t bits = 0;
    if (in.ReadFixed64(&bits) != WireError::kNone) return nullptr;
    const auto value = std::bit_cast<double>(bits);
    if (value == 0 && !field.pointer()) return Unset(to, field);
    return writer_.Double(writer_.Key(to, field), value);
  }

  // Writes the value first and takes it back if it turns out to say no more than absence.
  char* RareSingle(char* to, const FieldDesc& field, std::string_view body) {
    const size_t start = writer_.OffsetOf(to);
    bool zero = false;
    to = writer_.Value(writer_.Key(to, field), field.type, body, &zero);
    if (to == nullptr || !zero || field.pointer()) [[likely]]
      return to;
    const bool list = field.type == FieldType::kBytes || field.type == FieldType::kStringList;
    if (list && !field.omit_empty()) return to;
    return Unset(writer_.AtOffset(start), field);
  }

  // An item of a list or the value of a map, of a length-delimited type.
  [[gnu::always_inline]] char* Element(char* to, const FieldDesc& field, std::string_view body,
                                       int depth) {
    if (field.type == FieldType::kString) return writer_.String(to, body);
    if (field.type == FieldType::kMessage) {
      if (names_kinds_ && field.message->is_kind && depth != 0) [[unlikely]]
        return Named(to, *field.message, body, depth + 1);
      return Message(to, *field.message, WireReader(body), depth + 1);
    }
    bool zero = false;
    return writer_.Value(to, field.type, body, &zero);
  }

  // A kind inside of another object. The items of a list, which is an object itself, are none.
  [[gnu::noinline]] char* Named(char* to, const MessageDesc& type, std::string_view body,
                                int depth) {
    *to++ = '{';
    to = TypeMember(to, "\"kind\":", type.name);
    to = TypeMember(to, "\"apiVersion\":", type.group_version->api_version);
    return Members(to, type, WireReader(body), depth);
  }

  // Passes the key of a list's or map's next entry; false if the run ends here. A broken key is for
  // whoever reads on to find.
  static bool NextEntry(uint32_t wanted, WireReader& in) {
    WireReader ahead = in;
    uint64_t key = 0;
    if (ahead.done() || ahead.ReadVarint(&key) != WireError::kNone || key != wanted) return false;
    in = ahead;
    return true;
  }

  // The items of a list whose first key has been read.
  char* List(char* to, const FieldDesc& field, uint32_t key, WireReader* rest, int depth) {
    WireReader in = *rest;
    *to++ = '[';
    do {
      to = writer_.Room(to);
      std::string_view body;
      uint64_t number = 0;
      if (WireTypeOf(key) == WireType::kBytes) {
        if (in.ReadBytes(&body) != WireError::kNone) return nullptr;
        to = Element(to, field, body, depth);
        if (to == nullptr) [[unlikely]]
          return nullptr;
      } else if (field.type == FieldType::kDouble) {
        if (in.ReadFixed64(&number) != WireError::kNone) return nullptr;
        to = writer_.Double(to, std::bit_cast<double>(number));
      } else {
        if (in.ReadVarint(&number) != WireError::kNone) return nullptr;
        to = writer_.Varint(to, field.type, number);
      }
    } while (NextEntry(key, in));
    *rest = in;
    return writer_.Close(to, ']');
  }

  struct MapEntry {
    std::string_view key;
    std::string_view value;
    uint64_t varint = 0;
  };

  // The entries of a map whose first key has been read.
  char* Map(char* to, const FieldDesc& field, uint32_t key, WireReader* rest, int depth) {
    WireReader in = *rest;
    const bool of_varints = field.type == FieldType::kBool || field.type == FieldType::kInt32 ||
                            field.type == FieldType::kInt64;
    *to++ = '{';
    std::string_view previous;
    do {
      std::string_view body;
      if (in.ReadBytes(&body) != WireError::kNone) return nullptr;
      MapEntry entry{.key = body.substr(0, 0), .value = body.substr(0, 0)};
      if (!ReadTexts(WireReader(body), &entry) && !ReadMapEntry(WireReader(body), &entry)) {
        return nullptr;
      }
      if (previous.data() != nullptr && previous >= entry.key) [[unlikely]]
        return nullptr;
      previous = entry.key;
      to = writer_.String(writer_.Room(to), entry.key);
      to[-1] = ':';
      to = of_varints ? writer_.Varint(to, field.type, entry.varint)
                      : Element(to, field, entry.value, depth);
      if (to == nullptr) [[unlikely]]
        return nullptr;
    } while (NextEntry(key, in));
    *rest = in;
    return writer_.Close(to, '}');
  }

  // The usual entry: a key and a text or message, in this order. False for any other.
  [[gnu::always_inline]] static bool ReadTexts(WireReader in, MapEntry* entry) {
    if (in.done() || *in.at++ != WireKey(1, WireType::kBytes)) return false;
    if (in.ReadBytes(&entry->key) != WireError::kNone) return false;
    if (in.done() || *in.at++ != WireKey(2, WireType::kBytes)) return false;
    return in.ReadBytes(&entry->value) == WireError::kNone && in.done();
  }

  [[gnu::noinline]] static bool ReadMapEntry(WireReader in, MapEntry* entry) {
    const char* const empty = reinterpret_cast<const char*>(in.at);
    *entry = {.key = {empty, 0}, .value = {empty, 0}};
    while (!in.done()) {
      uint32_t key = 0;
      WireError error = in.ReadKey(&key);
      if (error == WireError::kNone) {
        if (key == WireKey(1, WireType::kBytes)) {
          error = in.ReadBytes(&entry->key);
        } else if (key == WireKey(2, WireType::kBytes)) {
          error = in.ReadBytes(&entry->value);
        } else if (key == WireKey(2, WireType::kVarint)) {
          error = in.ReadVarint(&entry->varint);
        } else {
          error = in.Skip(key);
        }
      }
      if (error != WireError::kNone) return false;
    }
    return true;
  }

  // JSONSchemaPropsOrArray, OrBool and OrStringArray: whichever member is set is the value.
  char* SchemaOr(char* to, const MessageDesc& type, WireReader in, int depth) {
    const size_t schema = type.FindField("schema");
    const size_t other = 1u - schema;
    const bool or_bool = type.form == MessageForm::kSchemaOrBool;
    FieldPlace places[2] = {};
    uint64_t present = 0;
    if (!FindPlaces(type, in, 0, places, &present)) return nullptr;
    WireReader at(places[other].at, places[other].end);
    if (!or_bool && at.at != nullptr) {
      return List(to, type.fields[other], WireKey(2, WireType::kBytes), &at, depth);
    }
    if (places[schema].at != nullptr) {
      WireReader in_schema(places[schema].at, places[schema].end);
      std::string_view body;
      if (in_schema.ReadBytes(&body) != WireError::kNone) return nullptr;
      // The union and its schema are one level, as in JSON: what was written can be read again.
      return Message(to, *type.fields[schema].message, WireReader(body), depth);
    }
    if (!or_bool) return writer_.Json(to, "null");
    uint64_t allows = 0;
    if (at.at != nullptr && at.ReadVarint(&allows) != WireError::kNone) return nullptr;
    return writer_.Bool(to, allows != 0);
  }

  JsonValueWriter writer_;
  const bool names_kinds_;
};

// The road of bytes that the transcoder leaves alone; it also finds what is wrong with them.
Result<void> ThroughTree(std::string_view message, const MessageDesc& type,
                         std::string_view api_version, std::string_view kind,
                         EmbeddedKinds embedded, ByteBuffer& out) {
  ProtobufDecodeOptions options;
  options.max_bytes = message.size();  // what is stored was bounded when it came in
  options.kind = kind;
  options.api_version = api_version;
  SKIFF_ASSIGN_OR_RETURN(Document document, DecodeProtobuf(message, &type, options));
  if (embedded == EmbeddedKinds::kNamed) NameEmbeddedKinds(document);
  EncodeJson(document.root(), out);
  return {};
}

}  // namespace

Result<void> StoredToJson(std::string_view message, std::string_view resource_version,
                          const MessageDesc& type, std::string_view api_version,
                          std::string_view kind, ByteBuffer& out, Pieces pieces) {
  const size_t start = out.size();
  if (!resource_version.empty()) {
    Transcoder transcoder(message, EmbeddedKinds::kNamed, out, pieces);
    if (transcoder.Run(message, type, api_version, kind, resource_version)) return {};
    out.Truncate(start);
  }
  ByteBuffer whole;
  if (!pieces.empty()) {
    JoinedMessage(message, resource_version, pieces).AppendTo(whole);
    message = whole.view();
  } else if (!resource_version.empty()) {
    AppendWithResourceVersion(message, resource_version, whole);
    message = whole.view();
  }
  return ProtobufToJson(message, type, api_version, kind, out, EmbeddedKinds::kNamed);
}

Result<void> ProtobufToJson(std::string_view message, const MessageDesc& type,
                            std::string_view api_version, std::string_view kind, ByteBuffer& out,
                            EmbeddedKinds embedded) {
  const size_t start = out.size();
  Transcoder transcoder(message, embedded, out);
  if (transcoder.Run(message, type, api_version, kind)) return {};
  out.Truncate(start);
  Result<void> done = ThroughTree(message, type, api_version, kind, embedded, out);
  if (!done) {
    return BadRequest("the protobuf bytes of " + std::string(type.name) +
                      " cannot be read: " + done.error().message());
  }
  return done;
}

Result<void> StorageToJson(std::string_view stored, ByteBuffer& out) {
  SKIFF_ASSIGN_OR_RETURN(const ProtobufEnvelope envelope, OpenProtobufEnvelope(stored));
  const MessageDesc* type = FindKind(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return BadRequest("no kind \"" + std::string(envelope.kind) + "\" in version \"" +
                      std::string(envelope.api_version) + "\"");
  }
  return ProtobufToJson(envelope.raw, *type, envelope.api_version, envelope.kind, out);
}

}  // namespace skiff::object

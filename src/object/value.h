// Documents: arena-owned trees of small tagged values.
//
// A Value is 16 bytes and says by itself what it is. Objects come in two kinds that share one
// tree: a typed object (kObject) knows its MessageDesc, and its members carry the index of their
// field instead of a name; a map (kMap: labels, custom resources, anything without a descriptor)
// has string keys. The tree always has the shape of the JSON form, with inlined messages flattened
// and nothing wrapped; protobuf's wrappers exist only in its codec.
//
// Invariants that every builder keeps and every reader may rely on:
//   - members of a kObject ascend by field index, entries of a kMap ascend by key, no duplicates;
//   - an absent member is the zero value: a nil pointer, list or map, 0, "", false or the empty
//     message; a pointer field that is present is non-nil, even when it holds a zero, or null: a
//     pointer to a raw value or schema that is not there;
//   - quantities are strings in canonical form; kRawJson is valid, compact JSON text.
//
// A Document owns the arena that its values live in. While one owner builds or changes it, it is
// mutable and not thread-safe; published as shared_ptr<const Document> it is immutable and any
// thread may read it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "object/descriptor.h"
#include "object/scalar/time.h"

namespace skiff::object {

enum class Tag : uint8_t {
  kNull,
  kBool,
  kInt,   // every integer but kUint
  kUint,  // uint64 fields only
  kDouble,
  kString,  // also quantities, and int-or-strings that are strings
  kBytes,
  kTime,
  kMicroTime,
  kDuration,  // nanoseconds
  kRawJson,
  kList,
  kMap,
  kObject,
};

class Value;
struct MapEntry;

class Value {
 public:
  constexpr Value() = default;  // null

  static Value Bool(bool b) { return Value(Tag::kBool, 0, int64_t{b}); }
  static Value Int(int64_t i) { return Value(Tag::kInt, 0, i); }
  static Value Uint(uint64_t u) { return Value(Tag::kUint, 0, static_cast<int64_t>(u)); }
  static Value Double(double d) {
    Value v(Tag::kDouble, 0, int64_t{0});
    v.data_.number = d;
    return v;
  }
  // The bytes must live as long as the value: literals, or memory of the document's arena.
  static Value String(std::string_view s) { return Value(Tag::kString, s); }
  static Value Bytes(std::string_view s) { return Value(Tag::kBytes, s); }
  static Value RawJson(std::string_view s) { return Value(Tag::kRawJson, s); }
  static Value Time(Timestamp t) { return Value(Tag::kTime, t.nanos, t.seconds); }
  static Value MicroTime(Timestamp t) { return Value(Tag::kMicroTime, t.nanos, t.seconds); }
  static Value Duration(int64_t nanos) { return Value(Tag::kDuration, 0, nanos); }
  static Value EmptyList() { return Value(Tag::kList, 0, int64_t{0}); }
  static Value EmptyMap() { return Value(Tag::kMap, 0, int64_t{0}); }
  static Value EmptyObject(Arena& arena, const MessageDesc* type);
  // Copies the items, members or entries into the arena; members and entries must be in order.
  static Value List(Arena& arena, std::span<const Value> items);
  static Value Object(Arena& arena, const MessageDesc* type, std::span<const Value> members);
  static Value Map(Arena& arena, std::span<const MapEntry> entries);

  Tag tag() const { return tag_; }
  bool is_null() const { return tag_ == Tag::kNull; }
  bool is_string() const { return tag_ == Tag::kString; }
  bool is_list() const { return tag_ == Tag::kList; }
  bool is_map() const { return tag_ == Tag::kMap; }
  bool is_object() const { return tag_ == Tag::kObject; }

  // Each accessor requires its tag; callers check input with tag() first.
  bool AsBool() const {
    assert(tag_ == Tag::kBool);
    return data_.integer != 0;
  }
  int64_t AsInt() const {
    assert(tag_ == Tag::kInt || tag_ == Tag::kDuration);
    return data_.integer;
  }
  uint64_t AsUint() const {
    assert(tag_ == Tag::kUint);
    return static_cast<uint64_t>(data_.integer);
  }
  double AsDouble() const {
    assert(tag_ == Tag::kDouble);
    return data_.number;
  }
  // Of strings, bytes and raw JSON.
  std::string_view AsText() const {
    assert(tag_ == Tag::kString || tag_ == Tag::kBytes || tag_ == Tag::kRawJson);
    return {data_.text, size_};
  }
  Timestamp AsTime() const {
    assert(tag_ == Tag::kTime || tag_ == Tag::kMicroTime);
    return {data_.integer, size_};
  }

  // Items, members or entries. Empty for scalars.
  size_t size() const { return tag_ >= Tag::kList ? size_ : 0; }

  std::span<const Value> items() const {
    assert(is_list());
    return {data_.items, size_};
  }
  std::span<Value> items() {
    assert(is_list());
    return {data_.items, size_};
  }
  std::span<const MapEntry> entries() const;
  std::span<MapEntry> entries();
  const MessageDesc* type() const {
    assert(is_object());
    return data_.object->type;
  }
  std::span<const Value> members() const;
  std::span<Value> members();

  // The index of the field that this member stands for; meaningful within a kObject only.
  uint16_t field() const { return field_; }
  Value WithField(uint16_t field) const {
    Value copy = *this;
    copy.field_ = field;
    return copy;
  }
  const FieldDesc& field_desc(const MessageDesc& owner) const { return owner.fields[field_]; }

  // Look-ups: null when absent. Find() takes the JSON name, in typed objects and maps alike.
  const Value* Member(uint16_t field) const;
  Value* Member(uint16_t field);
  const Value* Find(std::string_view name) const;
  Value* Find(std::string_view name);
  // The members of nested objects in turn: FindPath({"metadata", "labels"}).
  const Value* FindPath(std::initializer_list<std::string_view> names) const;

  // Changes. The references they return are valid until the next change of the same container.
  // `value` may hold pointers into the same arena only.
  Value& SetMember(Arena& arena, uint16_t field, Value value);
  Value& SetEntry(Arena& arena, std::string_view key, Value value);  // copies the key if new
  // By name in a typed object or a map. In a typed object the name must be a field's.
  Value& Set(Arena& arena, std::string_view name, Value value);
  bool Erase(std::string_view name);
  bool EraseMember(uint16_t field);
  Value& Append(Arena& arena, Value item);
  Value& Insert(Arena& arena, size_t index, Value item);
  void EraseItem(size_t index);
  // Takes away all items for which `goes` holds.
  template <typename Goes>
  void EraseItemsIf(Goes goes) {
    const std::span<Value> all = items();
    size_ = static_cast<uint32_t>(std::ranges::remove_if(all, goes).begin() - all.begin());
  }

  // A deep copy whose every byte lies in `arena`.
  Value CopyInto(Arena& arena) const;

 private:
  struct ObjectBlock {
    const MessageDesc* type;
  };  // followed by the members

  Value(Tag tag, uint32_t size, int64_t integer) : tag_(tag), size_(size) {
    data_.integer = integer;
  }
  Value(Tag tag, std::string_view text) : tag_(tag), size_(static_cast<uint32_t>(text.size())) {
    data_.text = text.data();
  }
  Value* member_data() const { return reinterpret_cast<Value*>(data_.object + 1); }
  bool HasRoom() const { return room_log2_ != 0 && size_ < (uint32_t{1} << room_log2_); }
  void Grow(Arena& arena);

  Tag tag_ = Tag::kNull;
  uint8_t room_log2_ = 0;  // containers: room for 1 << room_log2_ elements; 0: exactly size_
  uint16_t field_ = 0;
  uint32_t size_ = 0;  // bytes of text, elements of a container, or nanoseconds of a time
  union Data {
    int64_t integer = 0;
    double number;
    const char* text;
    Value* items;
    MapEntry* entries;
    ObjectBlock* object;
  } data_;
};
static_assert(sizeof(Value) == 16);

struct MapEntry {
  std::string_view key;
  Value value;
};

class Document {
 public:
  Document() = default;
  explicit Document(Arena arena, Value root) : arena_(std::move(arena)), root_(root) {}
  // An object of an open kind, whose root is a map.
  Document(Arena arena, Value root, const MessageDesc* open_type)
      : arena_(std::move(arena)), root_(root), open_type_(open_type) {}
  // An empty object of this type.
  static Document OfType(const MessageDesc* type);

  Value& root() { return root_; }
  const Value& root() const { return root_; }
  Arena& arena() { return arena_; }
  // Null for a document without a descriptor.
  const MessageDesc* type() const { return root_.is_object() ? root_.type() : open_type_; }
  // The root is a map, and from now on an object of an open kind; null: of none.
  void SetOpenType(const MessageDesc* type) { open_type_ = type; }
  // Of kinds and of maps alike; "" when absent.
  std::string_view kind() const { return TextOf("kind"); }
  std::string_view api_version() const { return TextOf("apiVersion"); }

  size_t BytesReserved() const { return arena_.BytesReserved(); }
  Document Copy() const;

 private:
  std::string_view TextOf(std::string_view name) const;

  Arena arena_;
  Value root_;
  const MessageDesc* open_type_ = nullptr;  // what a root that is a map is an object of
};

inline std::span<const MapEntry> Value::entries() const {
  assert(is_map());
  return {data_.entries, size_};
}
inline std::span<MapEntry> Value::entries() {
  assert(is_map());
  return {data_.entries, size_};
}
inline std::span<const Value> Value::members() const {
  assert(is_object());
  return {member_data(), size_};
}
inline std::span<Value> Value::members() {
  assert(is_object());
  return {member_data(), size_};
}

// The same value in the sense of the API, as Kubernetes' semantic equality has it:
//   - an absent or null member equals the zero value of its field, unless the field is a pointer,
//     where being there is what counts; so nil and empty lists, maps and bytes are equal;
//   - quantities compare by amount (1Gi is 1024Mi), times by instant, numbers by value whatever
//     their tag, raw JSON by its text;
//   - lists compare item by item, in order; a key of a map counts even when its value is null.
// Works on typed and untyped trees; a typed object equals only objects of its own type, never a
// map. Without a field to say so, a string is a string: quantities in untyped trees compare as
// text.
bool DeepEqual(const Value& a, const Value& b);

}  // namespace skiff::object

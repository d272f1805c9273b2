// The values that expressions compute.
//
// A Val is 24 bytes, trivially copied, and owns nothing: text, lists and maps lie in the arena of
// the evaluation, in the program (constants), or in a document, which is read in place: a list or
// map of a document is a Val that points to it and turns its members into Vals when asked. A
// schema (schema_types.h) beside the pointer says how to read members; without one they are what
// their JSON is.
//
// An error is a value too, so that logical operators can absorb it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::cel {

struct Type;
struct SchemaType;
struct ListBlock;
struct MapBlock;
struct MapItem;
struct Opaque;
class Val;

enum class Kind : uint8_t {
  kUnset,  // no value: a variable that nobody bound
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,  // nanoseconds
  kType,
  kList,
  kMap,     // also an object of a schema
  kStruct,  // made by Name{field: value}
  kOptional,
  kOpaque,  // quantities, IP addresses and other values of libraries
};

class Val {
 public:
  constexpr Val() = default;

  static Val Null() { return Val(Kind::kNull); }
  static Val Bool(bool value) { return Int64(Kind::kBool, value ? 1 : 0); }
  static Val Int(int64_t value) { return Int64(Kind::kInt, value); }
  static Val Uint(uint64_t value) { return Int64(Kind::kUint, static_cast<int64_t>(value)); }
  static Val Double(double value) {
    Val v(Kind::kDouble);
    v.a_.number = value;
    return v;
  }
  // The bytes outlive the value.
  static Val String(std::string_view text) { return Text(Kind::kString, text); }
  static Val Bytes(std::string_view text) { return Text(Kind::kBytes, text); }
  // The offset, in seconds east of Greenwich, is only what string() shows.
  static Val Time(object::Timestamp time, int32_t offset = 0) {
    Val v = Int64(Kind::kTimestamp, time.seconds);
    v.size_ = time.nanos;
    v.b_.integer = offset;
    return v;
  }
  static Val Duration(int64_t nanos) { return Int64(Kind::kDuration, nanos); }
  static Val OfType(const Type* type) { return Pointer(Kind::kType, type); }
  static Val OptionalNone() { return Pointer(Kind::kOptional, nullptr); }
  static Val OptionalOf(Arena& arena, const Val& value);
  static Val OfOpaque(const Opaque* opaque) { return Pointer(Kind::kOpaque, opaque); }
  static Val Error(Arena& arena, std::string_view message) {
    return Text(Kind::kError, arena.Copy(message));
  }
  // The message outlives the value: a literal.
  static Val ErrorLiteral(std::string_view message) { return Text(Kind::kError, message); }
  // `schema`: of the list that it was made from, if == has to know it; may be null.
  static Val List(const ListBlock* block, size_t size, const SchemaType* schema = nullptr);
  static Val Map(const MapBlock* block, size_t size);
  static Val Struct(const MapBlock* block, const Type* type);
  // A list, map or object of a document; `schema` may be null.
  static Val DocumentList(const object::Value* value, const SchemaType* schema);
  static Val DocumentMap(const object::Value* value, const SchemaType* schema);

  Kind kind() const { return kind_; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_true() const { return kind_ == Kind::kBool && a_.integer != 0; }
  bool is_false() const { return kind_ == Kind::kBool && a_.integer == 0; }
  bool is_string() const { return kind_ == Kind::kString; }

  int64_t AsInt() const { return a_.integer; }  // of ints, durations
  uint64_t AsUint() const { return static_cast<uint64_t>(a_.integer); }
  double AsDouble() const { return a_.number; }
  bool AsBool() const { return a_.integer != 0; }
  std::string_view AsText() const { return {a_.text, size_}; }  // of strings, bytes, errors
  object::Timestamp AsTime() const { return {a_.integer, size_}; }
  int32_t time_offset() const { return static_cast<int32_t>(b_.integer); }
  const Type* AsType() const { return static_cast<const Type*>(a_.pointer); }
  const Opaque* AsOpaque() const { return static_cast<const Opaque*>(a_.pointer); }
  // Null: none.
  const Val* AsOptional() const { return static_cast<const Val*>(a_.pointer); }

  // Of lists, maps and structs.
  bool in_document() const { return in_document_; }
  const object::Value* document() const { return static_cast<const object::Value*>(a_.pointer); }
  const SchemaType* schema() const { return static_cast<const SchemaType*>(b_.pointer); }
  const ListBlock* list_block() const { return static_cast<const ListBlock*>(a_.pointer); }
  const MapBlock* map_block() const { return static_cast<const MapBlock*>(a_.pointer); }
  const Type* struct_type() const { return static_cast<const Type*>(b_.pointer); }
  uint32_t raw_size() const { return size_; }

 private:
  explicit Val(Kind kind) : kind_(kind) {}
  static Val Int64(Kind kind, int64_t value) {
    Val v(kind);
    v.a_.integer = value;
    return v;
  }
  static Val Text(Kind kind, std::string_view text) {
    Val v(kind);
    // An empty text is somewhere too: those who look for places in it subtract addresses.
    v.a_.text = text.data() == nullptr ? "" : text.data();
    v.size_ = static_cast<uint32_t>(text.size());
    return v;
  }
  static Val Pointer(Kind kind, const void* pointer) {
    Val v(kind);
    v.a_.pointer = pointer;
    return v;
  }

  Kind kind_ = Kind::kUnset;
  bool in_document_ = false;
  uint32_t size_ = 0;
  union {
    int64_t integer = 0;
    double number;
    const char* text;
    const void* pointer;
  } a_;
  union {
    const void* pointer = nullptr;
    int64_t integer;
  } b_;
};

// The items of a list that was computed. A list is a beginning of its block; appending to a list
// that is the whole block extends the block in place, which nobody else sees.
struct ListBlock {
  Val* items = nullptr;
  uint32_t count = 0;
  uint32_t capacity = 0;
  const Arena* owner = nullptr;  // only who builds in this arena may extend it
};

struct MapItem {
  Val key;
  Val value;
};
// Members that are computed when they are asked for.
class ComputedMembers {
 public:
  // Unset: there is none of that name.
  virtual Val FindMember(std::string_view name) = 0;

 protected:
  ~ComputedMembers() = default;
};

// The entries of a map that was computed, in the order of insertion; likewise a beginning.
struct MapBlock {
  MapItem* items = nullptr;
  uint32_t count = 0;
  uint32_t capacity = 0;
  uint32_t* index = nullptr;  // by hash, of 1 + the place of an item; null: few items
  uint32_t index_size = 0;    // a power of two
  const Arena* owner = nullptr;
  // What a key that is not there stands for when it is asked for, but not for `in`; null: nothing.
  const Val* fallback = nullptr;
  // Null: the items are all there is. Else they are not looked at.
  ComputedMembers* computed = nullptr;
};

// What libraries compute: the first member of their structs.
struct Opaque {
  const Type* type;
};

// ---- Lists.
size_t ListSize(const Val& list);
Val ListAt(Arena& arena, const Val& list, size_t index);
// Makes lists, one item after the other.
class ListBuilder {
 public:
  explicit ListBuilder(Arena& arena, size_t expected = 4);
  void Add(const Val& item);
  Val Done() const { return Val::List(block_, block_->count); }
  size_t size() const { return block_->count; }

 private:
  Arena& arena_;
  ListBlock* block_;
};
// `list` with one item more; in place when that cannot be seen.
Val ListAppend(Arena& arena, const Val& list, const Val& item);

// `a` and `b` in turn. If `a` is a set or a list of a document with keys, what it has is not
// added again, and what has its keys is replaced.
Val AddLists(Arena& arena, const Val& a, const Val& b);
// A bool or an error.
Val ListContains(Arena& arena, const Val& list, const Val& item);

// ---- Maps.
size_t MapSize(const Val& map);
MapItem MapAt(Arena& arena, const Val& map, size_t index);
// Unset: there is no such key. Numbers are the same key whatever their type.
Val MapFind(Arena& arena, const Val& map, const Val& key);
class MapBuilder {
 public:
  explicit MapBuilder(Arena& arena, size_t expected = 4);
  // A later value of the same key wins.
  void Set(const Val& key, const Val& value);
  void Erase(const Val& key);
  Val Done() const { return Val::Map(block_, block_->count); }
  void SetFallback(const Val& value);
  const MapBlock* block() const { return block_; }

 private:
  Arena& arena_;
  MapBlock* block_;
};
// `map` with one entry more; unset if it has that key.
Val MapInsert(Arena& arena, const Val& map, const Val& key, const Val& value);

// ---- All kinds.

// What type() says: "list", "null_type", "google.protobuf.Timestamp", …
std::string_view TypeNameOf(const Val& value);
// Whether values of its kind have an order: it may be compared with < and sorted.
bool HasOrder(const Val& v);
const Type* RuntimeType(const Val& value);
// What cel-go calls the type of a value in messages: "types.String", "*types.baseList", …
std::string_view GoTypeNameOf(const Val& value);
// What size() says for those that have one; 1 for all others; of an optional, that of its value.
uint64_t SizeOf(const Val& value);
// == of CEL, a bool or an error: numbers by value whatever their type, lists and maps by their
// members.
Val EqualVals(Arena& arena, const Val& a, const Val& b);
inline bool Equal(Arena& arena, const Val& a, const Val& b) {
  return EqualVals(arena, a, b).is_true();
}
// Below 0, 0, above 0; nothing if they have no order. `nan` is set if that is because of a NaN.
std::optional<int> Compare(const Val& a, const Val& b, bool* nan = nullptr);
bool IsZeroValue(const Val& value);
// As Go's %v prints it, in messages.
std::string GoText(Arena& arena, const Val& value);

}  // namespace skiff::cel

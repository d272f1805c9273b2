// One step of a path as server-side apply counts them: into a field, to the item of a list that has
// these keys, to the item of a set with this value, or to an item by its place.
//
// In a set of fields (field_set.h) steps are ordered: fields by name, then keys, then values, then
// places, which is the order of the text that Kubernetes keeps in managedFields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "object/value.h"

namespace skiff::object {

// A key of a list item. The value is a scalar.
struct KeyField {
  std::string_view name;
  Value value;
};

// Sixteen bytes that point to what they do not own: names of descriptors, texts of documents,
// arrays in the arena of whoever made the set. Names of one descriptor have one address, so equal
// steps are mostly told by it.
class PathElement {
 public:
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };  // in the order of steps

  PathElement() : kind_(Kind::kField) { data_.text = ""; }
  static PathElement Field(std::string_view name) {
    PathElement out(Kind::kField, name.size());
    out.data_.text = name.data();
    return out;
  }
  // Ascending by name.
  static PathElement Key(std::span<const KeyField> fields) {
    PathElement out(Kind::kKey, fields.size());
    out.data_.fields = fields.data();
    return out;
  }
  static PathElement Item(const Value* value) {
    PathElement out(Kind::kValue, 0);
    out.data_.value = value;
    return out;
  }
  static PathElement Index(int64_t index) {
    PathElement out(Kind::kIndex, 0);
    out.data_.index = index;
    return out;
  }

  Kind kind() const { return kind_; }
  bool is_field() const { return kind_ == Kind::kField; }
  // Each requires its kind.
  std::string_view name() const { return {data_.text, size_}; }
  std::span<const KeyField> key() const { return {data_.fields, size_}; }
  const Value& value() const { return *data_.value; }
  int64_t index() const { return data_.index; }

  // As messages show it: .name, [name="c",port=80], [="x"], [3].
  void AppendTo(std::string& out) const;

 private:
  PathElement(Kind kind, size_t size) : kind_(kind), size_(static_cast<uint32_t>(size)) {}

  Kind kind_;
  uint32_t size_ = 0;
  union {
    const char* text;
    const KeyField* fields;
    const Value* value;
    int64_t index;
  } data_;
};

// The order of steps: negative, zero or positive.
int ComparePathElements(const PathElement& a, const PathElement& b);
inline bool SamePathElement(const PathElement& a, const PathElement& b) {
  return ComparePathElements(a, b) == 0;
}

// A total order of untyped values: numbers by amount, then strings, booleans, lists, maps, null.
int CompareUntyped(const Value& a, const Value& b);

}  // namespace skiff::object

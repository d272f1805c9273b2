// What a spot in a typed tree may hold, whether or not anything is there: the type of a field, of
// the items or values in it, or of the root.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

class SpotType {
 public:
  enum Shape : uint8_t { kMessage, kMap, kList, kScalar, kUntyped };

  static SpotType Untyped() { return SpotType(nullptr, nullptr, 0); }
  static SpotType OfRoot(const Value& root) {
    return SpotType(root.is_object() ? root.type() : nullptr, nullptr, 0);
  }
  static SpotType OfField(const FieldDesc& field) { return SpotType(nullptr, &field, 0); }
  // Of the items of a list or the values of a map.
  SpotType Element() const { return SpotType(nullptr, field_, depth_ + 1); }

  Shape shape() const;
  // Of a kMessage.
  const MessageDesc* message() const;
  // The shape of a value that is there and not null.
  static Shape ShapeOf(const Value& value);

  // The value as it is stored here: integers become doubles and quantities canonical where the
  // field asks for it. An error, "must be …", when the type is another; null fits everywhere.
  Result<Value> Fit(Arena& arena, Value value) const;
  // The value that a list item's key of this type has in the text of a path.
  Result<Value> FromKeyText(Arena& arena, std::string_view text) const;

 private:
  SpotType(const MessageDesc* root, const FieldDesc* field, int depth)
      : root_(root), field_(field), depth_(depth) {}
  // How many containers the field's element lies in.
  int Levels() const {
    return int{field_->cardinality != Cardinality::kSingle} +
           int{field_->type == FieldType::kStringList};
  }
  Result<Value> FitScalar(Arena& arena, Value value) const;

  const MessageDesc* root_;
  const FieldDesc* field_;
  int depth_;
};

}  // namespace skiff::object

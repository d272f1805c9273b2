// How server-side apply sees a spot of an object: what kind of value may stand there, and whether
// it is owned as one or part by part. All of it follows from the descriptors.
//
//   struct   fields of a message, each owned for itself
//   map      keys, each owned for itself
//   list     items told apart by keys (list=map) or by their value (list=set)
//   scalar   one value; so are raw JSON, and messages whose JSON has a form of its own
//   deduced  no descriptor: a map by its keys, anything else as one
//   open     an object of a kind that was defined at run time: each of its fields has the shape
//            that the definition gives it, which OpenShapes knows
//
// Atomic structs, maps and lists are owned as one. Lists are atomic unless the schema says
// otherwise by a list type or, of old, by a merge strategy.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

class FieldShape;

// The shapes of one open kind. Immutable; it lives as long as the kind.
class OpenShapes {
 public:
  // A spot, as the implementation knows it again.
  struct Spot {
    const void* node = nullptr;
    uint8_t bits = 0;
  };

  virtual ~OpenShapes() = default;
  // Of a field of an object; unknown if there can be none of that name.
  virtual FieldShape Field(Spot spot, std::string_view name) const = 0;
  // Whether the definition has a field of that name, rather than letting any be there.
  virtual bool Declares(Spot spot, std::string_view name) const = 0;
  virtual FieldShape Item(Spot spot) const = 0;
  virtual std::span<const std::string_view> Keys(Spot spot) const = 0;
  // What an item of the list has for a key that it does not name; null if nothing.
  virtual const Value* KeyDefault(Spot list, std::string_view key) const = 0;
};

class FieldShape {
 public:
  enum class Kind : uint8_t { kUnknown, kScalar, kStruct, kMap, kList, kDeduced, kOpen };

  FieldShape() = default;
  // Of a whole object; null: without a descriptor.
  static FieldShape OfMessage(const MessageDesc* message);
  // Of a spot in an object of an open kind. `scalar` is of kScalar.
  static FieldShape OfOpen(const OpenShapes& shapes, OpenShapes::Spot spot, Kind kind, bool atomic,
                           FieldType scalar = FieldType::kAny);
  static FieldShape OfField(const FieldDesc& field);
  // Of the items of a list or the values of a map; unknown elsewhere.
  FieldShape Element() const;
  // Of a member by its name, whatever kind of object this is; unknown if it has none of that name.
  FieldShape Entry(std::string_view name) const;
  // Whether that member is a field of its own, rather than one of many keys.
  bool Declares(std::string_view name) const;
  // What an item of a list of an open kind has for a key that it does not name; null otherwise.
  const Value* OpenKeyDefault(std::string_view key) const;
  // Of what stands where nothing is declared, once the value is known.
  static FieldShape Deduced();

  Kind kind() const { return kind_; }
  bool atomic() const { return atomic_; }
  // Of a struct.
  const MessageDesc* message() const { return message_; }
  // The field of a struct, or null.
  const FieldDesc* FindField(std::string_view name) const;
  // The field that this spot is, or is an element of; null at the root.
  const FieldDesc* field() const { return field_; }
  // Of a list whose items are told apart by keys; empty: by their value.
  std::span<const std::string_view> keys() const;
  // The type of the one value of a scalar.
  FieldType scalar_type() const { return field_ != nullptr ? field_->type : scalar_; }
  // A leaf that is no scalar of JSON: raw JSON, or a message with a form of its own.
  bool opaque() const;

 private:
  Kind kind_ = Kind::kUnknown;
  bool atomic_ = false;
  uint8_t depth_ = 0;  // how many containers of the field lie above this spot
  const MessageDesc* message_ = nullptr;
  const FieldDesc* field_ = nullptr;
  const OpenShapes* open_ = nullptr;  // of a spot of an open kind
  OpenShapes::Spot spot_;
  FieldType scalar_ = FieldType::kAny;

  static FieldShape At(const FieldDesc& field, uint8_t depth);
};

// The value of a list item's key that the item does not name, as OpenAPI publishes it; null if
// there is none.
Value KeyDefault(Arena& arena, const MessageDesc& item, const FieldDesc& key);

}  // namespace skiff::object

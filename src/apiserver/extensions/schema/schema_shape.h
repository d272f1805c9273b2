// How server-side apply sees a spot of a custom resource, by its schema: the counterpart of
// object/fields/shape.h, which asks descriptors.
//
// An object has the fields that its schema names, and may have others: values of
// additionalProperties, or whatever there is where unknown fields are preserved. Those have no
// type, and neither has anything within them: a map is then owned by its keys, anything else as
// one. Preserving holds for all that lies below. Lists are atomic unless their type says otherwise;
// objects and maps are granular unless theirs does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "object/field_path.h"
#include "object/value.h"

namespace skiff::apiserver {

class SchemaShape {
 public:
  enum class Kind : uint8_t {
    kUnknown,   // the schema has no such field
    kScalar,    //
    kObject,    // fields by name
    kList,      //
    kMetadata,  // ObjectMeta, or a field of it: its descriptor says the rest
    kDeduced,   // whatever the value is
  };

  SchemaShape() = default;
  // Of a whole custom resource.
  static SchemaShape OfResource(const CompiledSchema& schema);
  // Of the spot that a path leads to, whatever is there.
  static SchemaShape At(const CompiledSchema& schema, const object::FieldPath& path);

  // Of a field of an object, and of an item of a list; unknown elsewhere.
  SchemaShape Field(std::string_view name) const;
  SchemaShape Item() const;
  // Of a spot without a type, now that its value is known.
  SchemaShape For(const object::Value& value) const;

  Kind kind() const { return kind_; }
  // Owned as one.
  bool atomic() const { return atomic_; }
  // Of a list whose items are told apart by keys; empty: by their value.
  std::span<const std::string_view> keys() const;
  // What an item that does not name the key has for it; null if nothing.
  const object::Value* KeyDefault(std::string_view key) const;
  // Null where nothing is described.
  const SchemaNode* node() const { return node_; }
  // Whether the schema has a field of that name itself.
  bool Declares(std::string_view name) const;

  // The spot again, from its node and a few bits.
  uint8_t bits() const { return static_cast<uint8_t>(int{is_resource_} | int{preserves_} << 1); }
  static SchemaShape OfNode(const SchemaNode* node, uint8_t bits);

 private:
  SchemaShape(const SchemaNode* node, bool is_resource, bool preserves);
  static SchemaShape Deduced();
  static SchemaShape Metadata();

  const SchemaNode* node_ = nullptr;
  Kind kind_ = Kind::kUnknown;
  bool atomic_ = false;
  bool is_resource_ = false;
  bool preserves_ = false;
};

}  // namespace skiff::apiserver

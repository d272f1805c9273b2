// The types of expressions.
//
// Types are immutable and compared by content; those of one Types factory live as long as it does.
// A struct type has fields that its StructDecl lists; kubernetes.Quantity and its kind are struct
// types without fields, as in Kubernetes.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"

namespace skiff::cel {

struct StructDecl;
struct MapBlock;
class Evaluation;
class Val;

enum class TypeKind : uint8_t {
  kDyn,
  kAny,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kNull,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kStruct,
  kOpaque,
  kType,
  kTypeParam,
  kError,
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string_view name = {};
  std::span<const Type* const> params = {};
  bool wrapper = false;  // google.protobuf.Int64Value and its like: also null
  const StructDecl* decl = nullptr;

  bool is_dyn() const { return kind == TypeKind::kDyn || kind == TypeKind::kAny; }
  bool is_optional() const { return kind == TypeKind::kOpaque && name == "optional_type"; }
};

// The value of Name{…} from its fields. Null: a struct.
using MakeStruct = Val (*)(Evaluation& evaluation, const StructDecl& decl, const MapBlock& fields);

// Fields of a struct type, which may be made when they are asked for: then one thread at a time may
// ask. A struct is made by Name{…} only if it can be.
struct StructDecl {
  const Type* type = nullptr;
  mutable std::map<std::string, const Type*, std::less<>> fields;
  // Makes a field when it is first asked for; null: there is no such field.
  std::function<const Type*(std::string_view name)> find = {};
  bool any_field = false;  // every name is a field, of the type that `other_fields` says
  const Type* other_fields = nullptr;
  bool unknown_fields_mismatch = false;  // a field that is not there is told as one of no type
  MakeStruct make = nullptr;
  const Type* Field(std::string_view name) const;
};

namespace types {
extern const Type kDyn, kAny, kBool, kInt, kUint, kDouble, kString, kBytes, kNull, kTimestamp,
    kDuration, kError, kTypeType;
// list(dyn) and its like, whose names are what type() says of values.
extern const Type kListDyn, kMapDyn, kOptionalDyn;
}  // namespace types

class Types {
 public:
  const Type* List(const Type* item);
  const Type* Map(const Type* key, const Type* value);
  const Type* Optional(const Type* value);
  const Type* OfType(const Type* type);
  const Type* Param(std::string_view name);
  const Type* Opaque(std::string_view name, std::span<const Type* const> params);
  // The declaration is owned here; fields may be added until the first use.
  StructDecl& Struct(std::string_view name);
  // "list(int)", "optional_type(<V>)", "kubernetes.Quantity": what is not built in is a struct
  // that `structs` knows or a new one without fields. Null if the text is no type.
  const Type* Parse(std::string_view text);
  Arena& arena() { return arena_; }

 private:
  const Type* Make(Type type);
  const Type* ParseAt(std::string_view text, size_t& at);
  Arena arena_;
  std::deque<StructDecl> structs_;
  std::map<std::string, const Type*, std::less<>> named_;
};

// The same type, all the way down.
bool SameType(const Type& a, const Type& b);
// As messages show it: timestamp, null, list(int).
std::string FormatType(const Type& type);
// As results show it: google.protobuf.Timestamp, null_type, list(int).
std::string TypeText(const Type& type);

}  // namespace skiff::cel

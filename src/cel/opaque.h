// Values that only libraries know: quantities, URLs, addresses, versions, formats, authorization.
//
// Each lies in an arena, and what it holds besides has to be destroyed: the arena of an evaluation
// is not told to, so the evaluation keeps a list (Evaluation::Own).
#pragma once

#include <memory>

#include "cel/types.h"
#include "cel/value.h"

namespace skiff::cel {

enum class OpaqueKind : uint8_t {
  kQuantity,
  kUrl,
  kIp,
  kCidr,
  kSemver,
  kFormat,
  kAuthorizer,
  kPathCheck,
  kGroupCheck,
  kResourceCheck,
  kDecision,
};

struct OpaqueBase : Opaque {
  OpaqueKind kind;
  OpaqueBase(const Type* its_type, OpaqueKind its_kind) : Opaque{its_type}, kind(its_kind) {}
  virtual ~OpaqueBase() = default;
};

// One struct for each kind of value that a function of `values/` makes.
template <typename T>
struct OpaqueOf final : OpaqueBase {
  T value;
  OpaqueOf(const Type* its_type, OpaqueKind its_kind, T its_value)
      : OpaqueBase(its_type, its_kind), value(std::move(its_value)) {}
};

inline const OpaqueBase& BaseOf(const Val& value) {
  return static_cast<const OpaqueBase&>(*value.AsOpaque());
}
template <typename T>
const T& OpaqueValue(const Val& value) {
  return static_cast<const OpaqueOf<T>&>(BaseOf(value)).value;
}

namespace types {
// Struct types without fields, but for addresses, which are opaque.
extern const Type kQuantity, kUrl, kIp, kCidr, kSemver, kNamedFormat, kAuthorizer, kPathCheck,
    kGroupCheck, kResourceCheck, kDecision;
}  // namespace types
// Null: none of these.
const Type* LibraryType(std::string_view name);

std::string_view OpaqueGoName(const Opaque& value);
uint64_t OpaqueSize(const Opaque& value);
Val EqualOpaque(const Val& a, const Val& b);
// The text that results show.
std::string OpaqueText(const Opaque& value);

}  // namespace skiff::cel

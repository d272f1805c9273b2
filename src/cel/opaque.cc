#include "cel/opaque.h"

#include <array>

#include "cel/values/ip.h"
#include "cel/values/named_formats.h"
#include "cel/values/quantity.h"
#include "cel/values/semver.h"
#include "cel/values/url.h"

namespace skiff::cel {
namespace types {

const Type kQuantity{.kind = TypeKind::kStruct, .name = "kubernetes.Quantity"};
const Type kUrl{.kind = TypeKind::kStruct, .name = "kubernetes.URL"};
const Type kIp{.kind = TypeKind::kOpaque, .name = "net.IP"};
const Type kCidr{.kind = TypeKind::kOpaque, .name = "net.CIDR"};
const Type kSemver{.kind = TypeKind::kStruct, .name = "kubernetes.Semver"};
const Type kNamedFormat{.kind = TypeKind::kStruct, .name = "kubernetes.NamedFormat"};
const Type kAuthorizer{.kind = TypeKind::kStruct, .name = "kubernetes.authorization.Authorizer"};
const Type kPathCheck{.kind = TypeKind::kStruct, .name = "kubernetes.authorization.PathCheck"};
const Type kGroupCheck{.kind = TypeKind::kStruct, .name = "kubernetes.authorization.GroupCheck"};
const Type kResourceCheck{.kind = TypeKind::kStruct,
                          .name = "kubernetes.authorization.ResourceCheck"};
const Type kDecision{.kind = TypeKind::kStruct, .name = "kubernetes.authorization.Decision"};

}  // namespace types

const Type* LibraryType(std::string_view name) {
  static const std::array kAll{&types::kQuantity,      &types::kUrl,       &types::kIp,
                               &types::kCidr,          &types::kSemver,    &types::kNamedFormat,
                               &types::kAuthorizer,    &types::kPathCheck, &types::kGroupCheck,
                               &types::kResourceCheck, &types::kDecision};
  for (const Type* type : kAll) {
    if (type->name == name) return type;
  }
  return nullptr;
}

namespace {
const OpaqueBase& Base(const Opaque& value) { return static_cast<const OpaqueBase&>(value); }
template <typename T>
const T& Of(const Opaque& value) {
  return static_cast<const OpaqueOf<T>&>(Base(value)).value;
}
}  // namespace

std::string_view OpaqueGoName(const Opaque& value) {
  switch (Base(value).kind) {
    case OpaqueKind::kQuantity:
      return "cel.Quantity";
    case OpaqueKind::kUrl:
      return "cel.URL";
    case OpaqueKind::kIp:
      return "cel.IP";
    case OpaqueKind::kCidr:
      return "cel.CIDR";
    case OpaqueKind::kSemver:
      return "cel.Semver";
    case OpaqueKind::kFormat:
      return "cel.Format";
    case OpaqueKind::kAuthorizer:
      return "library.authorizerVal";
    case OpaqueKind::kPathCheck:
      return "library.pathCheckVal";
    case OpaqueKind::kGroupCheck:
      return "library.groupCheckVal";
    case OpaqueKind::kResourceCheck:
      return "library.resourceCheckVal";
    case OpaqueKind::kDecision:
      return "library.decisionVal";
  }
  return {};
}

uint64_t OpaqueSize(const Opaque& value) {
  switch (Base(value).kind) {
    case OpaqueKind::kIp:
      return Of<IpAddress>(value).size();
    // The bytes that its prefix touches.
    case OpaqueKind::kCidr:
      return static_cast<uint64_t>(Of<Cidr>(value).prefix_length + 7) / 8;
    default:
      return 1;
  }
}

Val EqualOpaque(const Val& a, const Val& b) {
  const Val no_overload = Val::ErrorLiteral("no such overload");
  if (b.kind() != Kind::kOpaque || BaseOf(a).kind != BaseOf(b).kind) return no_overload;
  const Opaque& x = *a.AsOpaque();
  const Opaque& y = *b.AsOpaque();
  switch (BaseOf(a).kind) {
    case OpaqueKind::kQuantity:
      return Val::Bool(Of<object::Quantity>(x) == Of<object::Quantity>(y));
    case OpaqueKind::kUrl:
      return Val::Bool(Of<Url>(x).ToString() == Of<Url>(y).ToString());
    case OpaqueKind::kIp:
      return Val::Bool(Of<IpAddress>(x) == Of<IpAddress>(y));
    case OpaqueKind::kCidr:
      return Val::Bool(Of<Cidr>(x) == Of<Cidr>(y));
    case OpaqueKind::kSemver:
      return Val::Bool(Compare(Of<Semver>(x), Of<Semver>(y)) == 0);
    case OpaqueKind::kFormat:
      return Val::Bool(Of<const NamedFormat*>(x) == Of<const NamedFormat*>(y));
    default:
      return no_overload;
  }
}

std::string OpaqueText(const Opaque& value) {
  switch (Base(value).kind) {
    case OpaqueKind::kQuantity:
      return Of<object::Quantity>(value).ToString();
    case OpaqueKind::kUrl:
      return Of<Url>(value).ToString();
    case OpaqueKind::kIp:
      return Of<IpAddress>(value).ToString();
    case OpaqueKind::kCidr:
      return Text(Of<Cidr>(value));
    case OpaqueKind::kSemver:
      return Text(Of<Semver>(value));
    case OpaqueKind::kFormat:
      return std::string(Of<const NamedFormat*>(value)->name);
    default:
      return {};
  }
}

}  // namespace skiff::cel

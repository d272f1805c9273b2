#include "apiserver/registry/networking/ip_address.h"

#include "apiserver/validation/common.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};

void ValidateIPAddress(const object::Document& object, FieldErrors& errors) {
  const networking::IPAddress address(object);
  const auto spec = errors.At("spec");
  if (!address.spec().has_parent_ref()) return errors.Required("parentRef");
  const networking::ParentReference parent = address.spec().parent_ref();
  const auto at = errors.At("parentRef");
  if (!parent.group().empty()) {
    ValidateFormat(kDnsSubdomainFormat, parent.group(), "group", errors);
  }
  ValidateRequiredFormat(kPathSegment, parent.resource(), "resource", errors);
  ValidateRequiredFormat(kPathSegment, parent.name(), "name", errors);
  if (!parent.namespace_().empty()) {
    ValidateFormat(kPathSegment, parent.namespace_(), "namespace", errors);
  }
}

void ValidateIPAddressUpdate(const object::Document& object, const object::Document& old,
                             FieldErrors& errors) {
  ValidateIPAddress(object, errors);
  ValidateImmutable(networking::IPAddress(old).spec().parent_ref().AsValue(),
                    networking::IPAddress(object).spec().parent_ref().AsValue(), "spec.parentRef",
                    errors);
}

}  // namespace

constinit const KindRules kIPAddressRules = {.group = "networking.k8s.io",
                                             .kind = "IPAddress",
                                             .create = ValidateIPAddress,
                                             .update = ValidateIPAddressUpdate};

}  // namespace skiff::apiserver

#include "controllers/quota_lookups.h"

#include <algorithm>

#include "quota/pod_of_claim.h"

namespace skiff {
namespace {

namespace core = views::core_v1;
namespace dra = views::resource_k8s_io_v1;

}  // namespace

std::string InformedQuotaLookups::ExtendedResourceOf(std::string_view device_class) const {
  if (classes == nullptr) return {};
  const ObjectPtr found = classes->Find({.name_space = {}, .name = std::string(device_class)});
  return found ? ExtendedResourceName(*found) : std::string();
}

bool InformedQuotaLookups::HasDeviceClass(std::string_view extended_resource) const {
  if (classes == nullptr) return false;
  if (extended_resource.starts_with(kDeviceClassPrefix)) {
    const std::string_view name = extended_resource.substr(kDeviceClassPrefix.size());
    return classes->Find({.name_space = {}, .name = std::string(name)}) != nullptr;
  }
  return std::ranges::any_of(classes->List(), [&](const ObjectPtr& each) {
    return ExtendedResourceName(*each) == extended_resource;
  });
}

std::shared_ptr<const Document> InformedQuotaLookups::PodOfClaim(const Document& document) const {
  const auto claim = ViewAs<dra::ResourceClaim>(document);
  if (!claim || pods == nullptr || claims == nullptr) return nullptr;
  const views::meta_v1::OwnerReference owner = PodOwnerOf(*claim);
  if (owner.AsValue() == nullptr) return nullptr;
  const std::string name_space(claim->metadata().namespace_());
  const ObjectPtr pod = pods->Find({.name_space = name_space, .name = std::string(owner.name())});
  if (!pod || UidOf(*pod) != owner.uid()) return nullptr;
  const core::PodStatus status = core::Pod(*pod).status();
  if (status.has_extended_resource_claim_status()) {
    const auto own = status.extended_resource_claim_status().resource_claim_name();
    return own == claim->metadata().name() ? pod : nullptr;
  }
  for (const ObjectPtr& other_document : claims->List(name_space)) {
    const auto other = ViewAs<dra::ResourceClaim>(*other_document);
    if (other && PodOwnerOf(*other).uid() == owner.uid() && IsOlderClaim(*other, *claim)) {
      return nullptr;
    }
  }
  return pod;
}

}  // namespace skiff

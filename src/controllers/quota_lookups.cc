#include "controllers/quota_lookups.h"

#include <algorithm>

#include "quota/pod_of_claim.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;
namespace dra = views::resource_k8s_io_v1;

}  // namespace

std::string InformedQuotaLookups::ExtendedResourceOf(std::string_view device_class) const {
  if (classes == nullptr) return {};
  const client::ObjectPtr found =
      classes->Find({.name_space = {}, .name = std::string(device_class)});
  return found ? quota::ExtendedResourceName(*found) : std::string();
}

bool InformedQuotaLookups::HasDeviceClass(std::string_view extended_resource) const {
  if (classes == nullptr) return false;
  if (extended_resource.starts_with(quota::kDeviceClassPrefix)) {
    const std::string_view name = extended_resource.substr(quota::kDeviceClassPrefix.size());
    return classes->Find({.name_space = {}, .name = std::string(name)}) != nullptr;
  }
  return std::ranges::any_of(classes->List(), [&](const client::ObjectPtr& each) {
    return quota::ExtendedResourceName(*each) == extended_resource;
  });
}

std::shared_ptr<const object::Document> InformedQuotaLookups::PodOfClaim(
    const object::Document& document) const {
  const auto claim = object::ViewAs<dra::ResourceClaim>(document);
  if (!claim || pods == nullptr || claims == nullptr) return nullptr;
  const views::meta_v1::OwnerReference owner = quota::PodOwnerOf(*claim);
  if (owner.AsValue() == nullptr) return nullptr;
  const std::string name_space(claim->metadata().namespace_());
  const client::ObjectPtr pod =
      pods->Find({.name_space = name_space, .name = std::string(owner.name())});
  if (!pod || client::UidOf(*pod) != owner.uid()) return nullptr;
  const core::PodStatus status = core::Pod(*pod).status();
  if (status.has_extended_resource_claim_status()) {
    const auto own = status.extended_resource_claim_status().resource_claim_name();
    return own == claim->metadata().name() ? pod : nullptr;
  }
  for (const client::ObjectPtr& other_document : claims->List(name_space)) {
    const auto other = object::ViewAs<dra::ResourceClaim>(*other_document);
    if (other && quota::PodOwnerOf(*other).uid() == owner.uid() &&
        quota::IsOlderClaim(*other, *claim)) {
      return nullptr;
    }
  }
  return pod;
}

}  // namespace skiff::controllers

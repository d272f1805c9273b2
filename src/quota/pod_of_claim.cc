#include "quota/pod_of_claim.h"

#include <tuple>

namespace skiff::quota {
namespace {

namespace dra = views::resource_k8s_io_v1;

constexpr std::string_view kMadeForPod = "resource.kubernetes.io/extended-resource-claim";

}  // namespace

std::string ExtendedResourceName(const object::Document& device_class) {
  const auto view = object::ViewAs<dra::DeviceClass>(device_class);
  return view ? std::string(view->spec().extended_resource_name().value_or("")) : std::string();
}

views::meta_v1::OwnerReference PodOwnerOf(const dra::ResourceClaim& claim) {
  if (claim.metadata().annotations().Get(kMadeForPod) != "true") return {};
  for (const auto owner : claim.metadata().owner_references()) {
    if (!owner.controller().value_or(false)) continue;
    return owner.kind() == "Pod" && owner.api_version() == "v1" ? owner
                                                                : views::meta_v1::OwnerReference();
  }
  return {};
}

bool IsOlderClaim(const dra::ResourceClaim& a, const dra::ResourceClaim& b) {
  const auto rank = [](const dra::ResourceClaim& claim) {
    return std::tuple(claim.metadata().creation_timestamp().seconds, claim.metadata().name());
  };
  return rank(a) < rank(b);
}

}  // namespace skiff::quota

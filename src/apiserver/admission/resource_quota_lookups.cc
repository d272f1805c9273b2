#include "apiserver/admission/resource_quota_lookups.h"

#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "quota/pod_of_claim.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace dra = views::resource_k8s_io_v1;

ResourceStorage* Find(const StorageSet& storages, std::string_view group,
                      std::string_view resource) {
  const object::ResourceDesc* found = object::FindResource(group, "v1", resource);
  return found != nullptr ? storages.Find(found->hub) : nullptr;
}

Result<object::Document> Decode(const store::CacheEntry& entry) {
  return DecodeStored(entry.value().view(), entry.revision());
}

}  // namespace

CachedQuotaLookups::CachedQuotaLookups(const StorageSet& storages)
    : pods_(Find(storages, "", "pods")),
      claims_(Find(storages, "resource.k8s.io", "resourceclaims")),
      classes_(Find(storages, "resource.k8s.io", "deviceclasses")) {}

std::string CachedQuotaLookups::ExtendedResourceOf(std::string_view device_class) const {
  const store::EntryRef entry = FindInCache(classes_, {}, device_class);
  if (!entry) return {};
  const Result<object::Document> document = Decode(*entry);
  return document ? quota::ExtendedResourceName(*document) : std::string();
}

bool CachedQuotaLookups::HasDeviceClass(std::string_view extended_resource) const {
  if (extended_resource.starts_with(quota::kDeviceClassPrefix)) {
    return static_cast<bool>(
        FindInCache(classes_, {}, extended_resource.substr(quota::kDeviceClassPrefix.size())));
  }
  bool found = false;
  ForEachInCache(classes_, [&](const store::CacheEntry& entry) {
    const Result<object::Document> document = Decode(entry);
    found |= document && quota::ExtendedResourceName(*document) == extended_resource;
  });
  return found;
}

std::shared_ptr<const object::Document> CachedQuotaLookups::PodOfClaim(
    const object::Document& document) const {
  const auto claim = object::ViewAs<dra::ResourceClaim>(document);
  if (!claim) return nullptr;
  const views::meta_v1::OwnerReference owner = quota::PodOwnerOf(*claim);
  if (owner.AsValue() == nullptr) return nullptr;
  const std::string_view name_space = claim->metadata().namespace_();
  const store::EntryRef entry = FindInCache(pods_, name_space, owner.name());
  if (!entry) return nullptr;
  Result<object::Document> decoded = Decode(*entry);
  if (!decoded) return nullptr;
  const auto pod = std::make_shared<const object::Document>(std::move(*decoded));
  const core::Pod view(*pod);
  if (view.metadata().uid() != owner.uid()) return nullptr;
  const std::string_view name = claim->metadata().name();
  if (view.status().has_extended_resource_claim_status()) {
    const auto status = view.status().extended_resource_claim_status();
    return status.resource_claim_name() == name ? pod : nullptr;
  }
  // Until the pod says which claim is its own, it is the oldest one.
  bool is_oldest = true;
  ForEachInCachedNamespace(claims_, name_space, [&](const store::CacheEntry& other_entry) {
    const Result<object::Document> other_document = Decode(other_entry);
    const auto other =
        other_document ? object::ViewAs<dra::ResourceClaim>(*other_document) : std::nullopt;
    if (!other || quota::PodOwnerOf(*other).uid() != owner.uid()) return true;
    is_oldest = !quota::IsOlderClaim(*other, *claim);
    return is_oldest;
  });
  return is_oldest ? pod : nullptr;
}

}  // namespace skiff::apiserver

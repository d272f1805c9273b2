#include "apiserver/admission/resource_quota_lookups.h"

#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "quota/pod_of_claim.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff {
namespace {

namespace core = views::core_v1;
namespace dra = views::resource_k8s_io_v1;

ResourceStorage* Find(const StorageSet& storages, std::string_view group,
                      std::string_view resource) {
  const ResourceDesc* found = FindResource(group, "v1", resource);
  return found != nullptr ? storages.Find(found->hub) : nullptr;
}

Result<Document> Decode(const CacheEntry& entry) {
  return DecodeStored(entry.value().view(), entry.revision());
}

}  // namespace

CachedQuotaLookups::CachedQuotaLookups(const StorageSet& storages)
    : pods_(Find(storages, "", "pods")),
      claims_(Find(storages, "resource.k8s.io", "resourceclaims")),
      classes_(Find(storages, "resource.k8s.io", "deviceclasses")) {}

std::string CachedQuotaLookups::ExtendedResourceOf(std::string_view device_class) const {
  const EntryRef entry = FindInCache(classes_, {}, device_class);
  if (!entry) return {};
  const Result<Document> document = Decode(*entry);
  return document ? ExtendedResourceName(*document) : std::string();
}

bool CachedQuotaLookups::HasDeviceClass(std::string_view extended_resource) const {
  if (extended_resource.starts_with(kDeviceClassPrefix)) {
    return static_cast<bool>(
        FindInCache(classes_, {}, extended_resource.substr(kDeviceClassPrefix.size())));
  }
  bool found = false;
  ForEachInCache(classes_, [&](const CacheEntry& entry) {
    const Result<Document> document = Decode(entry);
    found |= document && ExtendedResourceName(*document) == extended_resource;
  });
  return found;
}

std::shared_ptr<const Document> CachedQuotaLookups::PodOfClaim(const Document& document) const {
  const auto claim = ViewAs<dra::ResourceClaim>(document);
  if (!claim) return nullptr;
  const views::meta_v1::OwnerReference owner = PodOwnerOf(*claim);
  if (owner.AsValue() == nullptr) return nullptr;
  const std::string_view name_space = claim->metadata().namespace_();
  const EntryRef entry = FindInCache(pods_, name_space, owner.name());
  if (!entry) return nullptr;
  Result<Document> decoded = Decode(*entry);
  if (!decoded) return nullptr;
  const auto pod = std::make_shared<const Document>(std::move(*decoded));
  const core::Pod view(*pod);
  if (view.metadata().uid() != owner.uid()) return nullptr;
  const std::string_view name = claim->metadata().name();
  if (view.status().has_extended_resource_claim_status()) {
    const auto status = view.status().extended_resource_claim_status();
    return status.resource_claim_name() == name ? pod : nullptr;
  }
  // Until the pod says which claim is its own, it is the oldest one.
  bool is_oldest = true;
  ForEachInCachedNamespace(claims_, name_space, [&](const CacheEntry& other_entry) {
    const Result<Document> other_document = Decode(other_entry);
    const auto other = other_document ? ViewAs<dra::ResourceClaim>(*other_document) : std::nullopt;
    if (!other || PodOwnerOf(*other).uid() != owner.uid()) return true;
    is_oldest = !IsOlderClaim(*other, *claim);
    return is_oldest;
  });
  return is_oldest ? pod : nullptr;
}

}  // namespace skiff

// What quotas need to know of device classes and pods, from the watch caches.
#pragma once

#include "apiserver/rest/storage_set.h"
#include "quota/evaluator.h"

namespace skiff::apiserver {

class CachedQuotaLookups final : public quota::QuotaLookups {
 public:
  explicit CachedQuotaLookups(const StorageSet& storages);

  std::string ExtendedResourceOf(std::string_view device_class) const override;
  bool HasDeviceClass(std::string_view extended_resource) const override;
  std::shared_ptr<const object::Document> PodOfClaim(const object::Document& claim) const override;

 private:
  // Each may be null: not served.
  ResourceStorage* pods_;
  ResourceStorage* claims_;
  ResourceStorage* classes_;
};

}  // namespace skiff::apiserver

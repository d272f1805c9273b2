// What evaluators of quotas need to know of device classes and pods, from informers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/informer.h"
#include "quota/evaluator.h"

namespace skiff {

// Nothing is known of what has no informer. Belongs to the executor of the informers.
class InformedQuotaLookups final : public QuotaLookups {
 public:
  std::string ExtendedResourceOf(std::string_view device_class) const override;
  bool HasDeviceClass(std::string_view extended_resource) const override;
  std::shared_ptr<const Document> PodOfClaim(const Document& claim) const override;

  // Each may be null.
  Informer* classes = nullptr;
  const Informer* claims = nullptr;
  const Informer* pods = nullptr;
};

}  // namespace skiff

// What evaluators of quotas need to know of device classes and pods, from informers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/informer.h"
#include "quota/evaluator.h"

namespace skiff::controllers {

// Nothing is known of what has no informer. Belongs to the executor of the informers.
class InformedQuotaLookups final : public quota::QuotaLookups {
 public:
  std::string ExtendedResourceOf(std::string_view device_class) const override;
  bool HasDeviceClass(std::string_view extended_resource) const override;
  std::shared_ptr<const object::Document> PodOfClaim(const object::Document& claim) const override;

  // Each may be null.
  client::Informer* classes = nullptr;
  const client::Informer* claims = nullptr;
  const client::Informer* pods = nullptr;
};

}  // namespace skiff::controllers

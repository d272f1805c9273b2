// Custom resources as OpenAPI shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/extensions/custom_resources.h"
#include "apiserver/openapi/custom_kinds.h"

namespace skiff::apiserver {

class PublishedKinds final : public CustomKinds {
 public:
  // The resources outlive it.
  explicit PublishedKinds(const CustomResources& resources) : resources_(resources) {}

  std::vector<CustomGroupVersion> GroupVersions() const override;
  std::string FingerprintOf(std::string_view group, std::string_view version) const override;
  // Definitions are read from their bytes for it, one by one.
  bool WithKinds(std::string_view group, std::string_view version,
                 const Visit& visit) const override;

 private:
  const CustomResources& resources_;
};

}  // namespace skiff::apiserver

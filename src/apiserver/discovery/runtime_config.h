// --runtime-config: which API groups, versions and resources are served, beyond the defaults.
//
//   api/all=false, api/ga=…, api/beta=true, api/alpha=…   versions of that maturity
//   apps/v1=false                                         one version (core: v1, /v1, api/v1)
//   resource.k8s.io/v1beta2/devicetaintrules=true         one resource, whether its version is or
//   not
//
// Entries apply from the general to the particular, whatever order they stand in; of two for the
// same thing the last counts. What the schema does not have is an error, so that a slip does not
// go unnoticed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/resource.h"

namespace skiff::apiserver {

class RuntimeConfig {
 public:
  // "a=b,c=d" as on the command line; "a" alone is "a=true".
  static Result<RuntimeConfig> Parse(std::string_view text);

  // Adds another flag's entries; later ones win.
  Result<void> Add(std::string_view text);

  // Whether to serve a resource, feature gates aside.
  bool Serves(const object::ResourceDesc& resource) const;

 private:
  enum class Maturity : uint8_t { kAll, kGa, kBeta, kAlpha };
  static constexpr size_t kMaturities = 4;

  struct Choice {
    const object::GroupVersionInfo* version;
    const object::ResourceDesc* resource;  // null: the whole version
    bool enabled;
  };

  Result<void> AddEntry(std::string_view key, std::string_view value);
  Result<void> AddMaturity(Maturity maturity, std::string_view key, std::string_view value);
  const Choice* FindChoice(const object::GroupVersionInfo* version,
                           const object::ResourceDesc* resource) const;
  bool ServesVersion(const object::GroupVersionInfo& version) const;

  enum class Setting : uint8_t { kUnset, kOff, kOn };
  Setting maturities_[kMaturities] = {};
  std::vector<Choice> choices_;
};

}  // namespace skiff::apiserver

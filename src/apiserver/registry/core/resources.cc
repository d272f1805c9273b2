#include "apiserver/registry/core/resources.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/validation/common.h"
#include "object/scalar/names.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

namespace {

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kRequestsPrefix = "requests.";

constexpr std::string_view kCountedResources[] = {
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
    "persistentvolumeclaims",
};

bool IsContainerResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

bool IsCounted(std::string_view name) {
  return std::ranges::find(kCountedResources, name) != std::end(kCountedResources);
}

bool MayBeOvercommitted(std::string_view name) {
  return IsNativeResource(name) && !IsHugePageResource(name);
}

bool IsComputeResource(std::string_view name) { return name == "cpu" || name == "memory"; }

void ValidatePodLevelResourceName(std::string_view name, FieldErrors& errors) {
  const size_t before = errors.size();
  ValidateResourceName(name, errors);
  if (errors.size() != before) return;
  if (!IsComputeResource(name) && !IsHugePageResource(name)) {
    errors.NotSupported("", name, {"cpu", "hugepages-", "memory"});
  }
}

void ValidateHugePages(std::string_view name, std::string_view quantity, const PodOptions& options,
                       FieldErrors& errors) {
  if (options.allow_indivisible_huge_pages || IsDivisibleHugePageAmount(name, quantity)) return;
  errors.Invalid(
      "", quantity,
      std::string(quantity) + " is not positive integer multiple of " + std::string(name));
}

void ValidateRequestAgainstLimit(std::string_view name, std::string_view request,
                                 const object::MapView<std::string_view>& limits,
                                 FieldErrors& errors) {
  const std::optional<std::string_view> limit = limits.Find(name);
  if (!limit) {
    if (!MayBeOvercommitted(name)) {
      errors.Required("limits", "Limit must be set for non overcommitable resources");
    }
    return;
  }
  if (*limit == request) return;
  const int order = ParsedQuantity(request).Compare(ParsedQuantity(*limit));
  if (order != 0 && !MayBeOvercommitted(name)) {
    errors.Invalid("requests", request,
                   "must be equal to " + std::string(name) + " limit of " + std::string(*limit));
  } else if (order > 0) {
    errors.Invalid(
        "requests", request,
        "must be less than or equal to " + std::string(name) + " limit of " + std::string(*limit));
  }
}

std::string WhichClaims(const SeenNames& claims) {
  const std::vector<std::string_view> names = claims.Sorted();
  std::string out = "must be one of the names in pod.spec.resourceClaims";
  if (names.empty()) return out + " which is empty";
  for (size_t i = 0; i < names.size(); ++i) {
    (out += i == 0 ? ": " : ", ") += names[i];
  }
  return out;
}

// A claim may be used as a whole, or some of its requests may be, each once.
void ValidateClaimsOfContainer(const object::ListView<core::ResourceClaim>& used,
                               const SeenNames& claims, FieldErrors& errors) {
  SeenNames whole;
  std::set<std::pair<std::string_view, std::string_view>> requests;
  for (size_t i = 0; i < used.size(); ++i) {
    const auto at = errors.At("claims", i);
    const std::string_view name = used[i].name();
    const std::string_view request = used[i].request();
    if (name.empty()) {
      errors.Required("");
      continue;
    }
    if (whole.Has(name)) {
      errors.Duplicate("", name);
    } else if (request.empty()) {
      whole.Add(name);
      // Once for each of its requests that is used.
      for (auto each = requests.lower_bound({name, {}});
           each != requests.end() && each->first == name; ++each) {
        errors.Duplicate("", name);
      }
    } else {
      ValidateFormat(kDnsLabelFormat, request, "request", errors);
      if (!requests.emplace(name, request).second) {
        errors.Duplicate("", std::string(name) + "/" + std::string(request));
      }
    }
    if (!claims.Has(name)) {
      // There may be as many names to list as there are faults.
      errors.NotFound("", name, errors.full() ? std::string() : WhichClaims(claims));
    }
  }
}

using ValidateName = void (*)(std::string_view, FieldErrors&);

void ValidateRequirements(const core::ResourceRequirements& resources, const SeenNames& claims,
                          ValidateName validate_name, const PodOptions& options,
                          FieldErrors& errors) {
  bool has_compute = false;
  bool has_huge_pages = false;
  const auto validate = [&](std::string_view list, std::string_view name,
                            std::string_view quantity) {
    has_compute |= IsComputeResource(name);
    const auto at = errors.AtKey(list, name);
    if (!IsComputeResource(name)) validate_name(name, errors);
    ValidateResourceQuantity(name, quantity, errors);
  };
  const auto limits = resources.limits();
  for (const auto& [name, quantity] : limits) {
    validate("limits", name, quantity);
    if (!IsHugePageResource(name)) continue;
    has_huge_pages = true;
    const auto at = errors.AtKey("limits", name);
    ValidateHugePages(name, quantity, options, errors);
  }
  for (const auto& [name, quantity] : resources.requests()) {
    validate("requests", name, quantity);
    ValidateRequestAgainstLimit(name, quantity, limits, errors);
    if (!IsHugePageResource(name)) continue;
    has_huge_pages = true;
    const auto at = errors.AtKey("requests", name);
    ValidateHugePages(name, quantity, options, errors);
  }
  if (has_huge_pages && !has_compute) errors.Forbidden("", "HugePages require cpu or memory");
  ValidateClaimsOfContainer(resources.claims(), claims, errors);
}

}  // namespace

bool IsHugePageResource(std::string_view name) { return name.starts_with(kHugePages); }

bool IsNativeResource(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with(kRequestsPrefix)) return false;
  return object::IsQualifiedName(std::string(kRequestsPrefix) + std::string(name));
}

bool IsStandardResource(std::string_view name) {
  if (IsHugePageResource(name) || IsCounted(name) || name == "storage") return true;
  if (name == "requests.storage" || name.starts_with("requests.hugepages-")) return true;
  for (const std::string_view prefix :
       {std::string_view(), kRequestsPrefix, std::string_view("limits.")}) {
    if (name.starts_with(prefix) && IsContainerResource(name.substr(prefix.size()))) return true;
  }
  return false;
}

bool IsIntegerResource(std::string_view name) {
  return IsCounted(name) || IsExtendedResource(name);
}

bool IsDivisibleHugePageAmount(std::string_view name, std::string_view quantity) {
  const Result<object::Quantity> page = object::Quantity::Parse(name.substr(kHugePages.size()));
  if (!page || page->Sign() <= 0 || page->MilliValue() % 1000 != 0) return false;
  return ParsedQuantity(quantity).Value() % page->Value() == 0;
}

void ValidateResourceName(std::string_view name, FieldErrors& errors) {
  if (!object::IsQualifiedName(name)) return ValidateFormat(kQualifiedNameFormat, name, "", errors);
  if (name.find('/') == std::string_view::npos && !IsStandardResource(name)) {
    errors.Invalid("", name, "must be a standard resource type or fully qualified");
  }
}

void ValidateContainerResourceName(std::string_view name, FieldErrors& errors) {
  ValidateResourceName(name, errors);
  if (name.find('/') == std::string_view::npos) {
    if (!IsContainerResource(name) && !IsHugePageResource(name)) {
      errors.Invalid("", name, "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    errors.Invalid("", name, "doesn't follow extended resource name standard");
  }
}

void ValidateResourceQuantity(std::string_view name, std::string_view quantity,
                              FieldErrors& errors) {
  ValidateNonNegativeQuantity(quantity, "", errors);
  if (IsContainerResource(name) || !IsIntegerResource(name)) return;
  if (ParsedQuantity(quantity).MilliValue() % 1000 != 0) {
    errors.Invalid("", quantity, "must be an integer");
  }
}

void ValidatePodLevelResources(const core::ResourceRequirements& resources, const SeenNames& claims,
                               const PodOptions& options, FieldErrors& errors) {
  ValidateRequirements(resources, claims, ValidatePodLevelResourceName, options, errors);
}

void ValidateContainerResources(const core::ResourceRequirements& resources,
                                const SeenNames& claims, const PodOptions& options,
                                FieldErrors& errors) {
  ValidateRequirements(resources, claims, ValidateContainerResourceName, options, errors);
}

void ValidateOverhead(const object::MapView<std::string_view>& overhead, const PodOptions& options,
                      FieldErrors& errors) {
  bool has_compute = false;
  bool has_huge_pages = false;
  for (const auto& [name, quantity] : overhead) {
    const auto at = errors.AtKey("limits", name);
    has_compute |= IsComputeResource(name);
    ValidateContainerResourceName(name, errors);
    ValidateResourceQuantity(name, quantity, errors);
    if (!IsHugePageResource(name)) continue;
    has_huge_pages = true;
    ValidateHugePages(name, quantity, options, errors);
  }
  if (has_huge_pages && !has_compute) errors.Forbidden("", "HugePages require cpu or memory");
}

void ValidatePodResourceClaims(const ResourceClaims& claims, bool is_static, FieldErrors& errors) {
  SeenNames names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const core::PodResourceClaim claim = claims[i];
    const auto at = errors.At("resourceClaims", i);
    if (is_static) {
      errors.ForbiddenAltogether("static pods do not support resource claims");
      continue;
    }
    if (claim.name().empty()) {
      errors.Required("name");
    } else if (!names.Add(claim.name())) {
      errors.Duplicate("name", claim.name());
    } else {
      ValidateFormat(kDnsLabelFormat, claim.name(), "name", errors);
    }
    const std::optional<std::string_view> name = claim.resource_claim_name();
    const std::optional<std::string_view> template_name = claim.resource_claim_template_name();
    if (name && template_name) {
      errors.Invalid("", claim.AsValue(),
                     "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                     "specified");
    }
    if (!name && !template_name) {
      errors.Invalid("", claim.AsValue(),
                     "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (name) ValidateFormat(kDnsSubdomainFormat, *name, "resourceClaimName", errors);
    if (template_name) {
      ValidateFormat(kDnsSubdomainFormat, *template_name, "resourceClaimTemplateName", errors);
    }
  }
}

}  // namespace skiff::apiserver

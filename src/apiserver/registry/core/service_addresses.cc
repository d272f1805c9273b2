#include "apiserver/registry/core/service_addresses.h"

#include <algorithm>
#include <string>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

using Texts = object::ListView<std::string_view>;

constexpr std::string_view kNone = "None";
constexpr std::string_view kStays = "may not change once set";

ShownValue ShownIps(const core::ServiceSpec& spec) {
  const object::Value* value = spec.AsValue();
  return ShownValue(value != nullptr ? value->Member(core::ServiceSpec::kClusterIPs) : nullptr);
}

ShownValue ShownFamilies(const core::ServiceSpec& spec) {
  const object::Value* value = spec.AsValue();
  return ShownValue(value != nullptr ? value->Member(core::ServiceSpec::kIpFamilies) : nullptr);
}

ShownValue ShownPolicy(const core::ServiceSpec& spec) {
  const std::optional<std::string_view> policy = spec.ip_family_policy();
  return policy ? ShownValue(*policy) : ShownNull();
}

bool IsV6(std::string_view text) {
  const std::optional<IpAddress> address = ReadIp(text);
  return address && !address->is_v4();
}

void ValidateFamilies(const core::ServiceSpec& spec, FieldErrors& errors) {
  SeenNames seen;
  for (size_t i = 0; i < spec.ip_families().size(); ++i) {
    const auto at = errors.At("ipFamilies", i);
    const std::string_view family = spec.ip_families()[i];
    ValidateOneOf(family, {"IPv4", "IPv6"}, "", errors);
    if (!seen.Add(family)) errors.Duplicate("", family);
  }
  if (spec.ip_family_policy()) {
    ValidateOneOf(*spec.ip_family_policy(), {"PreferDualStack", "RequireDualStack", "SingleStack"},
                  "ipFamilyPolicy", errors);
  }
}

// False when some are no addresses.
bool ValidateIps(const core::ServiceSpec& spec, const Texts& known, FieldErrors& errors) {
  const Texts ips = spec.cluster_ips();
  const SeenNames known_ips = SeenNames::Of(known);
  bool readable = true;
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i == 0 && ips[i] == kNone) {
      if (ips.size() == 1) continue;
      readable = false;
      errors.Invalid("clusterIPs", ShownIps(spec), "'None' must be the first and only value");
      continue;
    }
    if (known_ips.Has(ips[i])) continue;
    const auto at = errors.At("clusterIPs", i);
    readable &= CheckOldIp(ips[i], "", errors);
  }
  if (ips.size() > 2) {
    errors.Invalid("clusterIPs", ShownIps(spec), "may only hold up to 2 values");
  }
  return readable;
}

void ValidateFamiliesOfIps(const core::ServiceSpec& spec, FieldErrors& errors) {
  const Texts ips = spec.cluster_ips();
  const Texts families = spec.ip_families();
  if (ips.size() > 1) {
    const auto is_v6 = [](std::string_view ip) { return IsV6(ip); };
    const auto six = std::count_if(ips.begin(), ips.end(), is_v6);
    if (six == 0 || six == static_cast<std::ptrdiff_t>(ips.size())) {
      errors.Invalid("clusterIPs", ShownIps(spec),
                     "may specify no more than one IP for each IP family");
    }
  }
  if (IsHeadless(spec)) return;
  for (size_t i = 0; i < std::min(ips.size(), families.size()); ++i) {
    const bool wants_v6 = families[i] == "IPv6";
    if ((!wants_v6 && families[i] != "IPv4") || wants_v6 == IsV6(ips[i])) continue;
    const auto at = errors.At("clusterIPs", i);
    errors.Invalid("", ips[i],
                   "expected an " + std::string(families[i]) + " value as indicated by " +
                       "`ipFamilies[" + std::to_string(i) + "]`");
  }
}

void ValidateReleased(const core::ServiceSpec& spec, std::string_view why, FieldErrors& errors) {
  if (spec.ip_family_policy() == "SingleStack") return;
  errors.Invalid("ipFamilyPolicy", ShownPolicy(spec), why);
}

void ValidateIpChange(const core::ServiceSpec& spec, const core::ServiceSpec& old,
                      FieldErrors& errors) {
  if (IsHeadless(spec) && IsHeadless(old)) return;
  const Texts now = spec.cluster_ips();
  const Texts before = old.cluster_ips();
  if (now.size() == before.size()) {
    for (size_t i = 0; i < now.size(); ++i) {
      const auto at = errors.At("clusterIPs", i);
      if (now[i] != before[i]) errors.Invalid("", ShownIps(spec), kStays);
    }
    return;
  }
  if (now.empty()) {
    errors.Invalid("clusterIPs[0]", ShownIps(spec), "primary clusterIP can not be unset");
  } else if (!before.empty() && now[0] != before[0]) {
    errors.Invalid("clusterIPs[0]", ShownIps(spec), kStays);
  }
  if (before.size() > now.size() && now.size() == 1) {
    ValidateReleased(spec, "must be set to 'SingleStack' when releasing the secondary clusterIP",
                     errors);
  }
}

void ValidateFamilyChange(const core::ServiceSpec& spec, const core::ServiceSpec& old,
                          FieldErrors& errors) {
  if (IsHeadless(spec) || IsHeadless(old)) return;
  const Texts now = spec.ip_families();
  const Texts before = old.ip_families();
  if (now.size() == before.size()) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] != before[i]) errors.Invalid("ipFamilies[0]", ShownFamilies(spec), kStays);
    }
    return;
  }
  if (before.size() > now.size() && spec.cluster_ips().empty()) {
    errors.Invalid("ipFamilies[0]", ShownFamilies(spec), "primary ipFamily can not be unset");
  }
  if (!now.empty() && !before.empty() && now[0] != before[0]) {
    errors.Invalid("ipFamilies[0]", ShownIps(spec), kStays);
  }
  if (before.size() > now.size() && now.size() == 1) {
    ValidateReleased(spec, "must be set to 'SingleStack' when releasing the secondary ipFamily",
                     errors);
  }
}

}  // namespace

bool IsHeadless(const core::ServiceSpec& spec) {
  return spec.cluster_ips().size() == 1 && spec.cluster_ips()[0] == kNone;
}

void ValidateClusterAddresses(const core::ServiceSpec& spec, const core::ServiceSpec& old,
                              FieldErrors& errors) {
  if (spec.type() == "ExternalName") return;
  const Texts ips = spec.cluster_ips();
  if (spec.cluster_ip().empty()) {
    if (!ips.empty()) {
      errors.Invalid("clusterIPs", ShownIps(spec),
                     "must be empty when `clusterIP` is not specified");
    }
  } else if (ips.empty()) {
    errors.Required("clusterIPs");
  } else if (ips[0] != spec.cluster_ip()) {
    errors.Invalid("clusterIPs", ShownIps(spec), "first value must match `clusterIP`");
  }
  ValidateFamilies(spec, errors);
  if (ValidateIps(spec, old.cluster_ips(), errors)) ValidateFamiliesOfIps(spec, errors);
}

void ValidateClusterAddressChange(const core::ServiceSpec& spec, const core::ServiceSpec& old,
                                  FieldErrors& errors) {
  if (spec.type() == "ExternalName" || old.type() == "ExternalName") return;
  ValidateIpChange(spec, old, errors);
  ValidateFamilyChange(spec, old, errors);
}

}  // namespace skiff::apiserver

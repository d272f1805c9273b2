// How ipFamilyPolicy and ipFamilies of a service are filled in (service_fields.h).
#include "apiserver/registry/core/service_families.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/validation/seen_names.h"
#include "base/ip_address.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kPolicyPath = "spec.ipFamilyPolicy";

using Causes = std::vector<StatusCause>;

std::string At(std::string_view path, size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

StatusCause NotSupported(std::string field, std::string_view value, std::string_view supported) {
  return {"FieldValueNotSupported",
          "Unsupported value: " + object::JsonText(value) +
              ": supported values: " + std::string(supported),
          std::move(field)};
}

void CheckJoined(const ServiceFields& service, Causes& causes) {
  const std::vector<std::string>& ips = service.cluster_ips;
  if (service.cluster_ip.empty()) {
    if (!ips.empty()) {
      causes.push_back(InvalidField("spec.clusterIPs", TextsJson(ips),
                                    "must be empty when `clusterIP` is not specified"));
    }
  } else if (ips.empty()) {
    causes.push_back(RequiredField("spec.clusterIPs", ""));
  } else if (ips[0] != service.cluster_ip) {
    causes.push_back(
        InvalidField("spec.clusterIPs", TextsJson(ips), "first value must match `clusterIP`"));
  }
}

void CheckChoices(const ServiceFields& service, Causes& causes) {
  SeenNames seen;
  for (size_t i = 0; i < service.families.size(); ++i) {
    const std::string& family = service.families[i];
    if (family != kIpv4Family && family != kIpv6Family) {
      causes.push_back(NotSupported(At("spec.ipFamilies", i), family, R"("IPv4", "IPv6")"));
    }
    if (!seen.Add(family)) {
      causes.push_back({"FieldValueDuplicate", "Duplicate value: " + object::JsonText(family),
                        At("spec.ipFamilies", i)});
    }
  }
  if (service.policy && *service.policy != "SingleStack" && *service.policy != "PreferDualStack" &&
      *service.policy != "RequireDualStack") {
    causes.push_back(NotSupported(std::string(kPolicyPath), *service.policy,
                                  R"("PreferDualStack", "RequireDualStack", "SingleStack")"));
  }
}

// False: one of them is not an address, so nothing more can be said about them.
bool CheckAddresses(const ServiceFields& service, const ServiceFields* old, Causes& causes) {
  const std::vector<std::string>& ips = service.cluster_ips;
  const SeenNames known = old != nullptr ? SeenNames::Of(old->cluster_ips) : SeenNames();
  bool valid = true;
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i == 0 && ips[i] == kHeadless) {
      if (ips.size() == 1) continue;
      valid = false;
      causes.push_back(InvalidField("spec.clusterIPs", TextsJson(ips),
                                    "'None' must be the first and only value"));
      continue;
    }
    if (known.Has(ips[i]) || IpAddress::Parse(ips[i])) continue;
    valid = false;
    causes.push_back(InvalidField(At("spec.clusterIPs", i), object::JsonText(ips[i]),
                                  "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  }
  if (ips.size() > 2) {
    causes.push_back(
        InvalidField("spec.clusterIPs", TextsJson(ips), "may only hold up to 2 values"));
  }
  return valid;
}

// Whether the fields can stand together at all.
Causes CheckTogether(const ServiceFields& service, const ServiceFields* old) {
  Causes causes;
  CheckJoined(service, causes);
  CheckChoices(service, causes);
  if (!CheckAddresses(service, old, causes)) return causes;
  const std::vector<std::string>& ips = service.cluster_ips;
  if (ips.size() > 1) {
    bool both = false;
    for (const std::string& each : ips) both |= FamilyOf(each) != FamilyOf(ips[0]);
    if (!both) {
      causes.push_back(InvalidField("spec.clusterIPs", TextsJson(ips),
                                    "may specify no more than one IP for each IP family"));
    }
  }
  if (service.headless()) return causes;
  for (size_t i = 0; i < std::min(ips.size(), service.families.size()); ++i) {
    const std::string& family = service.families[i];
    if (FamilyOf(ips[i]) == family || (family != kIpv4Family && family != kIpv6Family)) continue;
    causes.push_back(InvalidField(
        At("spec.clusterIPs", i), object::JsonText(ips[i]),
        "expected an " + family + " value as indicated by `" + At("ipFamilies", i) + "`"));
  }
  return causes;
}

void FillPolicy(ServiceFields& service, const ServiceFields* old) {
  if (service.policy) return;
  if (old != nullptr && old->policy) {
    service.policy = old->policy;
  } else if (service.cluster_ip == kHeadless && !service.has_selector) {
    service.policy = "RequireDualStack";
  } else {
    service.policy = "SingleStack";
  }
}

// An update may give the secondary address or family up, but must say that it wants to.
void ApplyReduction(ServiceFields& service, const ServiceFields& old, Causes& causes) {
  if (*service.policy == "SingleStack") {
    if (service.cluster_ips == old.cluster_ips && service.cluster_ips.size() > 1) {
      service.cluster_ips.resize(1);
    }
    if (service.families == old.families && service.families.size() > 1) {
      service.families.resize(1);
    }
    return;
  }
  const std::string shown = object::JsonText(*service.policy);
  if (!service.cluster_ips.empty() && service.cluster_ips.size() < old.cluster_ips.size()) {
    causes.push_back(InvalidField(std::string(kPolicyPath), shown,
                                  "must be 'SingleStack' to release the secondary cluster IP"));
  }
  if (!service.families.empty() && service.families.size() < old.families.size()) {
    causes.push_back(InvalidField(std::string(kPolicyPath), shown,
                                  "must be 'SingleStack' to release the secondary IP family"));
  }
}

bool Has(const ServiceFamilies& families, std::string_view family) {
  return std::ranges::find(families, family) != families.end();
}

// A single-stack service has one of each; families follow from addresses.
void InferFamilies(ServiceFields& service, const ServiceFamilies& families, Causes& causes) {
  if (*service.policy == "SingleStack") {
    const std::string why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
    if (service.cluster_ips.size() == 2) {
      causes.push_back(InvalidField(std::string(kPolicyPath), object::JsonText(*service.policy),
                                    why + "cluster IPs are specified"));
    }
    if (service.families.size() == 2) {
      causes.push_back(InvalidField(std::string(kPolicyPath), object::JsonText(*service.policy),
                                    why + "IP families are specified"));
    }
  }
  for (size_t i = 0; i < service.cluster_ips.size(); ++i) {
    if (service.cluster_ips[i] == kHeadless) break;
    if (i < service.families.size()) continue;
    const std::string_view family = FamilyOf(service.cluster_ips[i]);
    if (Has(families, family)) {
      service.families.emplace_back(family);
    } else {
      causes.push_back(InvalidField(At("spec.clusterIPs", i), TextsJson(service.cluster_ips),
                                    std::string(family) + " is not configured on this cluster"));
    }
  }
}

void AddOtherFamily(ServiceFields& service) {
  service.families.emplace_back(service.families[0] == kIpv4Family ? kIpv6Family : kIpv4Family);
}

}  // namespace

Causes FillFamilies(ServiceFields& service, const ServiceFields* old,
                    const ServiceFamilies& families) {
  if (service.external_name()) return {};
  if (old != nullptr && KeepsDualStack(service, *old)) return {};
  FillPolicy(service, old);
  Causes causes = CheckTogether(service, old);
  if (!causes.empty()) return causes;
  if (old != nullptr) ApplyReduction(service, *old, causes);
  InferFamilies(service, families, causes);
  if (!causes.empty()) return causes;

  const bool single = *service.policy == "SingleStack";
  // Whoever writes the endpoints of such a service decides of which families they are.
  if (service.cluster_ip == kHeadless && !service.has_selector) {
    if (service.families.empty()) service.families = {families.front()};
    if (service.families.size() < 2 && !single) AddOtherFamily(service);
    return {};
  }
  if (*service.policy == "RequireDualStack" && families.size() < 2) {
    causes.push_back(InvalidField(std::string(kPolicyPath), object::JsonText(*service.policy),
                                  "this cluster is not configured for dual-stack services"));
  }
  for (size_t i = 0; i < service.families.size(); ++i) {
    if (Has(families, service.families[i])) continue;
    causes.push_back(InvalidField(At("spec.ipFamilies", i), object::JsonText(service.families[i]),
                                  "not configured on this cluster"));
  }
  if (!causes.empty()) return causes;
  if (service.families.empty()) service.families = {families.front()};
  if (!single && service.families.size() == 1 && families.size() == 2) AddOtherFamily(service);
  return {};
}

}  // namespace skiff::apiserver

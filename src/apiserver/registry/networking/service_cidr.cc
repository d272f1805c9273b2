#include "apiserver/registry/networking/service_cidr.h"

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

ShownValue Shown(const networking::ServiceCIDRSpec& spec) {
  return ShownValue(MemberOf(spec, networking::ServiceCIDRSpec::kCidrs));
}

// At the spec.
void ValidateCidrs(const networking::ServiceCIDRSpec& spec, FieldErrors& errors) {
  const auto cidrs = spec.cidrs();
  if (cidrs.empty()) return errors.Required("cidrs", "at least one CIDR required");
  if (cidrs.size() > 2) {
    return errors.Invalid("cidrs", ShownValue(spec.AsValue()), "may only hold up to 2 values");
  }
  for (size_t i = 0; i < cidrs.size(); ++i) {
    const auto at = errors.At("cidrs", i);
    CheckCidr(cidrs[i], "", errors);
  }
  if (cidrs.size() < 2) return;
  const std::optional<IpRange> first = ReadCidr(cidrs[0]);
  const std::optional<IpRange> second = ReadCidr(cidrs[1]);
  if (first && second && first->is_v4() == second->is_v4()) {
    errors.Invalid("cidrs", Shown(spec),
                   "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                   "2001:db8::/64");
  }
}

void ValidateServiceCIDR(const object::Document& object, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateCidrs(networking::ServiceCIDR(object).spec(), errors);
}

void ValidateServiceCIDRUpdate(const object::Document& object, const object::Document& old,
                               FieldErrors& errors) {
  const networking::ServiceCIDRSpec spec = networking::ServiceCIDR(object).spec();
  const auto cidrs = spec.cidrs();
  const auto before = networking::ServiceCIDR(old).spec().cidrs();
  const auto at = errors.At("spec");
  const bool grows = before.size() == 1 && cidrs.size() == 2;
  if (before.size() != cidrs.size() && !grows) {
    return errors.Invalid("cidrs", Shown(spec), kIsImmutable);
  }
  for (size_t i = 0; i < before.size(); ++i) {
    const auto cidr = errors.At("cidrs", i);
    if (before[i] != cidrs[i]) errors.Invalid("", cidrs[i], kIsImmutable);
  }
  if (grows) ValidateCidrs(spec, errors);
}

}  // namespace

constinit const KindRules kServiceCIDRRules = {.group = "networking.k8s.io",
                                               .kind = "ServiceCIDR",
                                               .create = ValidateServiceCIDR,
                                               .update = ValidateServiceCIDRUpdate};

}  // namespace skiff::apiserver

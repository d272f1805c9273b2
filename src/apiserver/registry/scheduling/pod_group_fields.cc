#include "apiserver/registry/scheduling/pod_group_fields.h"

#include <string>

#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"

namespace skiff::apiserver {
namespace {

namespace scheduling = views::scheduling_k8s_io_v1alpha2;

constexpr size_t kMaxTopologies = 1;
constexpr size_t kMaxClaims = 4;
constexpr int32_t kHighestUserPriority = 1000000000;

void ValidateClaim(const scheduling::PodGroupResourceClaim& claim, FieldErrors& errors) {
  ValidateRequiredFormat(kDnsLabelFormat, claim.name(), "name", errors);
  const std::optional<std::string_view> name = claim.resource_claim_name();
  const std::optional<std::string_view> made_of = claim.resource_claim_template_name();
  if (name && made_of) {
    errors.Invalid("", "{resourceClaimName, resourceClaimTemplateName}",
                   "must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`");
  } else if (!name && !made_of) {
    errors.Invalid("", "", "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  if (name) ValidateFormat(kDnsSubdomainFormat, *name, "resourceClaimName", errors);
  if (made_of) ValidateFormat(kDnsSubdomainFormat, *made_of, "resourceClaimTemplateName", errors);
}

}  // namespace

void ValidateSchedulingPolicy(const scheduling::PodGroupSchedulingPolicy& policy,
                              FieldErrors& errors) {
  const auto at = errors.At("schedulingPolicy");
  if (policy.has_basic() && policy.has_gang()) {
    errors.Invalid("", "{basic, gang}", "must specify exactly one of: `basic`, `gang`");
  } else if (!policy.has_basic() && !policy.has_gang()) {
    errors.Invalid("", "", "must specify one of: `basic`, `gang`");
  }
  if (!policy.has_gang()) return;
  if (policy.gang().min_count() == 0) {
    errors.Required("gang.minCount");
  } else if (policy.gang().min_count() < 1) {
    errors.Invalid("gang.minCount", policy.gang().min_count(),
                   "must be greater than or equal to 1");
  }
}

void ValidateSchedulingConstraints(const scheduling::PodGroupSchedulingConstraints& constraints,
                                   FieldErrors& errors) {
  const auto at = errors.At("schedulingConstraints");
  const auto topology = constraints.topology();
  if (topology.size() > kMaxTopologies) {
    return errors.TooMany("topology", topology.size(), kMaxTopologies);
  }
  for (size_t i = 0; i < topology.size(); ++i) {
    const auto item = errors.At("topology", i);
    ValidateRequiredFormat(kQualifiedNameFormat, topology[i].key(), "key", errors);
  }
}

void ValidateGroupClaims(const object::ListView<scheduling::PodGroupResourceClaim>& claims,
                         FieldErrors& errors) {
  if (claims.size() > kMaxClaims) {
    return errors.TooMany("resourceClaims", claims.size(), kMaxClaims);
  }
  SeenNames names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto at = errors.At("resourceClaims", i);
    if (!names.Add(claims[i].name())) errors.Duplicate("", ShownValue(claims[i].AsValue()));
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto at = errors.At("resourceClaims", i);
    ValidateClaim(claims[i], errors);
  }
}

void ValidateGroupPriority(std::optional<std::string_view> mode, std::string_view class_name,
                           std::optional<int32_t> priority, FieldErrors& errors) {
  if (mode) ValidateOneOf(*mode, {"Pod", "PodGroup"}, "disruptionMode", errors);
  if (!class_name.empty()) {
    ValidateFormat(kDnsSubdomainFormat, class_name, "priorityClassName", errors);
  }
  if (priority && *priority > kHighestUserPriority) {
    errors.Invalid("priority", *priority, "must be less than or equal to 1000000000");
  }
}

}  // namespace skiff::apiserver

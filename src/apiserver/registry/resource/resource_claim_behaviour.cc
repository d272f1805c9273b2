#include "apiserver/registry/resource/resource_claim_behaviour.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apiserver/authz/authorize_now.h"
#include "apiserver/registry/kind_strategy.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/value_fields.h"
#include "serving/auth/forbidden.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

// --- admin access

constexpr std::string_view kAdminLabel = "resource.kubernetes.io/admin-access";

void CheckAdminLabel(const FindNamespace& find_namespace, std::string_view name_space,
                     const std::string& place, FieldErrors& errors) {
  const Result<object::Document> found = find_namespace(name_space);
  if (!found) {
    return errors.Internal(
        place, "could not retrieve namespace to verify admin access: " + found.error().message());
  }
  const object::Value* metadata = found->root().Find("metadata");
  const object::Value* labels = metadata != nullptr ? metadata->Find("labels") : nullptr;
  const object::Value* label = labels != nullptr ? labels->Find(kAdminLabel) : nullptr;
  if (label != nullptr && label->AsText() == "true") return;
  errors.Forbidden(place, "admin access to devices requires the `" + std::string(kAdminLabel) +
                              ": true` label on the containing namespace");
}

void CheckRequests(const resource::DeviceClaim& devices, const FindNamespace& find_namespace,
                   std::string_view name_space, FieldErrors& errors) {
  const auto requests = devices.requests();
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].exactly().admin_access().value_or(false)) continue;
    return CheckAdminLabel(find_namespace, name_space,
                           "spec.devices.requests[" + std::to_string(i) + "].adminAccess", errors);
  }
}

// The place of the first result that gives admin access; empty: none does.
std::string AdminPlaceOf(const resource::ResourceClaimStatus& status) {
  const auto results = status.allocation().devices().results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].admin_access().value_or(false)) continue;
    return "status.allocation.devices.results[" + std::to_string(i) + "].adminAccess";
  }
  return {};
}

// --- what is reported of devices

using DeviceKey =
    std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
DeviceKey KeyOf(const resource::AllocatedDeviceStatus& device) {
  return {device.driver(), device.pool(), device.device(), device.share_id().value_or("")};
}

// The drivers of whose devices something else is reported now, sorted.
std::set<std::string_view> ChangedDrivers(const resource::ResourceClaimStatus& old,
                                          const resource::ResourceClaimStatus& now) {
  std::map<DeviceKey, const object::Value*> before;
  for (const resource::AllocatedDeviceStatus each : old.devices()) {
    before[KeyOf(each)] = each.AsValue();
  }
  std::set<std::string_view> changed;
  for (const resource::AllocatedDeviceStatus each : now.devices()) {
    const auto found = before.extract(KeyOf(each));
    if (found.empty() || !SameValue(found.mapped(), each.AsValue())) changed.insert(each.driver());
  }
  for (const auto& [key, value] : before) changed.insert(std::get<0>(key));
  return changed;
}

// The one node that the devices are on; empty if that is not said so plainly.
std::string_view NodeOf(const resource::AllocationResult& allocation) {
  const auto terms = allocation.node_selector().node_selector_terms();
  if (terms.size() != 1 || !terms[0].match_expressions().empty()) return {};
  const auto fields = terms[0].match_fields();
  if (fields.size() != 1 || fields[0].key() != "metadata.name" || fields[0].operator_() != "In" ||
      fields[0].values().size() != 1) {
    return {};
  }
  return fields[0].values()[0];
}

bool IsServiceAccountOn(const serving::UserInfo& user, std::string_view node) {
  if (node.empty() || !user.name.starts_with("system:serviceaccount:")) return false;
  for (const auto& [key, values] : user.extra) {
    if (key != "authentication.kubernetes.io/node-name") continue;
    return values.size() == 1 && values[0] == node && object::IsDns1123Subdomain(values[0]);
  }
  return false;
}

serving::AccessAttributes Attributes(const WriteContext& write, std::string_view verb,
                                     std::string_view subresource, std::string_view name_space,
                                     std::string_view name) {
  return {.user = write.user,
          .verb = verb,
          .is_resource = true,
          .group = write.resource.version->desc->group,
          .version = write.resource.version->desc->version,
          .resource = write.resource.name,
          .subresource = subresource,
          .name_space = name_space,
          .name = name,
          .path = {}};
}

// Empty: it is allowed; else what a request that is refused would be told.
std::string RefusalOf(serving::Authorizer& authorizer,
                      const serving::AccessAttributes& attributes) {
  const serving::AuthorizationResult answer = AuthorizeNow(authorizer, attributes);
  if (answer.decision == serving::Decision::kAllow) return {};
  std::string why = answer.evaluation_error;
  if (!answer.reason.empty()) why += (why.empty() ? "" : ": ") + answer.reason;
  return std::string(serving::ForbiddenStatus(attributes, why).message());
}

// --- devices that are given back

// What tells devices of a claim apart.
using SharedDeviceKey = std::tuple<std::string_view, std::string_view, std::string_view,
                                   std::optional<std::string_view>>;

template <typename Device>
SharedDeviceKey SharedKeyOf(const Device& device) {
  return {device.driver(), device.pool(), device.device(), device.share_id()};
}

std::set<SharedDeviceKey> AllocatedIn(const object::Document& claim) {
  std::set<SharedDeviceKey> out;
  const auto results = resource::ResourceClaim(claim).status().allocation().devices().results();
  for (const resource::DeviceRequestAllocationResult result : results)
    out.insert(SharedKeyOf(result));
  return out;
}

// A device that is given back takes its status with it.
void ForgetDevicesGivenBack(const object::Document& old, object::Document& object) {
  object::Value* status = object.root().Find("status");
  object::Value* devices = status != nullptr ? status->Find("devices") : nullptr;
  if (devices == nullptr) return;
  const std::set<SharedDeviceKey> before = AllocatedIn(old);
  const std::set<SharedDeviceKey> now = AllocatedIn(object);
  devices->EraseItemsIf([&](const object::Value& each) {
    const SharedDeviceKey device = SharedKeyOf(resource::AllocatedDeviceStatus(&each));
    return before.contains(device) && !now.contains(device);
  });
  if (devices->size() == 0) status->Erase("devices");
}

}  // namespace

Result<void> ResourceClaimBehaviour::PrepareForUpdate(WriteContext& write, object::Document& old,
                                                      object::Document& object) {
  if (write.subresource == "status") ForgetDevicesGivenBack(old, object);
  return {};
}

void ResourceClaimBehaviour::Check(WriteContext& write, const object::Document* old,
                                   const object::Document& object, bool, FieldErrors& errors) {
  const resource::ResourceClaim claim(object);
  if (old == nullptr) {
    CheckRequests(claim.spec().devices(), find_namespace_, claim.metadata().namespace_(), errors);
  } else if (write.subresource == "status") {
    CheckStatus(write, *old, object, errors);
  }
}

void ResourceClaimBehaviour::CheckStatus(const WriteContext& write, const object::Document& old,
                                         const object::Document& object, FieldErrors& errors) {
  const resource::ResourceClaim claim(object);
  const resource::ResourceClaimStatus status = claim.status();
  const resource::ResourceClaimStatus before = resource::ResourceClaim(old).status();
  const std::string place = AdminPlaceOf(status);
  if (!place.empty() && AdminPlaceOf(before).empty()) {
    CheckAdminLabel(find_namespace_, claim.metadata().namespace_(), place, errors);
  }
  if (write.user == nullptr || !errors.IsOn("DRAResourceClaimGranularStatusAuthorization")) return;
  const auto same = [&](std::string_view field) {
    return SameValue(FieldOf(status.AsValue(), field), FieldOf(before.AsValue(), field));
  };
  const bool is_bound_as_before = same("allocation") && same("reservedFor");
  if (!is_bound_as_before) CheckBinding(write, errors);
  // What goes with the allocation goes without asking.
  if (errors.IsOn("DRAResourceClaimDeviceStatus") && status.has_allocation()) {
    CheckDevices(write, old, object, errors);
  }
}

void ResourceClaimBehaviour::CheckBinding(const WriteContext& write, FieldErrors& errors) {
  const std::string refusal =
      RefusalOf(authorizer_, Attributes(write, write.verb, "binding", "", ""));
  if (refusal.empty()) return;
  errors.Forbidden("status.allocation",
                   "changing status.allocation or status.reservedFor requires "
                   "resource=\"resourceclaims/binding\", verb=\"" +
                       std::string(write.verb) + "\" permission: " + refusal);
}

void ResourceClaimBehaviour::CheckDevices(const WriteContext& write, const object::Document& old,
                                          const object::Document& object, FieldErrors& errors) {
  const resource::ResourceClaim claim(object);
  const auto drivers = ChangedDrivers(resource::ResourceClaim(old).status(), claim.status());
  if (drivers.empty()) return;
  std::vector<std::string> verbs{"arbitrary-node:" + std::string(write.verb)};
  if (IsServiceAccountOn(*write.user, NodeOf(claim.status().allocation()))) {
    verbs.insert(verbs.begin(), "associated-node:" + std::string(write.verb));
  }
  std::string all = verbs[0];
  if (verbs.size() > 1) all += " " + verbs[1];
  for (const std::string_view driver : drivers) {
    // One of the verbs is enough; the first refusal is told.
    std::string refusal;
    bool is_allowed = false;
    for (size_t i = 0; i < verbs.size() && !is_allowed; ++i) {
      const std::string why =
          RefusalOf(authorizer_,
                    Attributes(write, verbs[i], "driver", claim.metadata().namespace_(), driver));
      is_allowed = why.empty();
      if (refusal.empty()) refusal = why;
    }
    if (is_allowed) continue;
    errors.Forbidden("status.devices",
                     "changing status.devices requires resource=\"resourceclaims/driver\", "
                     "verb=\"[" +
                         all + "]\" permission: " + refusal);
  }
}

void ResourceClaimTemplateBehaviour::Check(WriteContext&, const object::Document* old,
                                           const object::Document& object, bool,
                                           FieldErrors& errors) {
  if (old != nullptr) return;
  const resource::ResourceClaimTemplate claims(object);
  CheckRequests(claims.spec().spec().devices(), find_namespace_, claims.metadata().namespace_(),
                errors);
}

}  // namespace skiff::apiserver

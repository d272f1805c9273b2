#include "apiserver/registry/resource/resource_pool_status_request.h"

#include "apiserver/registry/core/volumes.h"
#include "apiserver/registry/resource/devices.h"
#include "views/resource.k8s.io/v1alpha3.h"

namespace skiff::apiserver {
namespace {

using Request = views::resource_k8s_io_v1alpha3::ResourcePoolStatusRequest;

constexpr int32_t kMaxLimit = 1000;
constexpr size_t kMaxPools = 1000;
constexpr size_t kMaxConditions = 10;

void ValidateRequest(const object::Document& object, FieldErrors& errors) {
  const auto spec = Request(object).spec();
  const auto at = errors.At("spec");
  ValidateCsiDriverName(spec.driver(), "driver", errors);
  if (spec.pool_name()) ValidatePoolName(*spec.pool_name(), "poolName", errors);
  if (spec.limit()) ValidateInRange(*spec.limit(), 1, kMaxLimit, "limit", errors);
}

void ValidateRequestUpdate(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  ValidateImmutable(old.root().Member(Request::kSpec), object.root().Member(Request::kSpec), "spec",
                    errors);
}

// An answer is given once.
void ValidateRequestStatus(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  if (Request(old).has_status()) {
    return ValidateImmutable(old.root().Member(Request::kStatus),
                             object.root().Member(Request::kStatus), "status", errors);
  }
  const auto status = Request(object).status();
  const auto at = errors.At("status");
  ValidateConditions(status.conditions(), "conditions", errors);
  if (status.pools().size() > kMaxPools) {
    errors.TooMany("pools", status.pools().size(), kMaxPools);
  }
  if (status.conditions().size() > kMaxConditions) {
    errors.TooMany("conditions", status.conditions().size(), kMaxConditions);
  }
}

}  // namespace

constinit const KindRules kResourcePoolStatusRequestRules = {.group = "resource.k8s.io",
                                                             .kind = "ResourcePoolStatusRequest",
                                                             .create = ValidateRequest,
                                                             .update = ValidateRequestUpdate,
                                                             .status = ValidateRequestStatus};

}  // namespace skiff::apiserver

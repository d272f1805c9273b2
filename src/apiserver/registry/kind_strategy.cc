#include "apiserver/registry/kind_strategy.h"

#include "apiserver/registry/core/node_behaviour.h"
#include "apiserver/registry/core/persistent_volume_behaviour.h"
#include "apiserver/registry/core/persistent_volume_claim_behaviour.h"
#include "apiserver/registry/core/service_account_behaviour.h"
#include "apiserver/registry/networking/service_cidr_behaviour.h"
#include "apiserver/registry/resource/device_taint_rule_behaviour.h"
#include "apiserver/registry/storage/csi_driver_behaviour.h"

namespace skiff::apiserver {
namespace {

constexpr const KindStrategy* kStrategies[] = {
    &kNodeStrategy,
    &kPersistentVolumeStrategy,
    &kPersistentVolumeClaimStrategy,
    &kServiceAccountStrategy,
    &kCSIDriverStrategy,
    &kServiceCIDRStrategy,
    &kDeviceTaintRuleStrategy,
};

}  // namespace

std::span<const KindStrategy* const> KindStrategies() { return kStrategies; }

}  // namespace skiff::apiserver

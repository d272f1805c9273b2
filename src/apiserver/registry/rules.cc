#include "apiserver/registry/rules.h"

#include <span>

#include "apiserver/registry/admissionregistration/rules.h"
#include "apiserver/registry/apiextensions/rules.h"
#include "apiserver/registry/apiregistration/rules.h"
#include "apiserver/registry/apps/rules.h"
#include "apiserver/registry/autoscaling/rules.h"
#include "apiserver/registry/batch/rules.h"
#include "apiserver/registry/certificates/rules.h"
#include "apiserver/registry/coordination/rules.h"
#include "apiserver/registry/core/rules.h"
#include "apiserver/registry/discovery/rules.h"
#include "apiserver/registry/flowcontrol/rules.h"
#include "apiserver/registry/internal/rules.h"
#include "apiserver/registry/networking/rules.h"
#include "apiserver/registry/node/rules.h"
#include "apiserver/registry/policy/rules.h"
#include "apiserver/registry/rbac/rules.h"
#include "apiserver/registry/resource/rules.h"
#include "apiserver/registry/scheduling/rules.h"
#include "apiserver/registry/storage/rules.h"
#include "apiserver/registry/storagemigration/rules.h"

namespace skiff {
namespace {

// One entry for each folder under src/apiserver/registry.
using RulesOfGroup = std::span<const KindRules> (*)();
constexpr RulesOfGroup kGroups[] = {
    AdmissionregistrationRules,
    ApiextensionsRules,
    ApiregistrationRules,
    AppsRules,
    AutoscalerRules,
    BatchRules,
    CertificatesRules,
    CoordinationRules,
    CoreRules,
    DiscoveryRules,
    FlowcontrolRules,
    InternalRules,
    NetworkingRules,
    NodeRules,
    PolicyRules,
    RbacRules,
    ResourceRules,
    SchedulingRules,
    StorageRules,
    StoragemigrationRules,
};

}  // namespace

const KindRules* FindRules(std::string_view group, std::string_view kind) {
  for (const RulesOfGroup rules : kGroups) {
    for (const KindRules& each : rules()) {
      if (each.group == group && each.kind == kind) return &each;
    }
  }
  return nullptr;
}

}  // namespace skiff

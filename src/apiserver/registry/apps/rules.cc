#include "apiserver/registry/apps/rules.h"

#include "apiserver/registry/apps/controller_revision.h"
#include "apiserver/registry/apps/daemon_set.h"
#include "apiserver/registry/apps/deployment.h"
#include "apiserver/registry/apps/replica_set.h"
#include "apiserver/registry/apps/stateful_set.h"

namespace skiff {

std::span<const KindRules> AppsRules() {
  static const KindRules kRules[] = {kDeploymentRules, kReplicaSetRules, kStatefulSetRules,
                                     kDaemonSetRules, kControllerRevisionRules};
  return kRules;
}

}  // namespace skiff

// What workloads become by being read: their templates do what pods do, and annotations of former
// fields of deployments and daemon sets hold integers.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kDeploymentNormalForm;
extern const NormalForm kReplicaSetNormalForm;
extern const NormalForm kStatefulSetNormalForm;
extern const NormalForm kDaemonSetNormalForm;

}  // namespace skiff::apiserver

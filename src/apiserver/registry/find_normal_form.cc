#include "apiserver/registry/find_normal_form.h"

#include "apiserver/registry/apps/workload_normal_form.h"
#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_normal_form.h"
#include "apiserver/registry/batch/job_normal_form.h"
#include "apiserver/registry/core/node_normal_form.h"
#include "apiserver/registry/core/pod_normal_form.h"
#include "apiserver/registry/core/secret_normal_form.h"
#include "apiserver/registry/policy/pod_disruption_budget_normal_form.h"

namespace skiff::apiserver {
namespace {

constexpr const NormalForm* kNormalForms[] = {
    &kPodNormalForm,
    &kNodeNormalForm,
    &kSecretNormalForm,
    &kReplicaSetNormalForm,
    &kDeploymentNormalForm,
    &kStatefulSetNormalForm,
    &kDaemonSetNormalForm,
    &kJobNormalForm,
    &kCronJobNormalForm,
    &kPodTemplateNormalForm,
    &kReplicationControllerNormalForm,
    &kPodDisruptionBudgetNormalForm,
    &kHorizontalPodAutoscalerNormalForm,
};

}  // namespace

const NormalForm* FindNormalFormOfKind(const object::MessageDesc* type) {
  for (const NormalForm* each : kNormalForms) {
    if (each->type() == type) return each;
  }
  return nullptr;
}

}  // namespace skiff::apiserver

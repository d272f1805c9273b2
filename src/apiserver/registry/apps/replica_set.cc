#include "apiserver/registry/apps/replica_set.h"

#include "apiserver/registry/apps/workload.h"
#include "apiserver/validation/common.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

void ValidateSpec(const apps::ReplicaSetSpec& spec,
                  const views::core_v1::PodTemplateSpec* old_template, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateNonNegative(spec.replicas().value_or(0), "replicas", errors);
  ValidateNonNegative(spec.min_ready_seconds(), "minReadySeconds", errors);
  ValidateReplicaTemplate(spec.selector(), spec.template_(), old_template, errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(apps::ReplicaSet(object).spec(), nullptr, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::ReplicaSetSpec spec = apps::ReplicaSet(object).spec();
  const views::core_v1::PodTemplateSpec old_template = apps::ReplicaSet(old).spec().template_();
  ValidateSpec(spec, &old_template, errors);
  ValidateImmutable(apps::ReplicaSet(old).spec().selector().AsValue(), spec.selector().AsValue(),
                    "spec.selector", errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const apps::ReplicaSetStatus status = apps::ReplicaSet(object).status();
  const auto at = errors.At("status");
  const Count replicas{"replicas", status.replicas()};
  const Count labeled{"fullyLabeledReplicas", status.fully_labeled_replicas()};
  const Count ready{"readyReplicas", status.ready_replicas()};
  const Count available{"availableReplicas", status.available_replicas()};
  for (const Count& each : {replicas, labeled, ready, available}) {
    ValidateNonNegative(each.number, each.field, errors);
  }
  ValidateNonNegative(status.observed_generation(), "observedGeneration", errors);
  ValidateNonNegative(status.terminating_replicas().value_or(0), "terminatingReplicas", errors);
  for (const Count& each : {labeled, ready, available}) {
    ValidateNotMore(each, replicas, "status.replicas", errors);
  }
  ValidateNotMore(available, ready, "readyReplicas", errors);
}

}  // namespace

const KindRules kReplicaSetRules = {.group = "apps",
                                    .kind = "ReplicaSet",
                                    .create = ValidateCreate,
                                    .update = ValidateUpdate,
                                    .status = ValidateStatus,
                                    .warn = WarnAboutReplicas<apps::ReplicaSet>};

}  // namespace skiff::apiserver

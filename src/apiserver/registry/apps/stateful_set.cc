#include "apiserver/registry/apps/stateful_set.h"

#include <algorithm>
#include <utility>

#include "apiserver/registry/apps/workload.h"
#include "apiserver/registry/core/persistent_volume_claim_spec.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "object/selector/label_selector.h"
#include "views/apps/v1.h"

namespace skiff::apiserver {
namespace {

namespace apps = views::apps_v1;

struct Options {
  // The service's name and the claims are checked once, because they cannot change.
  bool is_new = true;
  bool check_template = true;
  views::core_v1::PodTemplateSpec old_template = {};
};

// What an update may change of the spec.
constexpr std::string_view kMutable[] = {"replicas",
                                         "template",
                                         "updateStrategy",
                                         "minReadySeconds",
                                         "ordinals",
                                         "revisionHistoryLimit",
                                         "persistentVolumeClaimRetentionPolicy"};

void ValidateUpdateStrategy(const apps::StatefulSetUpdateStrategy& strategy, FieldErrors& errors) {
  if (strategy.type().empty()) return errors.Required("updateStrategy");
  if (strategy.type() == "OnDelete") {
    if (!strategy.has_rolling_update()) return;
    return errors.Invalid("updateStrategy.rollingUpdate", strategy.rolling_update().AsValue(),
                          "only allowed for updateStrategy 'RollingUpdate'");
  }
  if (strategy.type() != "RollingUpdate") {
    return errors.Invalid("updateStrategy", strategy.AsValue(),
                          "must be 'RollingUpdate' or 'OnDelete'");
  }
  if (!strategy.has_rolling_update()) return;
  const auto at = errors.At("updateStrategy.rollingUpdate");
  ValidateNonNegative(strategy.rolling_update().partition().value_or(0), "partition", errors);
  if (const auto unavailable = strategy.rolling_update().max_unavailable()) {
    ValidateIntOrPercent(*unavailable, "maxUnavailable", errors);
    if (NumberOf(*unavailable) == 0) {
      errors.Invalid("maxUnavailable", strategy.rolling_update().AsValue()->Find("maxUnavailable"),
                     "cannot be 0");
    }
    ValidateNotMoreThan100Percent(*unavailable, "maxUnavailable", errors);
  }
}

void ValidateRetention(const apps::StatefulSetSpec& spec, FieldErrors& errors) {
  if (!spec.has_persistent_volume_claim_retention_policy()) return;
  const auto policy = spec.persistent_volume_claim_retention_policy();
  const auto at = errors.At("persistentVolumeClaimRetentionPolicy");
  ValidateOneOf(policy.when_deleted(), {"Retain", "Delete"}, "whenDeleted", errors);
  ValidateOneOf(policy.when_scaled(), {"Retain", "Delete"}, "whenScaled", errors);
}

void ValidateClaims(const apps::StatefulSetSpec& spec, FieldErrors& errors) {
  const auto claims = spec.volume_claim_templates();
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto at = errors.At("volumeClaimTemplates", i);
    const auto at_spec = errors.At("spec");
    ValidateClaimSpec(claims[i].spec(), {}, errors);
  }
}

// The pod as it will be made: its host name is its own, and each claim is a volume in place of one
// of the same name.
object::Document TemplateToCheck(const apps::StatefulSetSpec& spec) {
  object::Document pod = object::Document::OfType(views::core_v1::PodTemplateSpec::Type());
  if (!spec.has_template()) return pod;
  pod.root() = spec.template_().AsValue()->CopyInto(pod.arena());
  object::Value* pod_spec = pod.root().Find("spec");
  if (pod_spec == nullptr) return pod;
  pod_spec->Erase("subdomain");
  pod_spec->Erase("hostname");
  if (spec.volume_claim_templates().empty()) return pod;
  const object::Value* given = std::as_const(*pod_spec).Find("volumes");
  object::Value volumes = object::Value::EmptyList();
  SeenNames claims;
  for (const auto claim : spec.volume_claim_templates()) {
    claims.Add(claim.metadata().name());
    const object::Value name = object::Value::String(claim.metadata().name());
    object::Value volume = object::Value::EmptyObject(pod.arena(), views::core_v1::Volume::Type());
    volume.Set(pod.arena(), "name", name);
    object::Value source = object::Value::EmptyObject(
        pod.arena(), views::core_v1::PersistentVolumeClaimVolumeSource::Type());
    source.Set(pod.arena(), "claimName", name);
    volume.Set(pod.arena(), "persistentVolumeClaim", source);
    volumes.Append(pod.arena(), volume);
  }
  for (const auto volume : object::ListView<views::core_v1::Volume>(given)) {
    if (!claims.Has(volume.name())) {
      volumes.Append(pod.arena(), volume.AsValue()->CopyInto(pod.arena()));
    }
  }
  pod_spec->Set(pod.arena(), "volumes", volumes);
  return pod;
}

void ValidatePods(const apps::StatefulSetSpec& spec, const Options& options, FieldErrors& errors) {
  if (!ValidateTemplateIsSelected(spec.selector(), spec.template_(), errors)) {
    return errors.Invalid("selector", spec.selector().AsValue(), "");
  }
  const auto at = errors.At("template");
  if (options.check_template) {
    const object::Document pod = TemplateToCheck(spec);
    ValidatePodTemplate(views::core_v1::PodTemplateSpec(&pod.root()), options.old_template, errors);
  }
  // Kubernetes looks at these once more, at a place where they are not.
  ValidateLabels(spec.template_().metadata().labels(), "labels", errors);
  ValidateAnnotations(spec.template_().metadata().annotations(), "annotations", errors);
  const auto at_annotations = errors.At("annotations");
  ValidatePodAnnotations(
      spec.template_().metadata(), spec.template_().spec(),
      PodOptionsFor(options.old_template.spec(), options.old_template.metadata()), errors);
}

void ValidateSpec(const apps::StatefulSetSpec& spec, const Options& options, FieldErrors& errors) {
  const auto at = errors.At("spec");
  const std::string_view policy = spec.pod_management_policy();
  if (policy.empty()) {
    errors.Required("podManagementPolicy");
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    errors.Invalid("podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  }
  ValidateUpdateStrategy(spec.update_strategy(), errors);
  ValidateRetention(spec, errors);
  if (options.is_new) ValidateClaims(spec, errors);
  ValidateNonNegative(spec.replicas().value_or(0), "replicas", errors);
  ValidateNonNegative(spec.min_ready_seconds(), "minReadySeconds", errors);
  ValidateNonNegative(spec.ordinals().start(), "ordinals.start", errors);
  if (options.is_new && !spec.service_name().empty()) {
    ValidateFormat(kDnsLabelFormat, spec.service_name(), "serviceName", errors);
  }
  ValidateWorkloadSelector(spec.selector(), "statefulset", errors);
  ValidatePods(spec, options, errors);
  ValidateRunsForEver(spec.template_(), "StatefulSet", errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(apps::StatefulSet(object).spec(), {}, errors);
}

bool ChangesFixedFields(const apps::StatefulSetSpec& old, const apps::StatefulSetSpec& now) {
  for (const object::FieldDesc& field : apps::StatefulSetSpec::Type()->fields) {
    if (std::ranges::find(kMutable, field.name()) != std::end(kMutable)) continue;
    const object::Value* before =
        old.AsValue() != nullptr ? old.AsValue()->Find(field.name()) : nullptr;
    const object::Value* after =
        now.AsValue() != nullptr ? now.AsValue()->Find(field.name()) : nullptr;
    if (!SameValue(before, after)) return true;
  }
  return false;
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::StatefulSetSpec spec = apps::StatefulSet(object).spec();
  const apps::StatefulSetSpec before = apps::StatefulSet(old).spec();
  FieldErrors faults_before(errors.settings());
  ValidateSpec(before, {.is_new = false, .old_template = before.template_()}, faults_before);
  ValidateSpec(spec,
               {.is_new = false,
                .check_template = faults_before.empty(),
                .old_template = before.template_()},
               errors);
  if (ChangesFixedFields(before, spec)) {
    errors.Forbidden("spec",
                     "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                     "'template', 'updateStrategy', 'revisionHistoryLimit', "
                     "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
  }
}

void ValidateStatus(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const apps::StatefulSetStatus status = apps::StatefulSet(object).status();
  const auto at = errors.At("status");
  const Count replicas{"replicas", status.replicas()};
  const Count ready{"readyReplicas", status.ready_replicas()};
  const Count current{"currentReplicas", status.current_replicas()};
  const Count updated{"updatedReplicas", status.updated_replicas()};
  const Count available{"availableReplicas", status.available_replicas()};
  for (const Count& each : {replicas, ready, current, updated, available}) {
    ValidateNonNegative(each.number, each.field, errors);
  }
  ValidateNonNegative(status.observed_generation(), "observedGeneration", errors);
  ValidateNonNegative(status.collision_count().value_or(0), "collisionCount", errors);
  for (const Count& each : {ready, current, updated, available}) {
    ValidateNotMore(each, replicas, "status.replicas", errors);
  }
  ValidateNotMore(available, ready, "status.readyReplicas", errors);
  ValidateNotDecremented(apps::StatefulSet(old).status().collision_count(),
                         status.collision_count(), "collisionCount", errors);
}

void WarnAboutStatefulSet(const object::Document& object, const object::Document* old,
                          const KindSettings&, std::vector<std::string>& warnings) {
  WarnAboutTemplate<apps::StatefulSet>(object, old, warnings);
  const auto claims = apps::StatefulSet(object).spec().volume_claim_templates();
  for (size_t i = 0; i < claims.size(); ++i) {
    // Kubernetes has two names for the place.
    const std::string at = "spec.volumeClaimTemplates[" + std::to_string(i) + "]";
    WarnAboutClaimSpec(claims[i].spec(), old == nullptr ? at : at + ".Spec", warnings);
  }
  if (apps::StatefulSet(object).spec().revision_history_limit().value_or(0) < 0) {
    warnings.push_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value "
        ">= 0 is recommended");
  }
}

}  // namespace

const KindRules kStatefulSetRules = {.group = "apps",
                                     .kind = "StatefulSet",
                                     .create = ValidateCreate,
                                     .update = ValidateUpdate,
                                     .status = ValidateStatus,
                                     .warn = WarnAboutStatefulSet};

}  // namespace skiff::apiserver

#include "apiserver/registry/core/replication_controller.h"

#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "apiserver/validation/common.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

bool Selects(const object::MapView<std::string_view>& selector,
             const object::MapView<std::string_view>& labels) {
  for (const auto& [key, value] : selector) {
    if (labels.Find(key) != value) return false;
  }
  return true;
}

void ValidateTemplate(const core::ReplicationControllerSpec& spec, const PodOptions& options,
                      FieldErrors& errors) {
  if (!spec.has_template()) return errors.Required("template");
  const auto at = errors.At("template");
  const core::PodTemplateSpec pod = spec.template_();
  if (!Selects(spec.selector(), pod.metadata().labels())) {
    const object::Value* metadata = pod.metadata().AsValue();
    errors.Invalid("metadata.labels", metadata != nullptr ? metadata->Find("labels") : nullptr,
                   "`selector` does not match template `labels`");
  }
  ValidatePodTemplate(pod, options, errors);
  if (pod.spec().restart_policy() != "Always") {
    errors.NotSupported("spec.restartPolicy", pod.spec().restart_policy(), {"Always"});
  }
  if (pod.spec().active_deadline_seconds()) {
    errors.Forbidden("spec.activeDeadlineSeconds",
                     "activeDeadlineSeconds in ReplicationController is not Supported");
  }
}

void ValidateSpec(const core::ReplicationControllerSpec& spec, const PodOptions& options,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateNonNegative(spec.min_ready_seconds(), "minReadySeconds", errors);
  ValidateNonEmptySelector(spec.selector(), "selector", errors);
  if (!spec.replicas()) {
    errors.Required("replicas");
  } else {
    ValidateNonNegative(*spec.replicas(), "replicas", errors);
  }
  ValidateTemplate(spec, options, errors);
}

void ValidateOnCreate(const object::Document& object, FieldErrors& errors) {
  ValidateSpec(core::ReplicationController(object).spec(), PodOptions{}, errors);
}

void ValidateOnUpdate(const object::Document& object, const object::Document& old,
                      FieldErrors& errors) {
  const core::PodTemplateSpec before = core::ReplicationController(old).spec().template_();
  ValidateSpec(core::ReplicationController(object).spec(),
               PodOptionsFor(before.spec(), before.metadata()), errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const core::ReplicationControllerStatus status = core::ReplicationController(object).status();
  const auto at = errors.At("status");
  ValidateNonNegative(status.replicas(), "replicas", errors);
  ValidateNonNegative(status.fully_labeled_replicas(), "fullyLabeledReplicas", errors);
  ValidateNonNegative(status.ready_replicas(), "readyReplicas", errors);
  ValidateNonNegative(status.available_replicas(), "availableReplicas", errors);
  ValidateNonNegative(status.observed_generation(), "observedGeneration", errors);
  const auto at_most = [&](int32_t count, std::string_view field) {
    if (count > status.replicas()) {
      errors.Invalid(field, count, "cannot be greater than status.replicas");
    }
  };
  at_most(status.fully_labeled_replicas(), "fullyLabeledReplicas");
  at_most(status.ready_replicas(), "readyReplicas");
  at_most(status.available_replicas(), "availableReplicas");
  if (status.available_replicas() > status.ready_replicas()) {
    errors.Invalid("availableReplicas", status.available_replicas(),
                   "cannot be greater than readyReplicas");
  }
}

void Warn(const object::Document& object, const object::Document* old, const KindSettings&,
          std::vector<std::string>& warnings) {
  const core::ReplicationController controller(object);
  if (old == nullptr) {
    WarnAboutNameOfPods(controller.metadata().name(), warnings);
    return WarnAboutPodTemplate(controller.spec().template_(), "spec.template", warnings);
  }
  // Kubernetes looks at the template as it was.
  const core::ReplicationController before(*old);
  if (before.metadata().generation() == controller.metadata().generation()) return;
  WarnAboutPodTemplate(before.spec().template_(), "spec.template", warnings);
}

}  // namespace

constinit const KindRules kReplicationControllerRules = {
    .group = "",
    .kind = "ReplicationController",
    .create = ValidateOnCreate,
    .update = ValidateOnUpdate,
    .status = ValidateStatus,
    .warn = Warn,
};

}  // namespace skiff::apiserver

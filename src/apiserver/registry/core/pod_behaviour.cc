#include "apiserver/registry/core/pod_behaviour.h"

#include "apiserver/registry/core/pod_fields.h"
#include "apiserver/registry/status_warnings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

Result<void> PodBehaviour::PrepareForCreate(WriteContext& write, object::Document& object) {
  PrepareNewPod(object, write.now, write.warnings);
  return {};
}

Result<void> PodBehaviour::PrepareForUpdate(WriteContext& write, object::Document& old,
                                            object::Document& object) {
  if (write.subresource == "status") {
    KeepAllButStatus(old, object);
  } else if (write.subresource == "ephemeralcontainers") {
    KeepAllButEphemeralContainers(old, object);
  } else if (write.subresource == "resize") {
    KeepAllButResources(old, object);
  }
  return {};
}

void PodBehaviour::Check(WriteContext& write, const object::Document*,
                         const object::Document& object, bool follows_rules, FieldErrors&) {
  if (write.subresource != "status" || !follows_rules || write.warnings == nullptr) return;
  WarnAboutPodStatus(object, *write.warnings);
}

int64_t PodBehaviour::GracePeriodSeconds(const DeleteOptions& options, object::Document& object) {
  const core::Pod pod(object);
  int64_t grace = options.grace_period_seconds.value_or(
      pod.spec().termination_grace_period_seconds().value_or(30));
  // Nobody runs it, or it has ended: there is nothing to wait for.
  if (pod.spec().node_name().empty() || pod.status().phase() == "Succeeded" ||
      pod.status().phase() == "Failed") {
    grace = 0;
  }
  return grace < 0 ? 1 : grace;
}

}  // namespace skiff::apiserver

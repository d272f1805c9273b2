#include "apiserver/registry/core/pod.h"

#include <algorithm>
#include <map>
#include <string>

#include "apiserver/registry/core/containers.h"
#include "apiserver/registry/core/pod_annotations.h"
#include "apiserver/registry/core/pod_resize.h"
#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/registry/core/pod_status.h"
#include "apiserver/registry/core/pod_update.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "object/diff.h"
#include "object/equal.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

bool EqualExcept(const object::Value* a, const object::Value* b,
                 std::initializer_list<uint16_t> fields) {
  if (a == nullptr && b == nullptr) return true;
  const object::MessageDesc& type = *(a != nullptr ? a : b)->type();
  const std::span<const object::Value> none;
  const std::span<const object::Value> left = a != nullptr ? a->members() : none;
  const std::span<const object::Value> right = b != nullptr ? b->members() : none;
  const auto is_ignored = [&](uint16_t field) {
    return std::ranges::find(fields, field) != fields.end();
  };
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const bool has_left =
        i < left.size() && (j == right.size() || left[i].field() <= right[j].field());
    const bool has_right =
        j < right.size() && (i == left.size() || right[j].field() <= left[i].field());
    const uint16_t field = has_left ? left[i].field() : right[j].field();
    const object::FieldDesc& desc = type.fields[field];
    const bool equal = is_ignored(field)       ? true
                       : has_left && has_right ? object::EqualInField(&desc, left[i], right[j])
                       : has_left              ? object::EqualsAbsent(desc, left[i])
                                               : object::EqualsAbsent(desc, right[j]);
    if (!equal) return false;
    i += has_left ? 1 : 0;
    j += has_right ? 1 : 0;
  }
  return true;
}

void ValidatePodMetadataAndSpec(const core::Pod& pod, const PodOptions& options,
                                FieldErrors& errors) {
  const core::PodSpec spec = pod.spec();
  {
    const auto at = errors.At("metadata");
    const auto annotations = errors.At("annotations");
    ValidatePodAnnotations(pod.metadata(), spec, options, errors);
  }
  const auto at = errors.At("spec");
  ValidatePodSpec(spec, pod.metadata(), options, errors);
  if (spec.service_account_name().empty()) {
    const auto volumes = spec.volumes();
    for (size_t i = 0; i < volumes.size(); ++i) {
      const auto sources = volumes[i].projected().sources();
      for (size_t j = 0; j < sources.size(); ++j) {
        if (!sources[j].has_service_account_token()) continue;
        const auto volume = errors.At("volumes", i);
        const auto projected = errors.At("projected");
        const auto source = errors.At("sources", j);
        errors.Forbidden("serviceAccountToken",
                         "must not be specified when serviceAccountName is not set");
      }
    }
  }
  const auto containers = spec.containers();
  for (size_t i = 0; i < containers.size(); ++i) {
    const auto container = errors.At("containers", i);
    ValidateImageText(containers[i], errors);
  }
  const auto init_containers = spec.init_containers();
  for (size_t i = 0; i < init_containers.size(); ++i) {
    const auto container = errors.At("initContainers", i);
    ValidateImageText(init_containers[i], errors);
  }
}

PodOptions OptionsForUpdateOf(const core::Pod& old) {
  PodOptions options = PodOptionsFor(old.spec(), old.metadata());
  options.is_pod = true;
  return options;
}

void ValidateNewPod(const object::Document& object, FieldErrors& errors) {
  const core::Pod pod(object);
  ValidatePodMetadataAndSpec(pod, PodOptions{.is_pod = true}, errors);
  const auto at = errors.At("spec");
  const core::PodSpec spec = pod.spec();
  if (!spec.ephemeral_containers().empty()) {
    errors.Forbidden("ephemeralContainers", "cannot be set on create");
  }
  if (!spec.node_name().empty() && !spec.scheduling_gates().empty()) {
    errors.Forbidden("nodeName", "cannot be set until all schedulingGates have been cleared");
  }
  ValidateProfilesOfAnnotations(pod.metadata(), spec, errors);
}

void ValidateEphemeralContainersUpdate(const object::Document& object, const object::Document& old,
                                       FieldErrors& errors) {
  const core::Pod pod(object);
  const core::Pod before(old);
  if (IsMirrorPod(before.metadata())) {
    return errors.ForbiddenAltogether("static pods do not support ephemeral containers");
  }
  const PodOptions options = OptionsForUpdateOf(before);
  ValidatePodMetadataAndSpec(pod, options, errors);
  {
    const auto at = errors.At("metadata");
    const auto annotations = errors.At("annotations");
    ValidatePodAnnotationsUpdate(pod.metadata(), before.metadata(), errors);
    ValidatePodAnnotations(pod.metadata(), pod.spec(), options, errors);
  }
  const auto at = errors.At("spec");
  std::map<std::string_view, const object::Value*> kept;
  for (const core::EphemeralContainer each : pod.spec().ephemeral_containers()) {
    kept[each.name()] = each.AsValue();
  }
  for (const core::EphemeralContainer container : before.spec().ephemeral_containers()) {
    const auto found = kept.find(container.name());
    const object::Value* now = found != kept.end() ? found->second : nullptr;
    const std::string name = "existing ephemeral containers \"" + std::string(container.name());
    if (now == nullptr) {
      errors.Forbidden("ephemeralContainers", name + "\" may not be removed\n");
    } else if (!object::DeepEqual(*container.AsValue(), *now)) {
      errors.Forbidden("ephemeralContainers",
                       name + "\" may not be changed\n" +
                           object::DiffValues(*container.AsValue(), *now).ToString());
    }
  }
}

namespace {

// Updates are frequent, and seldom made by people.
void WarnAboutNewPod(const object::Document& object, const object::Document* old,
                     const KindSettings&, std::vector<std::string>& warnings) {
  if (old != nullptr) return;
  const core::Pod pod(object);
  WarnAboutPodName(pod.metadata().name(), warnings);
  WarnAboutPod(pod.spec(), pod.metadata(), warnings);
}

constexpr SubresourceRules kOthers[] = {
    {"ephemeralcontainers", ValidateEphemeralContainersUpdate},
    {"resize", ValidatePodResize},
};

}  // namespace

constinit const KindRules kPodRules = {
    .group = "",
    .kind = "Pod",
    .create = ValidateNewPod,
    .update = ValidatePodUpdate,
    .status = ValidatePodStatusUpdate,
    .others = kOthers,
    .warn = WarnAboutNewPod,
};

}  // namespace skiff::apiserver

#include "apiserver/registry/core/pod_annotations.h"

#include <charconv>
#include <string>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/local_path.h"
#include "apiserver/registry/core/visit_containers.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

constexpr std::string_view kTolerationsAnnotation = "scheduler.alpha.kubernetes.io/tolerations";
constexpr std::string_view kLocalhostPrefix = "localhost/";

bool IsDeletionCost(std::string_view text) {
  // No plus sign, and no zeros in front.
  const bool starts_well = text == "0" || text.starts_with('-') ||
                           (!text.empty() && text.front() >= '1' && text.front() <= '9');
  int32_t cost = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, cost);
  return starts_well && read.ec == std::errc() && read.ptr == end;
}

void ValidateTolerationsAnnotation(std::string_view text, const PodOptions& options,
                                   FieldErrors& errors) {
  const std::string json = "{\"tolerations\":" + std::string(text) + "}";
  const Result<object::Document> decoded = object::DecodeJson(json, core::PodSpec::Type());
  if (!decoded) return errors.Invalid("", kTolerationsAnnotation, decoded.error().message());
  ValidateTolerations(core::PodSpec(&decoded->root()).tolerations(), kTolerationsAnnotation,
                      options, errors);
}

void ValidateSeccompAnnotation(std::string_view key, std::string_view profile,
                               FieldErrors& errors) {
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") {
    return;
  }
  if (profile.starts_with(kLocalhostPrefix)) {
    return ValidateDescendingPath(profile.substr(kLocalhostPrefix.size()), key, errors);
  }
  errors.Invalid(key, profile, "must be a valid seccomp profile");
}

bool HasContainer(const core::PodSpec& spec, std::string_view name) {
  bool found = false;
  VisitContainers(spec, [&](const core::Container& container, std::string_view, size_t) {
    found |= container.name() == name;
  });
  return found;
}

void ValidateAppArmorAnnotation(std::string_view key, std::string_view profile,
                                const core::PodSpec& spec, FieldErrors& errors) {
  const std::string_view name = key.substr(kAppArmorAnnotationPrefix.size());
  const auto at = errors.AtKey("", key);
  if (!HasContainer(spec, name)) errors.Invalid("", name, "container not found");
  if (!profile.empty() && profile != "runtime/default" && profile != "unconfined" &&
      !profile.starts_with(kLocalhostPrefix)) {
    errors.Invalid("", profile, "invalid AppArmor profile name: \"" + std::string(profile) + "\"");
  }
}

// The profile of a field beside the one of an annotation. `what` is "seccomp" or "apparmor".
template <typename Profile>
void ValidateSameProfile(const Profile& profile, std::string_view annotation,
                         std::string_view runtime_default, std::string_view what,
                         FieldErrors& errors) {
  const auto at = errors.At(what == "seccomp" ? "securityContext.seccompProfile"
                                              : "securityContext.appArmorProfile");
  const std::string_view type = profile.type();
  const bool is_same_type = type == "Unconfined" ? annotation == "unconfined"
                            : type == "RuntimeDefault"
                                ? annotation == "runtime/default" || annotation == runtime_default
                            : type == "Localhost" ? annotation.starts_with(kLocalhostPrefix)
                                                  : true;
  if (!is_same_type) {
    return errors.Forbidden("type", std::string(what) + " type in annotation and field must match");
  }
  if (type == "Localhost" &&
      annotation.substr(kLocalhostPrefix.size()) != profile.localhost_profile()) {
    errors.Forbidden("localhostProfile",
                     std::string(what) + " profile in annotation and field must match");
  }
}

void ValidateSeccompProfiles(const meta::ObjectMeta& metadata, const core::PodSpec& spec,
                             FieldErrors& errors) {
  constexpr std::string_view kDocker = "docker/default";
  const auto annotations = metadata.annotations();
  const auto of_pod = annotations.Find(kSeccompPodAnnotation);
  if (of_pod && spec.security_context().has_seccomp_profile()) {
    ValidateSameProfile(spec.security_context().seccomp_profile(), *of_pod, kDocker, "seccomp",
                        errors);
  }
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    if (!container.security_context().has_seccomp_profile()) return;
    const auto found = annotations.Find(std::string(kSeccompContainerAnnotationPrefix) +
                                        std::string(container.name()));
    if (!found) return;
    const auto at = errors.At(list, index);
    ValidateSameProfile(container.security_context().seccomp_profile(), *found, kDocker, "seccomp",
                        errors);
  });
}

void ValidateAppArmorProfiles(const meta::ObjectMeta& metadata, const core::PodSpec& spec,
                              FieldErrors& errors) {
  if (spec.os().name() == "windows") return;
  VisitContainers(spec, [&](const core::Container& container, std::string_view list, size_t index) {
    const core::AppArmorProfile profile = container.security_context().has_app_armor_profile()
                                              ? container.security_context().app_armor_profile()
                                              : spec.security_context().app_armor_profile();
    if (profile.AsValue() == nullptr) return;
    const auto found = metadata.annotations().Find(std::string(kAppArmorAnnotationPrefix) +
                                                   std::string(container.name()));
    if (!found) return;
    const auto at = errors.At(list, index);
    ValidateSameProfile(profile, *found, "runtime/default", "apparmor", errors);
  });
}

}  // namespace

bool IsMirrorPod(const meta::ObjectMeta& metadata) {
  return metadata.annotations().Contains(kMirrorPodAnnotation);
}

bool HasValidDeletionCost(const meta::ObjectMeta& metadata) {
  const auto cost = metadata.annotations().Find(kDeletionCostAnnotation);
  return !cost || IsDeletionCost(*cost);
}

void ValidatePodAnnotations(const meta::ObjectMeta& metadata, const core::PodSpec& spec,
                            const PodOptions& options, FieldErrors& errors) {
  const auto annotations = metadata.annotations();
  if (annotations.empty()) return;
  const auto mirror = annotations.Find(kMirrorPodAnnotation);
  if (mirror && spec.node_name().empty()) {
    const auto at = errors.AtKey("", kMirrorPodAnnotation);
    errors.Invalid("", *mirror, "must set spec.nodeName if mirror pod annotation is set");
  }
  const std::string_view tolerations = annotations.Get(kTolerationsAnnotation);
  if (!tolerations.empty()) ValidateTolerationsAnnotation(tolerations, options, errors);
  if (!options.allow_invalid_deletion_cost && !HasValidDeletionCost(metadata)) {
    const auto at = errors.AtKey("", kDeletionCostAnnotation);
    errors.Invalid("", annotations.Get(kDeletionCostAnnotation), "must be a 32bit integer");
  }
  if (const auto profile = annotations.Find(kSeccompPodAnnotation)) {
    ValidateSeccompAnnotation(kSeccompPodAnnotation, *profile, errors);
  }
  for (const auto& [key, profile] : annotations) {
    if (key.starts_with(kSeccompContainerAnnotationPrefix)) {
      ValidateSeccompAnnotation(key, profile, errors);
    }
  }
  for (const auto& [key, profile] : annotations) {
    if (key.starts_with(kAppArmorAnnotationPrefix)) {
      ValidateAppArmorAnnotation(key, profile, spec, errors);
    }
  }
}

void ValidatePodAnnotationsUpdate(const meta::ObjectMeta& metadata, const meta::ObjectMeta& old,
                                  FieldErrors& errors) {
  const auto is_fixed = [](std::string_view key) {
    return key.starts_with(kAppArmorAnnotationPrefix) || key == kMirrorPodAnnotation;
  };
  for (const auto& [key, before] : old.annotations()) {
    if (!is_fixed(key) || metadata.annotations().Find(key) == before) continue;
    const auto at = errors.AtKey("", key);
    errors.Forbidden("", key == kMirrorPodAnnotation
                             ? "may not remove or update mirror pod annotation"
                             : "may not remove or update AppArmor annotations");
  }
  for (const auto& [key, now] : metadata.annotations()) {
    if (!is_fixed(key) || old.annotations().Contains(key)) continue;
    const auto at = errors.AtKey("", key);
    errors.Forbidden("", key == kMirrorPodAnnotation ? "may not add mirror pod annotation"
                                                     : "may not add AppArmor annotations");
  }
}

void ValidateProfilesOfAnnotations(const meta::ObjectMeta& metadata, const core::PodSpec& spec,
                                   FieldErrors& errors) {
  if (metadata.annotations().empty()) return;
  ValidateSeccompProfiles(metadata, spec, errors);
  ValidateAppArmorProfiles(metadata, spec, errors);
}

}  // namespace skiff::apiserver

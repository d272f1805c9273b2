#include "apiserver/registry/core/persistent_volume_spec.h"

#include <string>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/persistent_volume_source.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";
constexpr std::string_view kOncePod = "ReadWriteOncePod";

void ValidateAccessModes(const core::PersistentVolumeSpec& spec, FieldErrors& errors) {
  bool once_pod = false;
  bool others = false;
  if (spec.access_modes().empty()) errors.Required("accessModes");
  for (const std::string_view mode : spec.access_modes()) {
    const size_t before = errors.size();
    ValidateOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", kOncePod}, "accessModes",
                  errors);
    if (mode == kOncePod) {
      once_pod = true;
    } else {
      others |= errors.size() == before;
    }
  }
  if (once_pod && others) {
    errors.Forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
  }
}

void ValidateCapacity(const core::PersistentVolumeSpec& spec, FieldErrors& errors) {
  const auto capacity = spec.capacity();
  if (capacity.empty()) errors.Required("capacity");
  if (!capacity.Contains("storage") || capacity.size() > 1) {
    errors.NotSupported(
        "capacity", ShownValue(MemberOf(spec, core::PersistentVolumeSpec::kCapacity)), {"storage"});
  }
  for (const auto& [name, quantity] : capacity) {
    const auto at = errors.AtKey("capacity", name);
    const int64_t amount = ParsedQuantity(quantity).Value();
    if (amount < 0) errors.Invalid("", amount, "must be a valid resource quantity");
    ValidatePositiveQuantity(quantity, "", errors);
  }
}

void ValidateInlineSpec(const core::PersistentVolumeSpec& spec, FieldErrors& errors) {
  if (spec.has_claim_ref()) errors.Forbidden("claimRef", kNotInline);
  if (!spec.capacity().empty()) errors.Forbidden("capacity", kNotInline);
  if (!spec.has_csi()) {
    errors.Required("csi", "has to be specified in the context of inline volumes");
  }
}

void ValidateReclaimPolicy(std::string_view policy, bool is_inline, FieldErrors& errors) {
  if (policy.empty()) return;
  if (!is_inline) {
    ValidateOneOf(policy, {"Delete", "Recycle", "Retain"}, "persistentVolumeReclaimPolicy", errors);
  } else if (policy != "Retain") {
    errors.Forbidden("persistentVolumeReclaimPolicy",
                     "may only be Retain in the context of inline volumes");
  }
}

void ValidateNodeAffinity(const core::PersistentVolumeSpec& spec, const VolumeSpecOptions& options,
                          FieldErrors& errors) {
  if (!spec.has_node_affinity()) return;
  if (options.is_inline) return errors.Forbidden("nodeAffinity", kNotInline);
  const auto at = errors.At("nodeAffinity");
  if (!spec.node_affinity().has_required()) {
    return errors.Required("required", "must specify required node constraints");
  }
  const auto required = errors.At("required");
  ValidateNodeSelector(spec.node_affinity().required(), options.allow_invalid_affinity, errors);
}

// Whether it is "/" once it is cleaned.
bool IsRoot(std::string_view path) {
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view element = path.substr(0, end);
    if (!element.empty() && element != "." && element != "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

void ValidateClasses(const core::PersistentVolumeSpec& spec, bool is_inline, FieldErrors& errors) {
  if (!spec.storage_class_name().empty()) {
    if (is_inline) {
      errors.Forbidden("storageClassName", kNotInline);
    } else {
      ValidateFormat(kDnsSubdomainFormat, spec.storage_class_name(), "storageClassName", errors);
    }
  }
  if (const auto mode = spec.volume_mode()) {
    if (!is_inline) {
      ValidateOneOf(*mode, {"Block", "Filesystem"}, "volumeMode", errors);
    } else if (*mode != "Filesystem") {
      errors.Forbidden("volumeMode",
                       "may not specify volumeMode other than Filesystem in the context of inline "
                       "volumes");
    }
  }
  // Attachments were there before these classes and do not look at them.
  if (!spec.volume_attributes_class_name() || is_inline) return;
  if (spec.volume_attributes_class_name()->empty()) {
    errors.Required("volumeAttributesClassName", "an empty string is disallowed");
  } else {
    ValidateFormat(kDnsSubdomainFormat, *spec.volume_attributes_class_name(),
                   "volumeAttributesClassName", errors);
  }
  if (!spec.has_csi()) {
    errors.Required("csi", "has to be specified when using volumeAttributesClassName");
  }
}

}  // namespace

void ValidateVolumeSpec(const core::PersistentVolumeSpec& spec, const VolumeSpecOptions& options,
                        FieldErrors& errors) {
  if (options.is_inline) ValidateInlineSpec(spec, errors);
  ValidateAccessModes(spec, errors);
  if (!options.is_inline) ValidateCapacity(spec, errors);
  const std::string_view policy = spec.persistent_volume_reclaim_policy();
  ValidateReclaimPolicy(policy, options.is_inline, errors);
  ValidateNodeAffinity(spec, options, errors);
  const bool found = ValidateVolumeSource(spec, options.name, errors);
  if (spec.has_local() && (!spec.has_node_affinity() || options.is_inline)) {
    errors.Required("nodeAffinity", "Local volume requires node affinity");
  }
  if (!found) errors.Required("", "must specify a volume type");
  const std::string_view path = spec.host_path().path();
  if (spec.has_host_path() && path.starts_with('/') && IsRoot(path) && policy == "Recycle") {
    errors.Forbidden("persistentVolumeReclaimPolicy",
                     "may not be 'recycle' for a hostPath mount of '/'");
  }
  ValidateClasses(spec, options.is_inline, errors);
}

}  // namespace skiff::apiserver

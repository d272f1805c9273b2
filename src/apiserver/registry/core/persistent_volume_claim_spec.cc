#include "apiserver/registry/core/persistent_volume_claim_spec.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace meta = views::meta_v1;

constexpr std::string_view kAccessModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                             "ReadWriteOncePod"};

void ValidateAccessModes(const core::PersistentVolumeClaimSpec& spec, FieldErrors& errors) {
  bool once_pod = false;
  bool others = false;
  for (const std::string_view mode : spec.access_modes()) {
    const bool known = std::ranges::find(kAccessModes, mode) != std::end(kAccessModes);
    if (!known) errors.NotSupported("accessModes", mode, kAccessModes);
    once_pod |= mode == "ReadWriteOncePod";
    others |= known && mode != "ReadWriteOncePod";
  }
  if (once_pod && others) {
    errors.Forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
  }
}

// Of dataSource or dataSourceRef, at its place.
template <typename Reference>
void ValidateDataSource(const Reference& source, const ClaimSpecOptions& options,
                        FieldErrors& errors) {
  ValidateRequired(source.name(), "name", errors);
  ValidateRequired(source.kind(), "kind", errors);
  const std::string_view group = source.api_group().value_or("");
  if (group.empty() && source.kind() != "PersistentVolumeClaim") {
    errors.Invalid("", source.kind(),
                   "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty() && !options.allow_invalid_api_group) {
    ValidateFormat(kDnsSubdomainFormat, group, "apiGroup", errors);
  }
}

void ValidateDataSources(const core::PersistentVolumeClaimSpec& spec,
                         const ClaimSpecOptions& options, FieldErrors& errors) {
  const core::TypedLocalObjectReference source = spec.data_source();
  const core::TypedObjectReference ref = spec.data_source_ref();
  const std::string_view name_space = ref.namespace_().value_or("");
  if (spec.has_data_source()) {
    const auto at = errors.At("dataSource");
    ValidateDataSource(source, options, errors);
  }
  if (spec.has_data_source_ref()) {
    const auto at = errors.At("dataSourceRef");
    ValidateDataSource(ref, options, errors);
    if (!name_space.empty()) ValidateFormat(kDnsLabelFormat, name_space, "namespace", errors);
  }
  if (!spec.has_data_source() || !spec.has_data_source_ref()) return;
  // Kubernetes shows the path of the field where its value should be, and a path shows nothing.
  const ShownValue shown(object::Value::EmptyMap());
  if (!name_space.empty()) {
    errors.Invalid("", shown, "may not be specified when dataSourceRef.namespace is specified");
  } else if (source.api_group() != ref.api_group() || source.kind() != ref.kind() ||
             source.name() != ref.name()) {
    errors.Invalid("", shown, "must match dataSourceRef");
  }
}

}  // namespace

void ValidateClaimSpec(const core::PersistentVolumeClaimSpec& spec, const ClaimSpecOptions& options,
                       FieldErrors& errors) {
  if (spec.access_modes().empty()) {
    errors.Required("accessModes", "at least 1 access mode is required");
  }
  if (spec.has_selector()) {
    const auto at = errors.At("selector");
    ValidateLabelSelector(spec.selector(),
                          {.allow_invalid_values = options.allow_invalid_values_in_selector},
                          errors);
  }
  ValidateAccessModes(spec, errors);
  const std::optional<std::string_view> storage = spec.resources().requests().Find("storage");
  if (!storage) {
    errors.Required("resources[storage]");
  } else {
    ValidatePositiveQuantity(*storage, "resources[storage]", errors);
  }
  const std::string_view storage_class = spec.storage_class_name().value_or("");
  if (!storage_class.empty()) {
    ValidateFormat(kDnsSubdomainFormat, storage_class, "storageClassName", errors);
  }
  if (const auto mode = spec.volume_mode()) {
    ValidateOneOf(*mode, {"Block", "Filesystem"}, "volumeMode", errors);
  }
  ValidateDataSources(spec, options, errors);
  const std::string_view attributes = spec.volume_attributes_class_name().value_or("");
  if (!attributes.empty()) {
    ValidateFormat(kDnsSubdomainFormat, attributes, "volumeAttributesClassName", errors);
  }
}

void ValidateTemplateMetadata(const meta::ObjectMeta& metadata, FieldErrors& errors) {
  using Field = meta::ObjectMeta::Field;
  // In the words of Kubernetes.
  constexpr std::pair<Field, std::string_view> kForbidden[] = {
      {Field::kName, "name"},
      {Field::kGenerateName, "generateName"},
      {Field::kNamespace, "namespace"},
      {Field::kSelfLink, "selfLink"},
      {Field::kUid, "uID"},
      {Field::kResourceVersion, "resourceVersion"},
      {Field::kGeneration, "generation"},
      {Field::kCreationTimestamp, "creationTimestamp"},
      {Field::kDeletionTimestamp, "deletionTimestamp"},
      {Field::kDeletionGracePeriodSeconds, "deletionGracePeriodSeconds"},
      {Field::kOwnerReferences, "ownerReferences"},
      {Field::kFinalizers, "finalizers"},
      {Field::kManagedFields, "managedFields"},
  };
  ValidateAnnotations(metadata.annotations(), "annotations", errors);
  ValidateLabels(metadata.labels(), "labels", errors);
  if (metadata.AsValue() == nullptr) return;
  for (const auto& [field, name] : kForbidden) {
    if (metadata.AsValue()->Member(field) != nullptr) errors.Forbidden(name, "cannot be set");
  }
}

void ValidateClaimTemplate(const core::PersistentVolumeClaimTemplate& claim, FieldErrors& errors) {
  {
    const auto at = errors.At("metadata");
    ValidateTemplateMetadata(claim.metadata(), errors);
  }
  const auto at = errors.At("spec");
  ValidateClaimSpec(claim.spec(), {}, errors);
}

void WarnAboutClaimSpec(const core::PersistentVolumeClaimSpec& spec, std::string_view path,
                        std::vector<std::string>& warnings) {
  const auto warn = [&](const object::MapView<std::string_view>& amounts, std::string_view field) {
    const std::optional<std::string_view> amount = amounts.Find("storage");
    if (!amount || ParsedQuantity(*amount).MilliValue() % 1000 == 0) return;
    warnings.push_back(std::string(path) + ".resources." + std::string(field) +
                       "[storage]: fractional byte value \"" + std::string(*amount) +
                       "\" is invalid, must be an integer");
  };
  warn(spec.resources().requests(), "requests");
  warn(spec.resources().limits(), "limits");
}

}  // namespace skiff::apiserver

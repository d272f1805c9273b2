#include "apiserver/registry/core/persistent_volume.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/core/node_labels.h"
#include "apiserver/registry/core/persistent_volume_source.h"
#include "apiserver/registry/core/persistent_volume_spec.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/internal_diff.h"
#include "apiserver/validation/members.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";
// Volumes of these kinds may have mount options as an annotation.
constexpr std::string_view kMountable[] = {
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
};

void ValidateMountOptions(const core::PersistentVolume& volume, FieldErrors& errors) {
  if (!volume.metadata().annotations().Contains(kMountOptions)) return;
  const object::Value* spec = volume.spec().AsValue();
  const bool may =
      spec != nullptr && std::ranges::any_of(kMountable, [spec](std::string_view kind) {
        return spec->Find(kind) != nullptr;
      });
  if (may) return;
  const auto metadata = errors.At("metadata");
  const auto at = errors.At("annotations");
  errors.Forbidden(kMountOptions, "may not specify mount options for this volume type");
}

void ValidateSpec(const core::PersistentVolume& volume, bool allow_invalid_affinity,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateVolumeSpec(
      volume.spec(),
      {.name = volume.metadata().name(), .allow_invalid_affinity = allow_invalid_affinity}, errors);
}

void ValidatePersistentVolume(const object::Document& object, FieldErrors& errors) {
  const core::PersistentVolume volume(object);
  ValidateSpec(volume, false, errors);
  ValidateMountOptions(volume, errors);
}

bool IsSameLabel(std::string_view now, std::string_view old) {
  return now == old || (!now.empty() && StableNodeLabel(old) == now);
}

using Requirements = object::ListView<core::NodeSelectorRequirement>;

bool SameRequirements(const Requirements& now, const Requirements& old) {
  if (now.size() != old.size()) return false;
  for (size_t i = 0; i < now.size(); ++i) {
    if (!IsSameLabel(now[i].key(), old[i].key()) || now[i].operator_() != old[i].operator_() ||
        !std::equal(now[i].values().begin(), now[i].values().end(), old[i].values().begin(),
                    old[i].values().end())) {
      return false;
    }
  }
  return true;
}

// Labels that were renamed may take their new names.
bool SameAffinity(const core::PersistentVolumeSpec& spec, const core::PersistentVolumeSpec& old) {
  if (!spec.has_node_affinity()) return false;
  if (spec.node_affinity().has_required() != old.node_affinity().has_required()) return false;
  const auto now = spec.node_affinity().required().node_selector_terms();
  const auto before = old.node_affinity().required().node_selector_terms();
  if (now.size() != before.size()) return false;
  for (size_t i = 0; i < now.size(); ++i) {
    if (!SameRequirements(now[i].match_expressions(), before[i].match_expressions()) ||
        !SameRequirements(now[i].match_fields(), before[i].match_fields())) {
      return false;
    }
  }
  return true;
}

bool HasInvalidAffinity(const core::PersistentVolumeSpec& spec) {
  for (const auto& term : spec.node_affinity().required().node_selector_terms()) {
    for (const auto& expression : term.match_expressions()) {
      for (const std::string_view value : expression.values()) {
        if (!object::IsLabelValue(value)) return true;
      }
    }
  }
  return false;
}

object::Document SourceOf(const core::PersistentVolumeSpec& spec) {
  object::Document out = object::Document::OfType(core::PersistentVolumeSource::Type());
  for (const object::FieldDesc& field : out.type()->fields) {
    const object::Value* member = MemberOf(spec, field.name());
    if (member == nullptr) continue;
    out.root().Set(out.arena(), field.name(), member->CopyInto(out.arena()));
  }
  return out;
}

void ValidatePersistentVolumeUpdate(const object::Document& object, const object::Document& old,
                                    FieldErrors& errors) {
  const core::PersistentVolume volume(object);
  const core::PersistentVolumeSpec spec = volume.spec();
  const core::PersistentVolumeSpec before = core::PersistentVolume(old).spec();
  const bool allow_invalid_affinity = HasInvalidAffinity(before);
  ValidateSpec(volume, allow_invalid_affinity, errors);
  ValidateMountOptions(volume, errors);
  // Kubernetes looks at a volume twice, and its clients see both.
  ValidateSpec(volume, allow_invalid_affinity, errors);
  if (!SameVolumeSource(spec, before)) {
    const object::Document source = SourceOf(spec);
    const object::Document old_source = SourceOf(before);
    errors.Forbidden("spec.persistentvolumesource",
                     "spec.persistentvolumesource is immutable after creation\n" +
                         InternalDiff(&old_source.root(), &source.root()));
  }
  const auto shown = [](const std::optional<std::string_view>& text) {
    return text ? ShownValue(*text) : ShownNull();
  };
  if (spec.volume_mode() != before.volume_mode()) {
    errors.Invalid("volumeMode", shown(spec.volume_mode()), kIsImmutable);
  }
  if (!errors.IsOn("MutablePVNodeAffinity") && before.has_node_affinity() &&
      !SameAffinity(spec, before)) {
    errors.Invalid("nodeAffinity", ShownValue(spec.node_affinity().AsValue()),
                   std::string(kIsImmutable) + ", except for updating from beta label to GA");
  }
  if (before.volume_attributes_class_name() && !spec.volume_attributes_class_name()) {
    errors.Forbidden("spec.volumeAttributesClassName",
                     "update from non-nil value to nil is forbidden");
  }
}

void ValidatePersistentVolumeStatus(const object::Document&, const object::Document&,
                                    FieldErrors&) {}

struct Deprecated {
  std::string_view field;
  std::string_view text;
};
constexpr Deprecated kDeprecatedAnnotations[] = {
    {"volume.beta.kubernetes.io/storage-class",
     "deprecated since v1.8; use \"storageClassName\" attribute instead"},
    {kMountOptions, "deprecated since v1.31; use \"mountOptions\" attribute instead"},
};
constexpr Deprecated kDeprecatedSources[] = {
    {"cephfs", "cephfs: deprecated in v1.28, non-functional in v1.31+"},
    {"photonPersistentDisk", "photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"},
    {"scaleIO", "scaleIO: deprecated in v1.16, non-functional in v1.22+"},
    {"storageos", "storageOS: deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "glusterfs: deprecated in v1.25, non-functional in v1.26+"},
    {"rbd", "rbd: deprecated in v1.28, non-functional in v1.31+"},
};

void WarnAboutPersistentVolume(const object::Document& object, const object::Document*,
                               const KindSettings&, std::vector<std::string>& warnings) {
  const core::PersistentVolume volume(object);
  for (const Deprecated& each : kDeprecatedAnnotations) {
    if (!volume.metadata().annotations().Contains(each.field)) continue;
    warnings.push_back("metadata.annotations[" + std::string(each.field) +
                       "]: " + std::string(each.text));
  }
  if (volume.spec().persistent_volume_reclaim_policy() == "Recycle") {
    warnings.emplace_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the recommended approach is to use dynamic provisioning.");
  }
  const auto terms = volume.spec().node_affinity().required().node_selector_terms();
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto expressions = terms[i].match_expressions();
    for (size_t j = 0; j < expressions.size(); ++j) {
      const std::string_view why = DeprecationOfNodeLabel(expressions[j].key());
      if (why.empty()) continue;
      warnings.push_back("spec.nodeAffinity.required.nodeSelectorTerms[" + std::to_string(i) +
                         "].matchExpressions[" + std::to_string(j) +
                         "].key: " + std::string(expressions[j].key()) + " is " + std::string(why));
    }
  }
  for (const Deprecated& each : kDeprecatedSources) {
    if (volume.spec().AsValue() == nullptr) break;
    if (volume.spec().AsValue()->Find(each.field) == nullptr) continue;
    warnings.push_back("spec." + std::string(each.text));
  }
}

}  // namespace

constinit const KindRules kPersistentVolumeRules = {.group = "",
                                                    .kind = "PersistentVolume",
                                                    .create = ValidatePersistentVolume,
                                                    .update = ValidatePersistentVolumeUpdate,
                                                    .status = ValidatePersistentVolumeStatus,
                                                    .warn = WarnAboutPersistentVolume};

}  // namespace skiff::apiserver

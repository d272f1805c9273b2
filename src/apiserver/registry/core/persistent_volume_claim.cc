#include "apiserver/registry/core/persistent_volume_claim.h"

#include <optional>
#include <string>

#include "apiserver/registry/core/persistent_volume_claim_spec.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/internal_diff.h"
#include "apiserver/validation/members.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kStorage = "storage";

void ValidateClaim(const object::Document& object, FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateClaimSpec(core::PersistentVolumeClaim(object).spec(), {}, errors);
}

template <typename Source>
bool HasInvalidGroup(const Source& source) {
  return source.api_group() && !source.api_group()->empty() &&
         !object::IsDns1123Subdomain(*source.api_group());
}

ClaimSpecOptions OptionsFor(const core::PersistentVolumeClaimSpec& old) {
  ClaimSpecOptions options;
  FieldErrors faults(kDefaultSettings);
  ValidateLabelSelector(old.selector(), {}, faults);
  options.allow_invalid_values_in_selector = !faults.empty();
  options.allow_invalid_api_group =
      HasInvalidGroup(old.data_source()) || HasInvalidGroup(old.data_source_ref());
  return options;
}

// The storage class was an annotation once. A claim may say in its spec what it said there.
bool MovesClassFromAnnotation(const core::PersistentVolumeClaim& now,
                              const core::PersistentVolumeClaim& old) {
  const auto before = old.metadata().annotations().Find(kClassAnnotation);
  const auto after = now.metadata().annotations().Find(kClassAnnotation);
  return before && !old.spec().storage_class_name() && now.spec().storage_class_name() == before &&
         (!after || after == before);
}

// A claim that was made before there was a default class may get it later.
bool GetsClass(const core::PersistentVolumeClaim& now, const core::PersistentVolumeClaim& old) {
  const auto annotated = old.metadata().annotations().Find(kClassAnnotation);
  return now.spec().storage_class_name() && !old.spec().storage_class_name() &&
         (!annotated || now.spec().storage_class_name() == annotated);
}

void TakeField(object::Document& claim, const object::Document& other, std::string_view field) {
  object::Value* spec = claim.root().Find("spec");
  if (spec == nullptr) return;
  const object::Value* value = other.root().FindPath({"spec", field});
  if (value != nullptr) {
    spec->Set(claim.arena(), field, value->CopyInto(claim.arena()));
  } else {
    spec->Erase(field);
  }
}

void TakeRequest(object::Document& claim, const object::Document& other) {
  object::Value* spec = claim.root().Find("spec");
  object::Value* resources = spec != nullptr ? spec->Find("resources") : nullptr;
  object::Value* requests = resources != nullptr ? resources->Find("requests") : nullptr;
  if (requests == nullptr) return;
  const object::Value* value = other.root().FindPath({"spec", "resources", "requests", kStorage});
  requests->SetEntry(
      claim.arena(), kStorage,
      value != nullptr ? value->CopyInto(claim.arena()) : object::Value::String("0"));
}

// What of the spec is not as it was, but for what may change; nothing if all is.
std::optional<std::string> ForbiddenChange(const object::Document& object,
                                           const object::Document& old) {
  const core::PersistentVolumeClaim claim(object);
  const core::PersistentVolumeClaim before(old);
  object::Document now = object.Copy();
  object::Document then = old.Copy();
  if (before.spec().volume_name().empty()) TakeField(then, object, "volumeName");
  // Claims that were stored before there were two names for the source have one of them; the other
  // one is made from it, and is held against it elsewhere.
  if (before.spec().has_data_source() != before.spec().has_data_source_ref()) {
    TakeField(then, object, before.spec().has_data_source() ? "dataSourceRef" : "dataSource");
  }
  if (MovesClassFromAnnotation(claim, before)) {
    now.root().Find("spec")->Erase("storageClassName");
  } else if (GetsClass(claim, before)) {
    TakeField(now, old, "storageClassName");
  }
  if (claim.status().phase() == "Bound") {
    TakeRequest(now, old);
    TakeField(now, old, "volumeAttributesClassName");
  }
  const object::Value* new_spec = now.root().Find("spec");
  const object::Value* old_spec = then.root().Find("spec");
  if (SameValue(new_spec, old_spec)) return std::nullopt;
  return InternalDiff(old_spec, new_spec);
}

void ValidateSize(const core::PersistentVolumeClaim& claim, const core::PersistentVolumeClaim& old,
                  FieldErrors& errors) {
  const auto size = [](const object::MapView<std::string_view>& amounts) {
    return ParsedQuantity(amounts.Find(kStorage).value_or("0"));
  };
  const object::Quantity now = size(claim.spec().resources().requests());
  if (now >= size(old.spec().resources().requests())) return;
  if (now > size(old.status().capacity())) return;
  errors.Forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

void ValidateAttributesClass(const core::PersistentVolumeClaim& claim,
                             const core::PersistentVolumeClaim& old, FieldErrors& errors) {
  const std::optional<std::string_view> name = claim.spec().volume_attributes_class_name();
  if (name == old.spec().volume_attributes_class_name()) return;
  if (!old.status().current_volume_attributes_class_name()) return;
  constexpr std::string_view kField = "spec.volumeAttributesClassName";
  if (!name) {
    errors.Forbidden(kField,
                     "update to nil is forbidden when status.currentVolumeAttributesClassName is "
                     "not nil");
  } else if (name->empty()) {
    errors.Forbidden(kField,
                     "update to empty string is forbidden when "
                     "status.currentVolumeAttributesClassName is not nil");
  }
}

void ValidateClaimUpdate(const object::Document& object, const object::Document& old,
                         FieldErrors& errors) {
  const core::PersistentVolumeClaim claim(object);
  const core::PersistentVolumeClaim before(old);
  {
    const auto at = errors.At("spec");
    ValidateClaimSpec(claim.spec(), OptionsFor(before.spec()), errors);
  }
  const std::string_view annotated = claim.metadata().annotations().Get(kClassAnnotation);
  if (!MovesClassFromAnnotation(claim, before) &&
      annotated != before.metadata().annotations().Get(kClassAnnotation)) {
    const auto metadata = errors.At("metadata");
    const auto at = errors.AtKey("annotations", kClassAnnotation);
    errors.Invalid("", annotated, kIsImmutable);
  }
  if (const std::optional<std::string> change = ForbiddenChange(object, old); change) {
    errors.Forbidden("spec",
                     "spec is immutable after creation except resources.requests and "
                     "volumeAttributesClassName for bound claims\n" +
                         *change);
  }
  ValidateSize(claim, before, errors);
  const std::optional<std::string_view> mode = claim.spec().volume_mode();
  if (mode != before.spec().volume_mode()) {
    errors.Invalid("volumeMode", mode ? ShownValue(*mode) : ShownNull(), kIsImmutable);
  }
  ValidateAttributesClass(claim, before, errors);
}

// False if it may not be there.
bool ValidateStatusKey(std::string_view name, std::string_view field, FieldErrors& errors) {
  const size_t before = errors.size();
  ValidateFormat(kQualifiedNameFormat, name, field, errors);
  if (errors.size() == before && IsNativeResource(name)) {
    ValidateOneOf(name, {kStorage}, field, errors);
  }
  return errors.size() == before;
}

// At the amount.
bool ValidateBasicAmount(std::string_view quantity, FieldErrors& errors) {
  const int64_t amount = ParsedQuantity(quantity).Value();
  if (amount >= 0) return true;
  errors.Invalid("", amount, "must be a valid resource quantity");
  return false;
}

void ValidateClaimStatus(const object::Document& object, const object::Document&,
                         FieldErrors& errors) {
  const core::PersistentVolumeClaim claim(object);
  const core::PersistentVolumeClaimStatus status = claim.status();
  if (claim.spec().access_modes().empty()) errors.Required("Spec.accessModes");
  const auto at = errors.At("status");
  for (const auto& [name, quantity] : status.capacity()) {
    const auto amount = errors.AtKey("capacity", name);
    ValidateBasicAmount(quantity, errors);
  }
  constexpr std::string_view kStatuses = "allocatedResourceStatuses";
  for (const auto& [name, state] : status.allocated_resource_statuses()) {
    ValidateStatusKey(name, kStatuses, errors);
    constexpr std::string_view kStates[] = {"ControllerResizeInProgress",
                                            "ControllerResizeInfeasible", "NodeResizeInProgress",
                                            "NodeResizeInfeasible", "NodeResizePending"};
    bool known = false;
    for (const std::string_view each : kStates) known |= each == state;
    if (!known) errors.NotSupported(kStatuses, name, kStates);
  }
  for (const auto& [name, quantity] : status.allocated_resources()) {
    if (!ValidateStatusKey(name, "allocatedResources", errors)) continue;
    const auto amount = errors.AtKey("allocatedResources", name);
    if (ValidateBasicAmount(quantity, errors)) {
      ValidateResourceQuantity(kStorage, quantity, errors);
    }
  }
}

void WarnAboutClaim(const object::Document& object, const object::Document*, const KindSettings&,
                    std::vector<std::string>& warnings) {
  const core::PersistentVolumeClaim claim(object);
  if (claim.metadata().annotations().Contains(kClassAnnotation)) {
    warnings.push_back("metadata.annotations[" + std::string(kClassAnnotation) +
                       "]: deprecated since v1.8; use \"storageClassName\" attribute instead");
  }
  WarnAboutClaimSpec(claim.spec(), "spec", warnings);
}

}  // namespace

constinit const KindRules kPersistentVolumeClaimRules = {.group = "",
                                                         .kind = "PersistentVolumeClaim",
                                                         .create = ValidateClaim,
                                                         .update = ValidateClaimUpdate,
                                                         .status = ValidateClaimStatus,
                                                         .warn = WarnAboutClaim};

}  // namespace skiff::apiserver

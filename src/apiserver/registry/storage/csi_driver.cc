#include "apiserver/registry/storage/csi_driver.h"

#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace storage = views::storage_k8s_io_v1;

constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;
constexpr int64_t kMinUpdateSeconds = 10;

void ValidateTokens(const object::ListView<storage::TokenRequest>& tokens, FieldErrors& errors) {
  SeenNames audiences;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto at = errors.At("tokenRequests", i);
    if (!audiences.Add(tokens[i].audience())) {
      errors.Duplicate("audience", tokens[i].audience());
      continue;
    }
    const std::optional<int64_t> seconds = tokens[i].expiration_seconds();
    if (!seconds) continue;
    if (*seconds < kMinTokenSeconds) {
      errors.Invalid("expirationSeconds", *seconds,
                     "may not specify a duration less than 10 minutes");
    }
    if (*seconds > kMaxTokenSeconds) {
      errors.Invalid("expirationSeconds", *seconds,
                     "may not specify a duration larger than 2^32 seconds");
    }
  }
}

// Kubernetes spells attachRequired differently in the paths of its faults.
void ValidateCSIDriver(const object::Document& object, FieldErrors& errors) {
  const storage::CSIDriverSpec spec = storage::CSIDriver(object).spec();
  const auto at = errors.At("spec");
  if (!spec.attach_required()) errors.Required("attachedRequired");
  if (!spec.pod_info_on_mount()) errors.Required("podInfoOnMount");
  if (!spec.storage_capacity()) errors.Required("storageCapacity");
  if (spec.fs_group_policy()) {
    ValidateOneOf(*spec.fs_group_policy(), {"File", "None", "ReadWriteOnceWithFSType"},
                  "fsGroupPolicy", errors);
  }
  ValidateTokens(spec.token_requests(), errors);
  for (const std::string_view mode : spec.volume_lifecycle_modes()) {
    ValidateOneOf(mode, {"Persistent", "Ephemeral"}, "volumeLifecycleModes", errors);
  }
  if (!spec.se_linux_mount()) errors.Required("seLinuxMount");
  if (const auto period = spec.node_allocatable_update_period_seconds();
      period && *period < kMinUpdateSeconds) {
    errors.Invalid("nodeAllocatableUpdatePeriodSeconds", *period,
                   "must be greater than or equal to 10 seconds");
  }
  if (spec.service_account_token_in_secrets() && spec.token_requests().empty()) {
    errors.Invalid("serviceAccountTokenInSecrets", *spec.service_account_token_in_secrets(),
                   "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  }
  if (errors.IsOn("VolumeLimitScaling") && !spec.prevent_pod_scheduling_if_missing()) {
    errors.Required("preventPodSchedulingIfMissing");
  }
}

const object::Value* SpecField(const object::Document& object, uint16_t field) {
  const object::Value* spec = object.root().Member(storage::CSIDriver::kSpec);
  return spec != nullptr ? spec->Member(field) : nullptr;
}

void ValidateCSIDriverUpdate(const object::Document& object, const object::Document& old,
                             FieldErrors& errors) {
  using Spec = storage::CSIDriverSpec;
  ValidateCSIDriver(object, errors);
  ValidateImmutable(SpecField(old, Spec::kAttachRequired), SpecField(object, Spec::kAttachRequired),
                    "spec.attachedRequired", errors);
  ValidateImmutable(SpecField(old, Spec::kVolumeLifecycleModes),
                    SpecField(object, Spec::kVolumeLifecycleModes), "spec.volumeLifecycleModes",
                    errors);
}

void WarnAboutCSIDriver(const object::Document& object, const object::Document* old,
                        const KindSettings&, std::vector<std::string>& warnings) {
  constexpr uint16_t kTokens = storage::CSIDriverSpec::kTokenRequests;
  const storage::CSIDriverSpec spec = storage::CSIDriver(object).spec();
  if (spec.token_requests().empty() || spec.service_account_token_in_secrets()) return;
  if (old != nullptr && SameValue(SpecField(*old, kTokens), SpecField(object, kTokens))) return;
  warnings.emplace_back(
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
      "prevent possible logging of tokens in volume attributes");
}

}  // namespace

constinit const KindRules kCSIDriverRules = {.group = "storage.k8s.io",
                                             .kind = "CSIDriver",
                                             .create = ValidateCSIDriver,
                                             .update = ValidateCSIDriverUpdate,
                                             .warn = WarnAboutCSIDriver};

}  // namespace skiff::apiserver

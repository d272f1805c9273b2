#include "apiserver/registry/coordination/lease_candidate.h"

#include "apiserver/registry/coordination/lease_strategy.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/semantic_version.h"
#include "views/coordination.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace coordination = views::coordination_k8s_io_v1beta1;

SemanticVersion ValidateVersion(std::string_view text, std::string_view field,
                                FieldErrors& errors) {
  const std::optional<SemanticVersion> version = SemanticVersion::Parse(text);
  if (!version) errors.Invalid(field, text, "must be a valid semantic version");
  return version.value_or(SemanticVersion());
}

void ValidateSpec(const coordination::LeaseCandidateSpec& spec, FieldErrors& errors) {
  ValidateRequired(spec.lease_name(), "leaseName", errors);
  SemanticVersion emulation;
  if (!spec.emulation_version().empty()) {
    emulation = ValidateVersion(spec.emulation_version(), "emulationVersion", errors);
  }
  if (spec.binary_version().empty()) {
    errors.Required("binaryVersion");
  } else {
    const SemanticVersion binary = ValidateVersion(spec.binary_version(), "binaryVersion", errors);
    if (!spec.emulation_version().empty() && binary < emulation) {
      errors.Invalid("binaryVersion", spec.binary_version(),
                     "must be greater than or equal to `emulationVersion`");
    }
  }
  if (spec.strategy().empty()) return errors.Required("strategy");
  if (spec.strategy() == "OldestEmulationVersion" && emulation == SemanticVersion()) {
    errors.Required("emulationVersion",
                    "must be specified when `strategy` is 'OldestEmulationVersion'");
  }
  ValidateLeaseStrategy(spec.strategy(), errors);
}

void ValidateLeaseCandidate(const object::Document& object, FieldErrors& errors) {
  const coordination::LeaseCandidate candidate(object);
  const auto at = errors.At("spec");
  ValidateSpec(candidate.spec(), errors);
}

void ValidateLeaseCandidateUpdate(const object::Document& object, const object::Document& old,
                                  FieldErrors& errors) {
  const coordination::LeaseCandidateSpec spec = coordination::LeaseCandidate(object).spec();
  const auto at = errors.At("spec");
  ValidateSpec(spec, errors);
  ValidateImmutable(coordination::LeaseCandidate(old).spec().lease_name(), spec.lease_name(),
                    "leaseName", errors);
}

}  // namespace

constinit const KindRules kLeaseCandidateRules = {.group = "coordination.k8s.io",
                                                  .kind = "LeaseCandidate",
                                                  .create = ValidateLeaseCandidate,
                                                  .update = ValidateLeaseCandidateUpdate};

}  // namespace skiff::apiserver

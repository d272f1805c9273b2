#include "apiserver/registry/core/persistent_volume_claim_behaviour.h"

#include <optional>
#include <string>

#include "object/protobuf/wire_path.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

bool IsClaimOrSnapshot(const core::TypedLocalObjectReference& source) {
  const std::string_view group = source.api_group().value_or("");
  if (group.empty()) return source.kind() == "PersistentVolumeClaim";
  return group == "snapshot.storage.k8s.io" && source.kind() == "VolumeSnapshot";
}

// Texts of their own, because writing to a document moves what views look at.
struct Names {
  std::string kind;
  std::string name;
  std::optional<std::string> group;
};

template <typename Reference>
Names NamesOf(const Reference& from) {
  Names out{std::string(from.kind()), std::string(from.name()), {}};
  if (from.api_group()) out.group = *from.api_group();
  return out;
}

template <typename Reference>
void Copy(const Names& names, Reference to) {
  to.set_kind(names.kind);
  to.set_name(names.name);
  if (names.group) to.set_api_group(*names.group);
}

// dataSource came first and could name claims and snapshots only; dataSourceRef says the same of
// anything. Each is made from the other.
void JoinDataSources(object::Document& object, const core::PersistentVolumeClaimSpec& old) {
  core::MutablePersistentVolumeClaim claim(object);
  const core::PersistentVolumeClaimSpec spec = claim.Read().spec();
  if (!spec.has_data_source() && !spec.has_data_source_ref()) return;
  const bool was_used = old.has_data_source() || old.has_data_source_ref();
  if (!was_used && spec.has_data_source() && !spec.has_data_source_ref() &&
      !IsClaimOrSnapshot(spec.data_source())) {
    claim.mutable_spec().clear_data_source();
    return;
  }
  if (spec.has_data_source() && !spec.has_data_source_ref()) {
    const Names names = NamesOf(spec.data_source());
    Copy(names, claim.mutable_spec().mutable_data_source_ref());
  } else if (spec.has_data_source_ref() && !spec.has_data_source() &&
             spec.data_source_ref().namespace_().value_or("").empty()) {
    const Names names = NamesOf(spec.data_source_ref());
    Copy(names, claim.mutable_spec().mutable_data_source());
  }
}

// A reference to another namespace is one that a feature allows; where one is stored, another may
// come.
void DropSourceElsewhere(const FeatureGates& gates, object::Document& object,
                         const core::PersistentVolumeClaimSpec& old) {
  if (gates.IsOn("CrossNamespaceVolumeDataSource") || old.has_data_source_ref()) return;
  core::MutablePersistentVolumeClaim claim(object);
  if (claim.Read().spec().data_source_ref().namespace_().value_or("").empty()) return;
  claim.mutable_spec().clear_data_source_ref();
}

void CreateClaim(const WriteContext& write, object::Document& object) {
  DropSourceElsewhere(write.settings.gates, object, core::PersistentVolumeClaimSpec());
  JoinDataSources(object, core::PersistentVolumeClaimSpec());
}

void UpdateClaim(const WriteContext& write, const object::Document& old, object::Document& object) {
  if (!write.subresource.empty()) return;
  DropSourceElsewhere(write.settings.gates, object, core::PersistentVolumeClaim(old).spec());
  JoinDataSources(object, core::PersistentVolumeClaim(old).spec());
}

bool IsCompleteClaim(std::string_view claim) {
  static const object::WirePath source =
      object::WirePath::Of(core::PersistentVolumeClaim::Type(), "spec.dataSource");
  static const object::WirePath reference =
      object::WirePath::Of(core::PersistentVolumeClaim::Type(), "spec.dataSourceRef");
  return source.IsSet(claim) == object::WirePath::Answer::kNo &&
         reference.IsSet(claim) == object::WirePath::Answer::kNo;
}

}  // namespace

ReadCompletion CompletionOfClaims() {
  return {[](object::Document& object) {
            JoinDataSources(object, core::PersistentVolumeClaim(object).spec());
          },
          IsCompleteClaim};
}

constinit const KindStrategy kPersistentVolumeClaimStrategy = {"", "persistentvolumeclaims",
                                                               CreateClaim, UpdateClaim};

}  // namespace skiff::apiserver

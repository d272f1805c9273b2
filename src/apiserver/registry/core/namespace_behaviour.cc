#include "apiserver/registry/core/namespace_behaviour.h"

#include "apiserver/rest/object_meta.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";

// Every namespace can be selected by its name.
void SetNameLabel(object::Document& object) {
  core::MutableNamespace(object).mutable_metadata().put_labels(kNameLabel, MetaOf(object).name());
}

// What the deletion asks for about dependents; if it asks for nothing, all stays as it is.
void SetFinalizer(const DeleteOptions& options, std::string_view finalizer,
                  std::string_view propagation, bool orphans, MetaOf& meta) {
  bool wanted = meta.HasFinalizer(finalizer);
  if (options.orphan_dependents) {
    wanted = *options.orphan_dependents == orphans;
  } else if (!options.propagation.empty()) {
    wanted = options.propagation == propagation;
  }
  if (wanted) {
    meta.AddFinalizer(finalizer);
  } else {
    meta.RemoveFinalizer(finalizer);
  }
}

}  // namespace

Result<void> NamespaceBehaviour::PrepareForCreate(WriteContext&, object::Document& object) {
  core::MutableNamespace mutable_object(object);
  bool found = false;
  for (const std::string_view each : core::Namespace(object).spec().finalizers()) {
    found |= each == kFinalizer;
  }
  if (!found) mutable_object.mutable_spec().add_finalizers(kFinalizer);
  SetNameLabel(object);
  return {};
}

Result<void> NamespaceBehaviour::PrepareForUpdate(WriteContext&, object::Document&,
                                                  object::Document& object) {
  SetNameLabel(object);
  return {};
}

bool NamespaceBehaviour::IsFinished(WriteContext&, object::Document& object) {
  const MetaOf meta(object);
  return meta.deleting() && meta.finalizer_count() == 0 &&
         core::Namespace(object).spec().finalizers().empty();
}

Result<bool> NamespaceBehaviour::KeepsOnDelete(WriteContext& write, const DeleteOptions& options,
                                               object::Document& object) {
  MetaOf meta(object);
  if (!meta.deleting()) {
    SetFinalizer(options, "orphan", "Orphan", true, meta);
    SetFinalizer(options, "foregroundDeletion", "Foreground", false, meta);
    meta.SetDeletionTimestamp(write.now);
    core::MutableNamespace(object).mutable_status().set_phase("Terminating");
    return true;
  }
  return !core::Namespace(object).spec().finalizers().empty();
}

}  // namespace skiff::apiserver

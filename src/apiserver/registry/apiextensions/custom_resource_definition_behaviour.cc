#include "apiserver/registry/apiextensions/custom_resource_definition_behaviour.h"

#include <algorithm>
#include <string>

#include "apiserver/registry/apiextensions/definition_status.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/value_fields.h"
#include "views/apiextensions.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

void NoteStoredVersion(object::Document& object) {
  const views::apiextensions_k8s_io_v1beta1::CustomResourceDefinition definition(object);
  for (const auto version : definition.spec().versions()) {
    if (!version.storage()) continue;
    const auto stored = definition.status().stored_versions();
    if (std::find(stored.begin(), stored.end(), version.name()) != stored.end()) return;
    const std::string name(version.name());
    views::apiextensions_k8s_io_v1beta1::MutableCustomResourceDefinition(object)
        .mutable_status()
        .add_stored_versions(name);
    return;
  }
}

}  // namespace

Result<void> CustomResourceDefinitionBehaviour::PrepareForCreate(WriteContext&,
                                                                 object::Document& object) {
  object.root().Erase("status");
  NoteStoredVersion(object);
  return {};
}

Result<void> CustomResourceDefinitionBehaviour::PrepareForUpdate(WriteContext& write,
                                                                 object::Document&,
                                                                 object::Document& object) {
  if (write.subresource.empty()) NoteStoredVersion(object);
  return {};
}

Result<bool> CustomResourceDefinitionBehaviour::KeepsOnDelete(WriteContext& write,
                                                              const DeleteOptions&,
                                                              object::Document& object) {
  MetaOf meta(object);
  if (meta.deleting()) return false;
  meta.SetDeletionTimestamp(write.now);
  meta.AddFinalizer("customresourcecleanup.apiextensions.k8s.io");
  SetDefinitionCondition({"Terminating", "True", "InstanceDeletionPending",
                          "CustomResourceDefinition marked for deletion; CustomResource deletion "
                          "will begin soon"},
                         write.now, object);
  return true;
}

}  // namespace skiff::apiserver

#include "apiserver/registry/definition_behaviours.h"

#include <algorithm>
#include <string>

#include "apiserver/validation/value_fields.h"
#include "views/apiextensions.k8s.io/v1beta1.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff {
namespace {

void NoteStoredVersion(Document& object) {
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

Result<void> CustomResourceDefinitionBehaviour::PrepareForCreate(WriteContext&, Document& object) {
  object.root().Erase("status");
  NoteStoredVersion(object);
  return {};
}

Result<void> CustomResourceDefinitionBehaviour::PrepareForUpdate(WriteContext& write, Document&,
                                                                 Document& object) {
  if (write.subresource.empty()) NoteStoredVersion(object);
  return {};
}

Result<void> ApiServiceBehaviour::PrepareForCreate(WriteContext& write, Document& object) {
  const views::apiregistration_k8s_io_v1::APIService service(object);
  if (service.spec().has_service()) return {};
  auto condition =
      views::apiregistration_k8s_io_v1::MutableAPIService(object).mutable_status().add_conditions();
  condition.set_type("Available");
  condition.set_status("True");
  condition.set_last_transition_time(write.now);
  condition.set_reason("Local");
  condition.set_message("Local APIServices are always available");
  return {};
}

}  // namespace skiff

#include "apiserver/rest/new_object.h"

#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/rest/admission.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"

namespace skiff::apiserver {

Result<Change> PrepareNew(serving::ApiRequest& request, const Endpoint& endpoint,
                          object::Document object, std::string_view name, bool dry_run,
                          AwaitedObject* awaited) {
  RestContext& context = *endpoint.context;
  const std::string chosen_name(MetaOf(object).name());
  const object::Timestamp now = NowOf(context.clock);
  if (!name.empty()) MetaOf(object).SetText("name", name);
  SKIFF_RETURN_IF_ERROR(
      FillMetaForCreate(endpoint, request.info.name_space, object, context.random, now));
  SKIFF_ASSIGN_OR_RETURN(object, Convert(std::move(object), endpoint.storage->desc().stored));
  Change change;
  change.kind = Change::Kind::kWrite;
  AdmissionRequest admission{.operation = AdmissionOperation::kCreate,
                             .resource = *endpoint.resource,
                             .subresource = {},
                             .name_space = request.info.name_space,
                             .name = chosen_name,
                             .user = request.user,
                             .now = now,
                             .random = context.random,
                             .dry_run = dry_run,
                             .object = &object,
                             .transaction = change.also,
                             .warnings = request.warnings,
                             .awaited = awaited};
  if (context.admission != nullptr) SKIFF_RETURN_IF_ERROR(context.admission->Mutate(admission));
  DropDuplicateOwners(object, true, request.warnings);
  WriteContext write{*endpoint.resource,
                     {},
                     now,
                     context.random,
                     &request.user,
                     change.also,
                     context.settings,
                     dry_run,
                     &request.warnings,
                     request.info.verb};
  if (context.drop_disabled_fields != nullptr) {
    context.drop_disabled_fields(context.settings.gates, *endpoint.resource, nullptr, object);
  }
  endpoint.storage->strategy().PrepareForCreate(object);
  SKIFF_RETURN_IF_ERROR(endpoint.behaviour->PrepareForCreate(write, object));
  SKIFF_RETURN_IF_ERROR(CheckNewObject(endpoint, write, object, request.warnings));
  // By now a name that the server chose is known.
  admission.name = MetaOf(object).name();
  if (context.admission != nullptr) SKIFF_RETURN_IF_ERROR(context.admission->Validate(admission));
  change.object = std::move(object);
  return change;
}

}  // namespace skiff::apiserver

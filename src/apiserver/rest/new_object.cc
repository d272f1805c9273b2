#include "apiserver/rest/new_object.h"

#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/rest/admission.h"
#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"

namespace skiff::apiserver {

namespace {

// What every new object gets, whatever admission made of it. Until then it has none of it: webhooks
// see it as its writer gave it.
Result<void> CompleteMeta(const serving::ApiRequest& request, const Endpoint& endpoint,
                          object::Document& object, object::Timestamp now, std::string* generated) {
  Random& random = endpoint.context->random;
  SKIFF_RETURN_IF_ERROR(FillMetaForCreate(endpoint, request.info.name_space, object, random, now));
  MetaOf meta(object);
  if (generated == nullptr || !meta.name().empty()) return {};
  if (generated->empty()) {
    *generated = ServerChosenName(*endpoint.resource, meta.Text("generateName"), random);
  }
  meta.SetText("name", *generated);
  return {};
}

}  // namespace

Task<Result<Change>> PrepareNew(serving::ApiRequest& request, const Endpoint& endpoint,
                                object::Document object, NewObjectOptions options) {
  RestContext& context = *endpoint.context;
  const std::string chosen_name(MetaOf(object).name());
  const object::Timestamp now = NowOf(context.clock);
  SKIFF_CO_RETURN_IF_ERROR(ClearMetaForCreate(endpoint, request.info.name_space, object));
  SKIFF_CO_ASSIGN_OR_RETURN(object, Convert(std::move(object), endpoint.working_type()));
  Change change;
  change.kind = Change::Kind::kWrite;
  const std::shared_ptr<RememberedConversions> conversions = ConversionsFor(request, endpoint);
  AdmissionRequest admission{.operation = AdmissionOperation::kCreate,
                             .resource = *endpoint.resource,
                             .subresource = {},
                             .name_space = request.info.name_space,
                             .name = chosen_name,
                             .user = request.user,
                             .now = now,
                             .random = context.random,
                             .dry_run = options.dry_run,
                             .object = &object,
                             .transaction = change.also,
                             .warnings = request.warnings,
                             .charges = &change.charges,
                             .awaited = options.awaited,
                             .origin = &request,
                             .conversions = conversions.get()};
  if (context.admission != nullptr) {
    SKIFF_CO_RETURN_IF_ERROR(co_await context.admission->Mutate(admission));
  }
  SKIFF_CO_RETURN_IF_ERROR(CompleteMeta(request, endpoint, object, now, options.generated));
  DropDuplicateOwners(object, true, request.warnings);
  WriteContext write{*endpoint.resource,
                     {},
                     now,
                     context.random,
                     &request.user,
                     change.also,
                     context.settings,
                     options.dry_run,
                     &request.warnings,
                     request.info.verb};
  if (context.drop_disabled_fields != nullptr) {
    context.drop_disabled_fields(context.settings.gates, *endpoint.resource, nullptr, object);
  }
  endpoint.storage->strategy().PrepareForCreate(object);
  SKIFF_CO_RETURN_IF_ERROR(endpoint.behaviour->PrepareForCreate(write, object));
  SKIFF_CO_RETURN_IF_ERROR(CheckNewObject(endpoint, write, object, request.warnings));
  // By now a name that the server chose is known.
  admission.name = MetaOf(object).name();
  if (context.admission != nullptr) {
    SKIFF_CO_RETURN_IF_ERROR(co_await context.admission->Validate(admission));
  }
  SKIFF_CO_ASSIGN_OR_RETURN(change.object, Convert(std::move(object), endpoint.decided_type()));
  co_return change;
}

}  // namespace skiff::apiserver

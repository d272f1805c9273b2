#include "apiserver/rest/admit.h"

#include "apiserver/rest/admission.h"
#include "apiserver/rest/connect_options.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {
namespace {

AdmissionRequest RequestFor(AdmissionOperation operation, object::Document& object,
                            serving::ApiRequest& request, const Endpoint& endpoint, bool dry_run,
                            store::Transaction& transaction) {
  RestContext& context = *endpoint.context;
  return {.operation = operation,
          .resource = *endpoint.resource,
          .subresource = endpoint.subresource_name(),
          .name_space = request.info.name_space,
          .name = request.info.name,
          .user = request.user,
          .now = NowOf(context.clock),
          .random = context.random,
          .dry_run = dry_run,
          .object = &object,
          .transaction = transaction,
          .warnings = request.warnings,
          .origin = &request};
}

Task<Result<void>> Admit(AdmissionOperation operation, object::Document& object,
                         serving::ApiRequest& request, const Endpoint& endpoint, bool dry_run,
                         store::Transaction& transaction) {
  Admission* const admission = endpoint.context->admission;
  if (admission == nullptr) co_return Result<void>();
  AdmissionRequest asked = RequestFor(operation, object, request, endpoint, dry_run, transaction);
  SKIFF_CO_RETURN_IF_ERROR(co_await admission->Mutate(asked));
  co_return co_await admission->Validate(asked);
}

}  // namespace

Task<Result<void>> AdmitCreationOf(object::Document& body, serving::ApiRequest& request,
                                   const Endpoint& endpoint, bool dry_run,
                                   store::Transaction& transaction) {
  return Admit(AdmissionOperation::kCreate, body, request, endpoint, dry_run, transaction);
}

Task<Result<void>> MutateCreationOf(object::Document& body, serving::ApiRequest& request,
                                    const Endpoint& endpoint) {
  Admission* const admission = endpoint.context->admission;
  if (admission == nullptr) co_return Result<void>();
  store::Transaction nothing;
  AdmissionRequest asked =
      RequestFor(AdmissionOperation::kCreate, body, request, endpoint, false, nothing);
  co_return co_await admission->Mutate(asked);
}

Task<Result<void>> ValidateCreationOf(object::Document& body, serving::ApiRequest& request,
                                      const Endpoint& endpoint) {
  Admission* const admission = endpoint.context->admission;
  if (admission == nullptr) co_return Result<void>();
  store::Transaction nothing;
  AdmissionRequest asked =
      RequestFor(AdmissionOperation::kCreate, body, request, endpoint, false, nothing);
  co_return co_await admission->Validate(asked);
}

Task<Result<void>> AdmitConnection(serving::ApiRequest& request, const Endpoint& endpoint) {
  if (request.query.Find("dryRun") != nullptr) co_return BadRequest("dryRun is not supported");
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document options, ConnectOptionsOf(request.info, request.query,
                                                                       endpoint.subresource->kind));
  store::Transaction nothing;
  co_return co_await Admit(AdmissionOperation::kConnect, options, request, endpoint,
                           /*dry_run=*/false, nothing);
}

}  // namespace skiff::apiserver

#include "apiserver/rest/admit.h"

#include "apiserver/rest/admission.h"
#include "apiserver/rest/connect_options.h"
#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {
namespace {

Result<void> Admit(AdmissionOperation operation, object::Document& object,
                   serving::ApiRequest& request, const Endpoint& endpoint, bool dry_run,
                   store::Transaction& transaction) {
  RestContext& context = *endpoint.context;
  if (context.admission == nullptr) return {};
  AdmissionRequest admission{.operation = operation,
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
                             .warnings = request.warnings};
  SKIFF_RETURN_IF_ERROR(context.admission->Mutate(admission));
  return context.admission->Validate(admission);
}

}  // namespace

Result<void> AdmitCreationOf(object::Document& body, serving::ApiRequest& request,
                             const Endpoint& endpoint, bool dry_run,
                             store::Transaction& transaction) {
  return Admit(AdmissionOperation::kCreate, body, request, endpoint, dry_run, transaction);
}

Result<void> AdmitConnection(serving::ApiRequest& request, const Endpoint& endpoint) {
  if (request.query.Find("dryRun") != nullptr) return BadRequest("dryRun is not supported");
  SKIFF_ASSIGN_OR_RETURN(object::Document options,
                         ConnectOptionsOf(request.info, request.query, endpoint.subresource->kind));
  store::Transaction nothing;
  return Admit(AdmissionOperation::kConnect, options, request, endpoint, /*dry_run=*/false,
               nothing);
}

}  // namespace skiff::apiserver

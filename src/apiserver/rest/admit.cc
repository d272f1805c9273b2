#include "apiserver/rest/admit.h"

#include "apiserver/rest/admission.h"
#include "apiserver/rest/connect_options.h"
#include "apiserver/rest/object_meta.h"

namespace skiff {
namespace {

Result<void> Admit(AdmissionOperation operation, Document& object, ApiRequest& request,
                   const Endpoint& endpoint, bool dry_run, Transaction& transaction) {
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

Result<void> AdmitCreationOf(Document& body, ApiRequest& request, const Endpoint& endpoint,
                             bool dry_run, Transaction& transaction) {
  return Admit(AdmissionOperation::kCreate, body, request, endpoint, dry_run, transaction);
}

Result<void> AdmitConnection(ApiRequest& request, const Endpoint& endpoint) {
  if (request.query.Find("dryRun") != nullptr) return BadRequest("dryRun is not supported");
  SKIFF_ASSIGN_OR_RETURN(Document options,
                         ConnectOptionsOf(request.info, request.query, endpoint.subresource->kind));
  Transaction nothing;
  return Admit(AdmissionOperation::kConnect, options, request, endpoint, /*dry_run=*/false,
               nothing);
}

}  // namespace skiff

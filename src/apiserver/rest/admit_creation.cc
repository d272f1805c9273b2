#include "apiserver/rest/admit_creation.h"

#include "apiserver/rest/admission.h"
#include "apiserver/rest/object_meta.h"

namespace skiff {

Result<void> AdmitCreationOf(Document& body, ApiRequest& request, const Endpoint& endpoint,
                             bool dry_run, Transaction& transaction) {
  RestContext& context = *endpoint.context;
  if (context.admission == nullptr) return {};
  AdmissionRequest admission{.operation = AdmissionOperation::kCreate,
                             .resource = *endpoint.resource,
                             .subresource = endpoint.subresource_name(),
                             .name_space = request.info.name_space,
                             .name = request.info.name,
                             .user = request.user,
                             .now = NowOf(context.clock),
                             .random = context.random,
                             .dry_run = dry_run,
                             .object = &body,
                             .transaction = transaction,
                             .warnings = request.warnings};
  SKIFF_RETURN_IF_ERROR(context.admission->Mutate(admission));
  return context.admission->Validate(admission);
}

}  // namespace skiff

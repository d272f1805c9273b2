#include "apiserver/rest/admit.h"

#include <string>
#include <string_view>

#include "apiserver/rest/admission.h"
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

// A field of options as the query has it; null when it is of another type.
Value OptionOf(const FieldDesc& field, std::string_view text, Arena& arena) {
  if (field.type == FieldType::kString) return Value::String(text).CopyInto(arena);
  if (field.type == FieldType::kBool) return Value::Bool(text != "false" && text != "0");
  return {};
}

Document OptionsOf(const ApiRequest& request, const MessageDesc* type) {
  Document out = Document::OfType(type);
  for (const FieldDesc& field : type->fields) {
    const std::string_view name = field.name();
    if (name == "kind" || name == "apiVersion") continue;
    Value list = Value::EmptyList();
    for (const std::string_view text : request.query.All(name)) {
      const Value value = OptionOf(field, text, out.arena());
      if (value.is_null()) continue;
      if (field.cardinality == Cardinality::kSingle) {
        out.root().Set(out.arena(), name, value);
        break;
      }
      list.Append(out.arena(), value);
    }
    if (list.size() > 0) out.root().Set(out.arena(), name, list);
    if (name == "path" && !request.info.rest.empty()) {
      std::string path;
      for (const std::string& part : request.info.rest) path += "/" + part;
      out.root().Set(out.arena(), name, Value::String(path).CopyInto(out.arena()));
    }
  }
  return out;
}

}  // namespace

Result<void> AdmitCreationOf(Document& body, ApiRequest& request, const Endpoint& endpoint,
                             bool dry_run, Transaction& transaction) {
  return Admit(AdmissionOperation::kCreate, body, request, endpoint, dry_run, transaction);
}

Result<void> AdmitConnection(ApiRequest& request, const Endpoint& endpoint) {
  if (endpoint.context->admission == nullptr) return {};
  Document options = OptionsOf(request, endpoint.subresource->kind);
  Transaction nothing;
  return Admit(AdmissionOperation::kConnect, options, request, endpoint, /*dry_run=*/false,
               nothing);
}

}  // namespace skiff

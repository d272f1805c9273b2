#include "cel/authorizer.h"

#include <array>

#include "cel/functions.h"
#include "cel/values/strings.h"
#include "object/scalar/names.h"

namespace skiff::cel {
namespace {

// What all steps of a question carry.
struct Question {
  const Authorizer* authorizer;
  AuthorizerRequest request;
};

const Question& Of(const Val& value) { return OpaqueValue<Question>(value); }
Val Make(Evaluation& e, const Type& type, OpaqueKind kind, Question question) {
  return e.MakeOpaque(type, kind, std::move(question));
}
Val MakeResource(Evaluation& e, Question question) {
  return Make(e, types::kResourceCheck, OpaqueKind::kResourceCheck, std::move(question));
}

Val Path(Evaluation& e, Args args) {
  if (Trim(args[1].AsText()).empty()) return Val::ErrorLiteral("path must not be empty");
  Question question = Of(args[0]);
  question.request.path = args[1].AsText();
  return Make(e, types::kPathCheck, OpaqueKind::kPathCheck, std::move(question));
}
Val Group(Evaluation& e, Args args) {
  Question question = Of(args[0]);
  question.request.group = args[1].AsText();
  return Make(e, types::kGroupCheck, OpaqueKind::kGroupCheck, std::move(question));
}
Val ServiceAccount(Evaluation& e, Args args) {
  if (!object::IsDns1123Subdomain(args[2].AsText())) {
    return Val::ErrorLiteral("Invalid service account name");
  }
  if (!object::IsDns1123Label(args[1].AsText())) {
    return Val::ErrorLiteral("Invalid service account namespace");
  }
  Question question = Of(args[0]);
  AuthorizerUser& user = question.request.user;
  user.service_account_namespace = args[1].AsText();
  user.service_account_name = args[2].AsText();
  user.name =
      "system:serviceaccount:" + user.service_account_namespace + ":" + user.service_account_name;
  return Make(e, types::kAuthorizer, OpaqueKind::kAuthorizer, std::move(question));
}
Val Resource(Evaluation& e, Args args) {
  if (Trim(args[1].AsText()).empty()) return Val::ErrorLiteral("resource must not be empty");
  Question question = Of(args[0]);
  question.request.is_resource = true;
  question.request.resource = args[1].AsText();
  return MakeResource(e, std::move(question));
}

template <std::string AuthorizerRequest::*kField>
Val With(Evaluation& e, Args args) {
  Question question = Of(args[0]);
  question.request.*kField = args[1].AsText();
  return MakeResource(e, std::move(question));
}

Val Check(Evaluation& e, Args args) {
  Question question = Of(args[0]);
  question.request.verb = args[1].AsText();
  return e.MakeOpaque(types::kDecision, OpaqueKind::kDecision,
                      question.authorizer->Authorize(question.request));
}

const AuthorizerDecision& DecisionOf(const Val& value) {
  return OpaqueValue<AuthorizerDecision>(value);
}
Val Allowed(Evaluation&, Args args) { return Val::Bool(DecisionOf(args[0]).allowed); }
Val Errored(Evaluation&, Args args) { return Val::Bool(!DecisionOf(args[0]).error.empty()); }
Val ErrorText(Evaluation& e, Args args) { return e.String(DecisionOf(args[0]).error); }
Val Reason(Evaluation& e, Args args) { return e.String(DecisionOf(args[0]).reason); }

#define SKIFF_CEL_AUTHZ "kubernetes.authorization."
constexpr std::string_view kResourceStep =
    SKIFF_CEL_AUTHZ "ResourceCheck.(string) -> " SKIFF_CEL_AUTHZ "ResourceCheck";

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"path", "authorizer_path",
     SKIFF_CEL_AUTHZ "Authorizer.(string) -> " SKIFF_CEL_AUTHZ "PathCheck", Path},
    {"group", "authorizer_group",
     SKIFF_CEL_AUTHZ "Authorizer.(string) -> " SKIFF_CEL_AUTHZ "GroupCheck", Group},
    {"serviceAccount", "authorizer_serviceaccount",
     SKIFF_CEL_AUTHZ "Authorizer.(string, string) -> " SKIFF_CEL_AUTHZ "Authorizer",
     ServiceAccount},
    {"resource", "groupcheck_resource",
     SKIFF_CEL_AUTHZ "GroupCheck.(string) -> " SKIFF_CEL_AUTHZ "ResourceCheck", Resource},
    {"subresource", "resourcecheck_subresource", kResourceStep,
     With<&AuthorizerRequest::subresource>},
    {"namespace", "resourcecheck_namespace", kResourceStep,
     With<&AuthorizerRequest::resource_namespace>},
    {"name", "resourcecheck_name", kResourceStep, With<&AuthorizerRequest::name>},
    {"fieldSelector", "authorizer_fieldselector", kResourceStep,
     With<&AuthorizerRequest::field_selector>},
    {"labelSelector", "authorizer_labelselector", kResourceStep,
     With<&AuthorizerRequest::label_selector>},
    {"check", "pathcheck_check",
     SKIFF_CEL_AUTHZ "PathCheck.(string) -> " SKIFF_CEL_AUTHZ "Decision", Check},
    {"check", "resourcecheck_check",
     SKIFF_CEL_AUTHZ "ResourceCheck.(string) -> " SKIFF_CEL_AUTHZ "Decision", Check},
    {"errored", "decision_errored", SKIFF_CEL_AUTHZ "Decision.() -> bool", Errored},
    {"error", "decision_error", SKIFF_CEL_AUTHZ "Decision.() -> string", ErrorText},
    {"allowed", "decision_allowed", SKIFF_CEL_AUTHZ "Decision.() -> bool", Allowed},
    {"reason", "decision_reason", SKIFF_CEL_AUTHZ "Decision.() -> string", Reason},
});

}  // namespace

std::span<const OverloadRow> AuthorizerFunctions() { return kRows; }

Val AuthorizerVal(Evaluation& evaluation, const Authorizer& authorizer, std::string user) {
  Question question{&authorizer, {}};
  question.request.user.name = std::move(user);
  return Make(evaluation, types::kAuthorizer, OpaqueKind::kAuthorizer, std::move(question));
}

Val ResourceCheckVal(Evaluation& evaluation, const Authorizer& authorizer,
                     const AuthorizerRequest& request) {
  return MakeResource(evaluation, Question{&authorizer, request});
}

}  // namespace skiff::cel

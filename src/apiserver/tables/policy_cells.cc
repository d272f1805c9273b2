// Access and admission: role bindings, certificates, admission policies, flow control, API
// services.
#include <string>

#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/list_text.h"
#include "views/admissionregistration.k8s.io/v1.h"
#include "views/apiregistration.k8s.io/v1.h"
#include "views/certificates.k8s.io/v1.h"
#include "views/certificates.k8s.io/v1beta1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"
#include "views/internal.apiserver.k8s.io/v1alpha1.h"
#include "views/rbac.authorization.k8s.io/v1.h"
#include "views/storagemigration.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

using namespace views;
namespace admission = admissionregistration_k8s_io_v1;
namespace rbac = rbac_authorization_k8s_io_v1;

// --- role bindings, which are alike with and without a namespace

Cell BindingRole(const CellContext& context) {
  const rbac::RoleRef role(context.object.Find("roleRef"));
  return context.Concat({role.kind(), "/", role.name()});
}

Cell Subjects(const CellContext& context, std::string_view kind) {
  ListText text(", ");
  for (const rbac::Subject subject :
       object::ListView<rbac::Subject>(context.object.Find("subjects"))) {
    if (subject.kind() != kind) continue;
    std::string name(subject.name());
    if (kind == "ServiceAccount") name = std::string(subject.namespace_()) + "/" + name;
    text.Add(name);
  }
  return context.Text(text.Take());
}
Cell BindingUsers(const CellContext& context) { return Subjects(context, "User"); }
Cell BindingGroups(const CellContext& context) { return Subjects(context, "Group"); }
Cell BindingAccounts(const CellContext& context) { return Subjects(context, "ServiceAccount"); }

// --- admission policies, validating and mutating

Cell PolicyParamKind(const CellContext& context) {
  const admission::ParamKind kind(context.object.FindPath({"spec", "paramKind"}));
  if (kind.AsValue() == nullptr) return Cell::Unset();
  return context.Concat({kind.api_version(), "/", kind.kind()});
}

// As Kubernetes happens to print the message.
std::string SelectorMessageText(const meta_v1::LabelSelector& selector) {
  std::string text = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto [key, value] : selector.match_labels()) {
    text.append(key).append(": ").append(value).append(",");
  }
  text += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const meta_v1::LabelSelectorRequirement one : selector.match_expressions()) {
    text.append("LabelSelectorRequirement{Key:").append(one.key());
    text.append(",Operator:").append(one.operator_()).append(",Values:[");
    ListText values(" ");
    for (const std::string_view value : one.values()) values.Add(value);
    text.append(values.Take()).append("],},");
  }
  return text + "},}";
}

Cell PolicyParamRef(const CellContext& context) {
  const admission::ParamRef ref(context.object.FindPath({"spec", "paramRef"}));
  if (!ref.name().empty()) {
    const std::string_view name_space = ref.namespace_().empty() ? "*" : ref.namespace_();
    return context.Concat({name_space, "/", ref.name()});
  }
  return ref.has_selector() ? context.Text(SelectorMessageText(ref.selector())) : Cell::Unset();
}

// --- certificates

Cell CsrCondition(const CellContext& context) {
  const certificates_k8s_io_v1::CertificateSigningRequest request(&context.object);
  bool approved = false, denied = false, failed = false;
  for (const auto condition : request.status().conditions()) {
    approved |= condition.type() == "Approved";
    denied |= condition.type() == "Denied";
    failed |= condition.type() == "Failed";
  }
  return context.Concat({denied     ? "Denied"
                         : approved ? "Approved"
                                    : "Pending",
                         failed ? ",Failed" : "",
                         request.status().certificate().empty() ? "" : ",Issued"});
}

Cell PodCertificateState(const CellContext& context) {
  const certificates_k8s_io_v1beta1::PodCertificateRequest request(&context.object);
  std::string_view state = "Pending";
  for (const meta_v1::Condition condition : request.status().conditions()) {
    const std::string_view type = condition.type();
    if (type == "Issued" || type == "Denied" || type == "Failed") state = type;
  }
  return Cell::Text(state);
}

// --- the API server's own

Cell FlowSchemaMissingLevel(const CellContext& context) {
  const flowcontrol_apiserver_k8s_io_v1::FlowSchema schema(&context.object);
  for (const auto condition : schema.status().conditions()) {
    if (condition.type() == "Dangling") return Cell::Text(condition.status());
  }
  return Cell::Unset();
}

Cell ApiServiceService(const CellContext& context) {
  const auto spec = apiregistration_k8s_io_v1::APIService(&context.object).spec();
  if (!spec.has_service()) return Cell::Text("Local");
  return context.Concat({spec.service().namespace_(), "/", spec.service().name()});
}

Cell ApiServiceAvailable(const CellContext& context) {
  const apiregistration_k8s_io_v1::APIService service(&context.object);
  for (const auto condition : service.status().conditions()) {
    if (condition.type() != "Available") continue;
    if (condition.status() == "True" || condition.reason().empty()) {
      return Cell::Text(condition.status());
    }
    return context.Concat({condition.status(), " (", condition.reason(), ")"});
  }
  return Cell::Text("Unknown");
}

Cell StorageVersions(const CellContext& context) {
  ListText text(",", 3);
  const internal_apiserver_k8s_io_v1alpha1::StorageVersion version(&context.object);
  for (const auto one : version.status().storage_versions()) {
    text.Add(std::string(one.api_server_id()).append("=").append(one.encoding_version()));
  }
  return text.shows_nothing() ? Cell::Unset() : context.Text(text.Take());
}

Cell MigrationResource(const CellContext& context) {
  const storagemigration_k8s_io_v1beta1::StorageVersionMigration migration(&context.object);
  const meta_v1::GroupResource resource = migration.spec().resource();
  return context.Concat(
      {resource.resource(), resource.group().empty() ? "" : ".", resource.group()});
}

Cell MigrationStatus(const CellContext& context) {
  const storagemigration_k8s_io_v1beta1::StorageVersionMigration migration(&context.object);
  std::string_view status = "Unknown";
  for (const meta_v1::Condition condition : migration.status().conditions()) {
    const std::string_view type = condition.type();
    if (condition.status() != "True") continue;
    if (type == "Running" || type == "Failed" || type == "Succeeded") status = type;
  }
  return Cell::Text(status);
}

constexpr std::string_view kRole[] = {".roleRef"};
constexpr std::string_view kSubjects[] = {".subjects"};
constexpr std::string_view kParamKind[] = {".spec.paramKind"};
constexpr std::string_view kParamRef[] = {".spec.paramRef"};
constexpr std::string_view kCsr[] = {".status.conditions.type", ".status.certificate"};
constexpr std::string_view kConditionTypes[] = {".status.conditions.type"};
constexpr std::string_view kConditions[] = {".status.conditions.type", ".status.conditions.status"};
constexpr std::string_view kService[] = {".spec.service"};
constexpr std::string_view kAvailable[] = {".status.conditions"};
constexpr std::string_view kVersions[] = {".status.storageVersions"};
constexpr std::string_view kResource[] = {".spec.resource"};

constexpr CodeCell kCells[] = {
    {"rolebinding-role", BindingRole, kRole},
    {"rolebinding-users", BindingUsers, kSubjects},
    {"rolebinding-groups", BindingGroups, kSubjects},
    {"rolebinding-serviceaccounts", BindingAccounts, kSubjects},
    {"policy-param-kind", PolicyParamKind, kParamKind},
    {"policy-param-ref", PolicyParamRef, kParamRef},
    {"csr-condition", CsrCondition, kCsr},
    {"podcertificaterequest-state", PodCertificateState, kConditionTypes},
    {"flowschema-missing-pl", FlowSchemaMissingLevel, kConditions},
    {"apiservice-service", ApiServiceService, kService},
    {"apiservice-available", ApiServiceAvailable, kAvailable},
    {"storageversion-versions", StorageVersions, kVersions},
    {"migration-resource", MigrationResource, kResource},
    {"migration-status", MigrationStatus, kConditions},
};

}  // namespace

std::span<const CodeCell> PolicyCells() { return kCells; }

}  // namespace skiff::apiserver

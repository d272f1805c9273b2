// Versions that are no longer served, but may still be at rest in a store: what became of them in
// the versions that took their place. Nothing is ever converted back.
#include <string>

#include "apiserver/convert/old_names.h"
#include "apiserver/convert/rules.h"
#include "views/apps/v1.h"
#include "views/apps/v1beta1.h"
#include "views/discovery.k8s.io/v1.h"
#include "views/discovery.k8s.io/v1beta1.h"
#include "views/extensions/v1beta1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta1.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta2.h"
#include "views/flowcontrol.apiserver.k8s.io/v1beta3.h"
#include "views/meta/v1.h"
#include "views/networking.k8s.io/v1.h"
#include "views/networking.k8s.io/v1beta1.h"
#include "views/node.k8s.io/v1.h"
#include "views/node.k8s.io/v1alpha1.h"
#include "views/policy/v1.h"
#include "views/policy/v1beta1.h"
#include "views/rbac.authorization.k8s.io/v1.h"
#include "views/rbac.authorization.k8s.io/v1alpha1.h"

namespace skiff {
namespace {

using namespace views;

std::string_view TextIn(const Value& object, std::string_view name) {
  const Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

Value& Obtain(Value& object, std::string_view name, Copier& copier) {
  Value* const present = object.Find(name);
  return present != nullptr && present->is_object() ? *present : copier.Make(object, name);
}

void Annotate(Value& object, std::string_view name, int64_t number, Copier& copier) {
  Value& metadata = Obtain(object, "metadata", copier);
  Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) {
    annotations = &metadata.Set(copier.arena(), "annotations", Value::EmptyMap());
  }
  annotations->SetEntry(copier.arena(), name,
                        Value::String(copier.arena().Copy(std::to_string(number))));
}

// --- workloads: two fields that live on as annotations

void KeepRollback(const Value& from, Value& out, Copier& copier) {
  const Value* const rollback = from.FindPath({"spec", "rollbackTo"});
  if (rollback == nullptr || !rollback->is_object()) return;
  const Value* const revision = rollback->Find("revision");
  Annotate(out, kRollbackToAnnotation, revision == nullptr ? 0 : revision->AsInt(), copier);
}

void KeepTemplateGeneration(const Value& from, Value& out, Copier& copier) {
  const Value* const generation = from.FindPath({"spec", "templateGeneration"});
  Annotate(out, kTemplateGenerationAnnotation, generation == nullptr ? 0 : generation->AsInt(),
           copier);
}

// --- ingresses: a backend was always a service

void RenameDefaultBackend(const Value& from, Value& out, Copier& copier) {
  copier.Put(out, "defaultBackend", from.Find("backend"));
}

void NestService(const Value& from, Value& out, Copier& copier) {
  const std::string_view name = TextIn(from, "serviceName");
  const Value* const port = from.Find("servicePort");
  const bool named_port = port != nullptr && port->is_string();
  const int64_t number = port == nullptr || named_port ? 0 : port->AsInt();
  if (name.empty() && !named_port && number == 0) return;
  Value& service = copier.Make(out, "service");
  copier.PutText(service, "name", name);
  Value& out_port = copier.Make(service, "port");
  if (named_port && !port->AsText().empty()) copier.PutText(out_port, "name", port->AsText());
  if (number != 0) out_port.Set(copier.arena(), "number", Value::Int(number));
}

// --- disruption budgets: an empty selector once meant no pods, and now means all

bool IsEmptySelector(const Value& selector) {
  for (const std::string_view part : {"matchLabels", "matchExpressions"}) {
    const Value* const found = selector.Find(part);
    if (found != nullptr && found->size() != 0) return false;
  }
  return true;
}

// Nothing but a requirement that the mark is there, or is not.
bool IsMark(const Value& selector, std::string_view wanted) {
  const Value* const labels = selector.Find("matchLabels");
  const Value* const expressions = selector.Find("matchExpressions");
  if (labels != nullptr && labels->size() != 0) return false;
  if (expressions == nullptr || expressions->size() != 1) return false;
  const meta_v1::LabelSelectorRequirement only(&expressions->items()[0]);
  return only.key() == kEmptySelectorMatch && only.operator_() == wanted && only.values().empty();
}

void TurnSelector(const Value& from, Value& out, Copier& copier) {
  const Value* const before = from.FindPath({"spec", "selector"});
  if (before == nullptr || !before->is_object()) return;
  Value& selector = Obtain(Obtain(out, "spec", copier), "selector", copier);
  if (IsMark(*before, "DoesNotExist")) {
    selector.Erase("matchExpressions");
  } else if (IsEmptySelector(*before)) {
    Value none = Value::EmptyObject(copier.arena(), meta_v1::LabelSelectorRequirement::Type());
    copier.PutText(none, "key", kEmptySelectorMatch);
    copier.PutText(none, "operator", "Exists");
    selector.Set(copier.arena(), "matchExpressions", Value::List(copier.arena(), {&none, 1}));
  }
}

// --- endpoint slices: the zone was one of the labels of a node

void TakeTopology(const Value& from, Value& out, Copier& copier) {
  constexpr std::string_view kZone = "topology.kubernetes.io/zone";
  constexpr std::string_view kHostname = "kubernetes.io/hostname";
  const Value* const topology = from.Find("topology");
  if (topology == nullptr || !topology->is_map()) return;
  Value rest = topology->CopyInto(copier.arena());
  if (topology->Find(kZone) != nullptr) {
    copier.PutText(out, "zone", TextIn(*topology, kZone));
    rest.Erase(kZone);
  }
  const Value* const node = from.Find("nodeName");
  if (node != nullptr && topology->Find(kHostname) != nullptr &&
      node->AsText() == TextIn(*topology, kHostname)) {
    rest.Erase(kHostname);
  }
  if (rest.size() != 0) copier.Put(out, "deprecatedTopology", &rest);
}

// --- priority levels: shares were a number that could not be left out

void RenameShares(const Value& from, Value& out, Copier& copier) {
  const Value* const shares = from.Find("assuredConcurrencyShares");
  out.Set(copier.arena(), "nominalConcurrencyShares",
          Value::Int(shares == nullptr ? 0 : shares->AsInt()));
}

void KeepShares(const Value& from, Value& out, Copier& copier) {
  const Value* const shares = from.Find("nominalConcurrencyShares");
  out.Set(copier.arena(), "nominalConcurrencyShares",
          Value::Int(shares == nullptr ? 0 : shares->AsInt()));
}

void DropSharesAnnotation(const Value&, Value& out, Copier&) {
  Value* const metadata = out.Find("metadata");
  Value* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) return;
  annotations->Erase("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares");
  if (annotations->size() == 0) metadata->Erase("annotations");
}

// --- subjects of roles had the version of their API, and everybody had a name

void TurnSubject(const Value& from, Value& out, Copier& copier) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  const std::string_view kind = TextIn(from, "kind");
  const std::string_view api_version = TextIn(from, "apiVersion");
  if (kind == "User" || kind == "Group") {
    copier.PutText(out, "apiGroup", kGroup);
  } else if (const size_t slash = api_version.find('/');
             kind != "ServiceAccount" && slash != std::string_view::npos) {
    copier.PutText(out, "apiGroup", api_version.substr(0, slash));
  }
  if (kind != "User" || TextIn(from, "name") != "*") return;
  copier.PutText(out, "kind", "Group");
  copier.PutText(out, "name", "system:authenticated");
}

// --- runtime classes had a spec

void EmptySpec(const Value& from, Value& out, Copier& copier) {
  const Value* const spec = from.Find("spec");
  if (spec == nullptr) return;
  copier.CopyMembers(*spec, out);
  copier.PutText(out, "handler", TextIn(*spec, "runtimeHandler"));
}

namespace flow_v1 = flowcontrol_apiserver_k8s_io_v1;
namespace flow_v1beta1 = flowcontrol_apiserver_k8s_io_v1beta1;
namespace flow_v1beta2 = flowcontrol_apiserver_k8s_io_v1beta2;
namespace flow_v1beta3 = flowcontrol_apiserver_k8s_io_v1beta3;
namespace net_v1 = networking_k8s_io_v1;
namespace net_v1beta1 = networking_k8s_io_v1beta1;

constexpr ConversionRule kRules[] = {
    {extensions_v1beta1::Deployment::Type, apps_v1::Deployment::Type, KeepRollback},
    {apps_v1beta1::Deployment::Type, apps_v1::Deployment::Type, KeepRollback},
    {extensions_v1beta1::DaemonSet::Type, apps_v1::DaemonSet::Type, KeepTemplateGeneration},
    {extensions_v1beta1::IngressSpec::Type, net_v1::IngressSpec::Type, RenameDefaultBackend},
    {extensions_v1beta1::IngressBackend::Type, net_v1::IngressBackend::Type, NestService},
    {net_v1beta1::IngressSpec::Type, net_v1::IngressSpec::Type, RenameDefaultBackend},
    {net_v1beta1::IngressBackend::Type, net_v1::IngressBackend::Type, NestService},
    {policy_v1beta1::PodDisruptionBudget::Type, policy_v1::PodDisruptionBudget::Type, TurnSelector},
    {discovery_k8s_io_v1beta1::Endpoint::Type, discovery_k8s_io_v1::Endpoint::Type, TakeTopology},
    {flow_v1beta1::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, RenameShares},
    {flow_v1beta2::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, RenameShares},
    {flow_v1beta3::LimitedPriorityLevelConfiguration::Type,
     flow_v1::LimitedPriorityLevelConfiguration::Type, KeepShares},
    {flow_v1beta3::PriorityLevelConfiguration::Type, flow_v1::PriorityLevelConfiguration::Type,
     DropSharesAnnotation},
    {rbac_authorization_k8s_io_v1alpha1::Subject::Type, rbac_authorization_k8s_io_v1::Subject::Type,
     TurnSubject},
    {node_k8s_io_v1alpha1::RuntimeClass::Type, node_k8s_io_v1::RuntimeClass::Type, EmptySpec},
};

}  // namespace

std::span<const ConversionRule> OldVersionRules() { return kRules; }

}  // namespace skiff

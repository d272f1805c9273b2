#include "apiserver/registry/registry.h"

#include <utility>

#include "apiserver/registry/admissionregistration/admission_policy_behaviour.h"
#include "apiserver/registry/apiextensions/custom_resource_definition_behaviour.h"
#include "apiserver/registry/apiregistration/api_service_behaviour.h"
#include "apiserver/registry/apps/daemon_set_behaviour.h"
#include "apiserver/registry/batch/job_behaviour.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/registry/certificates/certificate_signing_request_behaviour.h"
#include "apiserver/registry/certificates/pod_certificate_request_behaviour.h"
#include "apiserver/registry/core/connect.h"
#include "apiserver/registry/core/namespace_behaviour.h"
#include "apiserver/registry/core/pod_behaviour.h"
#include "apiserver/registry/core/pod_binding.h"
#include "apiserver/registry/core/pod_eviction.h"
#include "apiserver/registry/discovery/endpoint_slice_behaviour.h"
#include "apiserver/registry/kind_strategy.h"
#include "apiserver/registry/networking/ingress_behaviour.h"
#include "apiserver/registry/rbac/rbac_behaviour.h"
#include "apiserver/registry/resource/resource_claim_behaviour.h"
#include "apiserver/rest/admit.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/scale.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {

Registry::Registry(RegistryContext context)
    : storages_(context.storages), plain_(std::make_unique<ResourceBehaviour>()) {
  special_.push_back({"", "namespaces", std::make_unique<NamespaceBehaviour>()});
  special_.push_back({"", "pods", std::make_unique<PodBehaviour>()});
  special_.push_back(
      {"discovery.k8s.io", "endpointslices", std::make_unique<EndpointSliceBehaviour>()});
  for (const KindStrategy* each : KindStrategies()) {
    special_.push_back({each->group, each->resource, std::make_unique<StrategyBehaviour>(*each)});
  }
  special_.push_back({"batch", "jobs", std::make_unique<JobBehaviour>()});
  special_.push_back({"apps", "daemonsets", std::make_unique<DaemonSetBehaviour>()});
  special_.push_back({"certificates.k8s.io", "certificatesigningrequests",
                      std::make_unique<CertificateRequestBehaviour>()});
  special_.push_back({"certificates.k8s.io", "podcertificaterequests",
                      std::make_unique<PodCertificateRequestBehaviour>(context.authorizer)});
  AddClaims(context.authorizer);
  AddPolicies(context.authorizer);
  special_.push_back({"networking.k8s.io", "ingresses", std::make_unique<IngressBehaviour>()});
  special_.push_back({"apiextensions.k8s.io", "customresourcedefinitions",
                      std::make_unique<CustomResourceDefinitionBehaviour>()});
  special_.push_back(
      {"apiregistration.k8s.io", "apiservices", std::make_unique<ApiServiceBehaviour>()});
  if (context.rbac != nullptr) AddRoles(context);
  if (context.storages.Find(object::FindResource("", "v1", "services")->hub) == nullptr) return;
  auto services = std::make_unique<ServiceBehaviour>(context.storages, std::move(context.service));
  services_ = services.get();
  special_.push_back({"", "services", std::move(services)});
}

void Registry::AddRoles(const RegistryContext& context) {
  const auto add_rbac = [&](std::string_view resource, RbacKind kind) {
    special_.push_back({"rbac.authorization.k8s.io", resource,
                        std::make_unique<RbacBehaviour>(kind, context.authorizer, *context.rbac)});
  };
  add_rbac("roles", RbacKind::kRole);
  add_rbac("clusterroles", RbacKind::kClusterRole);
  add_rbac("rolebindings", RbacKind::kRoleBinding);
  add_rbac("clusterrolebindings", RbacKind::kClusterRoleBinding);
}

void Registry::AddClaims(serving::Authorizer& authorizer) {
  ResourceStorage* namespaces = storages_.Find(object::FindResource("", "v1", "namespaces")->hub);
  const auto find = [namespaces](std::string_view name) -> Result<object::Document> {
    const store::EntryRef entry = FindInCache(namespaces, "", name);
    if (entry) return DecodeStored(entry->value().view(), {});
    return std::unexpected(NotFound(*object::FindResource("", "v1", "namespaces"), name));
  };
  special_.push_back({"resource.k8s.io", "resourceclaims",
                      std::make_unique<ResourceClaimBehaviour>(authorizer, find)});
  special_.push_back({"resource.k8s.io", "resourceclaimtemplates",
                      std::make_unique<ResourceClaimTemplateBehaviour>(find)});
}

void Registry::AddPolicies(serving::Authorizer& authorizer) {
  constexpr std::string_view kGroup = "admissionregistration.k8s.io";
  const auto add = [&](std::string_view policies, std::string_view bindings, bool is_mutating) {
    special_.push_back({kGroup, policies, std::make_unique<AdmissionPolicyBehaviour>(authorizer)});
    const object::ResourceDesc* resource = object::FindPreferredResource(kGroup, policies);
    ResourceStorage* storage = storages_.Find(resource->hub);
    const auto find = [resource, storage](std::string_view name) -> Result<object::Document> {
      const store::EntryRef entry = FindInCache(storage, "", name);
      if (entry) return DecodeStored(entry->value().view(), {});
      return std::unexpected(NotFound(*resource, name));
    };
    special_.push_back(
        {kGroup, bindings,
         std::make_unique<AdmissionPolicyBindingBehaviour>(authorizer, find, is_mutating)});
  };
  add("validatingadmissionpolicies", "validatingadmissionpolicybindings", false);
  add("mutatingadmissionpolicies", "mutatingadmissionpolicybindings", true);
}

Registry::~Registry() = default;

ResourceBehaviour* Registry::BehaviourOf(const object::ResourceHub& hub) const {
  const object::ResourceDesc& resource = *hub.resource;
  for (const Special& each : special_) {
    if (each.resource == resource.name && each.group == resource.version->desc->group) {
      return each.behaviour.get();
    }
  }
  return plain_.get();
}

namespace {

// Whoever runs something in a pod needs the right to create that, also where browsers can only GET.
Handler Creating(Handler handler) {
  return [handler = std::move(handler)](serving::ApiRequestPtr request, const Endpoint& endpoint) {
    const auto& may_create = endpoint.context->may_create;
    if (endpoint.context->settings.gates.IsOn("AuthorizePodWebsocketUpgradeCreatePermission") &&
        request->info.verb != "create" && may_create) {
      const Result<void> allowed = may_create(*request);
      if (!allowed) return serving::RespondError(*request, allowed.error());
    }
    handler(std::move(request), endpoint);
  };
}

Task<void> Connect(const Handler& handler, serving::ApiRequestPtr request,
                   const Endpoint& endpoint) {
  const Result<void> admitted = co_await AdmitConnection(*request, endpoint);
  if (!admitted) co_return serving::RespondError(*request, admitted.error());
  handler(std::move(request), endpoint);
}

// The handler of connections, which are for admission to allow first.
Handler Connecting(Handler handler) {
  return [handler = std::move(handler)](serving::ApiRequestPtr request, const Endpoint& endpoint) {
    Detach(Connect(handler, std::move(request), endpoint));
  };
}

}  // namespace

Handler Registry::SubresourceHandler(const object::ResourceDesc& resource,
                                     std::string_view subresource) const {
  if (subresource == "scale") return HandleScale;
  if (!resource.version->desc->group.empty()) return nullptr;
  const std::string path = std::string(resource.name) + "/" + std::string(subresource);
  if (path == "pods/binding") return HandlePodBinding;
  if (path == "pods/log") return HandlePodLog;
  if (path == "pods/exec" || path == "pods/attach") return Connecting(Creating(HandlePodStream));
  if (path == "pods/portforward") return Connecting(Creating(HandlePodPortForward));
  if (path == "pods/proxy") return Connecting(HandlePodProxy);
  if (path == "nodes/proxy") return Connecting(HandleNodeProxy);
  if (path == "pods/eviction") {
    ResourceStorage* budgets =
        storages_.Find(object::FindResource("policy", "v1", "poddisruptionbudgets")->hub);
    return [budgets](serving::ApiRequestPtr request, const Endpoint& endpoint) {
      HandlePodEviction(std::move(request), endpoint, budgets);
    };
  }
  if (path == "services/proxy") {
    ResourceStorage* endpoints = storages_.Find(object::FindResource("", "v1", "endpoints")->hub);
    return Connecting([endpoints](serving::ApiRequestPtr request, const Endpoint& endpoint) {
      HandleServiceProxy(std::move(request), endpoint, endpoints);
    });
  }
  return nullptr;
}

}  // namespace skiff::apiserver

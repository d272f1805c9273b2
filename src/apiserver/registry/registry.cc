#include "apiserver/registry/registry.h"

#include <utility>

#include "apiserver/registry/endpoint_slices.h"
#include "apiserver/registry/namespaces.h"
#include "apiserver/registry/pods.h"
#include "apiserver/registry/rbac.h"

namespace skiff {

Registry::Registry(RegistryContext context) : plain_(std::make_unique<ResourceBehaviour>()) {
  special_.push_back({"", "namespaces", std::make_unique<NamespaceBehaviour>()});
  special_.push_back({"", "pods", std::make_unique<PodBehaviour>()});
  special_.push_back(
      {"discovery.k8s.io", "endpointslices", std::make_unique<EndpointSliceBehaviour>()});
  if (context.rbac != nullptr) AddRoles(context);
  if (context.storages.Find(FindResource("", "v1", "services")->hub) == nullptr) return;
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

Registry::~Registry() = default;

ResourceBehaviour* Registry::BehaviourOf(const ResourceHub& hub) const {
  const ResourceDesc& resource = *hub.resource;
  for (const Special& each : special_) {
    if (each.resource == resource.name && each.group == resource.version->desc->group) {
      return each.behaviour.get();
    }
  }
  return plain_.get();
}

Handler Registry::SubresourceHandler(const ResourceDesc& resource, std::string_view subresource) {
  if (subresource == "scale") return HandleScale;
  if (resource.version->desc->group.empty() && resource.name == "pods" &&
      subresource == "binding") {
    return HandlePodBinding;
  }
  return nullptr;
}

}  // namespace skiff

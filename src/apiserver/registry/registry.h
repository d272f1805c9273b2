// Resources that have behaviour of their own: which they are.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apiserver/authz/rbac_policy.h"
#include "apiserver/registry/core/service_behaviour.h"
#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/routed_resource.h"
#include "apiserver/rest/storage_set.h"
#include "object/resource.h"

namespace skiff::apiserver {

// What behaviours need of the server. Outlives them.
struct RegistryContext {
  StorageSet& storages;
  Clock& clock;
  Random& random;
  serving::Authorizer& authorizer;
  RbacPolicy* rbac = nullptr;  // null when roles decide nothing
  ServiceSettings service = {};
};

class Registry {
 public:
  explicit Registry(RegistryContext context);
  ~Registry();

  // Never null: most resources do what their schema says and nothing else.
  ResourceBehaviour* BehaviourOf(const object::ResourceHub& hub) const;
  // Who answers a subresource that is more than another view of its object; empty: nobody special.
  Handler SubresourceHandler(const object::ResourceDesc& resource,
                             std::string_view subresource) const;
  // Null when there are no services.
  ServiceBehaviour* services() const { return services_; }

 private:
  void AddRoles(const RegistryContext& context);
  void AddClaims(serving::Authorizer& authorizer);
  void AddPolicies(serving::Authorizer& authorizer);
  struct Special {
    std::string_view group;
    std::string_view resource;
    std::unique_ptr<ResourceBehaviour> behaviour;
  };
  StorageSet& storages_;
  std::vector<Special> special_;
  ServiceBehaviour* services_ = nullptr;  // in special_
  std::unique_ptr<ResourceBehaviour> plain_;
};

}  // namespace skiff::apiserver

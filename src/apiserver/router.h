// From a request for a resource to the handler that answers it: the table of all endpoints that the
// server has, built once from what is served, and the definitions of custom resources, which come
// and go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/discovery/served_resources.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/registry/registry.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/routed_resource.h"
#include "apiserver/rest/storage_set.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// Answers a resource that is not stored, such as a review.
using VirtualHandler =
    std::function<void(serving::ApiRequestPtr request, const Endpoint& endpoint)>;

class Router {
 public:
  // All of it outlives the router. `served` are the built-in resources.
  Router(const ServedResources& served, const StorageSet& storages, const Registry& registry,
         const CustomResources& custom, RestContext& context);

  // Who answers a resource, or "resource/subresource", that is not stored.
  void SetVirtual(std::string_view group, std::string_view path, VirtualHandler handler);

  // Answers a request whose info is that of a resource. False: the group or version is not served
  // here, and the request is left as it was.
  bool Route(serving::ApiRequestPtr& request) const;
  // In some version, built-in resources.
  bool ServesGroup(std::string_view group) const;

 private:
  using Version = std::map<std::string, RoutedResource, std::less<>>;  // by name of the resource

  void AddBindings();
  void AddResource(const ServedResource& served, const StorageSet& storages,
                   const Registry& registry, RestContext& context, Version& version);
  void RouteTo(serving::ApiRequestPtr request, const RoutedResource& resource) const;
  bool RouteCustom(serving::ApiRequestPtr& request) const;
  // The same when there is a cache of its objects, or there will be none.
  void RouteWaited(serving::ApiRequestPtr request, const RoutedResource& resource,
                   bool retired) const;
  void RouteObject(serving::ApiRequestPtr request, const RoutedResource& resource) const;
  void RouteSubresource(serving::ApiRequestPtr request, const RoutedResource& resource) const;
  bool RouteVirtual(serving::ApiRequestPtr& request, const Endpoint& endpoint) const;

  const CustomResources& custom_;
  std::map<std::pair<std::string, std::string>, Version, std::less<>> versions_;
  std::map<std::string, VirtualHandler, std::less<>> virtual_;  // "group/resource[/subresource]"
};

}  // namespace skiff::apiserver

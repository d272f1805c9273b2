// A resource in one version with all that a request for it is passed on to.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_output.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

using Handler = std::function<void(serving::ApiRequestPtr request, const Endpoint& endpoint)>;

struct SubresourceRoute {
  Endpoint endpoint;
  Handler handler = nullptr;  // null: the verbs of the object itself
};

struct RoutedResource {
  Endpoint endpoint;
  std::unique_ptr<ObjectView> view;
  std::unique_ptr<LazyColumns> columns;
  std::vector<SubresourceRoute> subresources;
  std::string deprecation;  // what whoever uses this version is warned of; empty: nothing
};

}  // namespace skiff::apiserver

// Where services of the cluster are reached by the server itself, and whether there is anything
// behind them: read from the watch caches, without waiting, on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/aggregator/backend.h"
#include "apiserver/rest/resource_storage.h"
#include "apiserver/webhook/webhook_caller.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff::apiserver {

class ServiceRoutes {
 public:
  struct Sources {
    ResourceStorage* services;
    ResourceStorage* slices;  // of endpoints
    // --enable-aggregator-routing: to one of the endpoints, each time another, instead of the
    // cluster IP.
    bool to_endpoints = false;
  };
  ServiceRoutes(Sources sources, Random& random) : sources_(sources), random_(random) {}

  // Its cluster IP or one of its endpoints, or the name that it stands for.
  Result<CalledAddress> Find(std::string_view name_space, std::string_view name,
                             int32_t port) const;

  // Why there can be nobody behind it, as the condition Available says it; nothing: there may be.
  std::optional<BackendCondition> FaultOf(const BackendService& service) const;
  // Another one when what Find() and FaultOf() look at has changed.
  std::string VersionOf(const BackendService& service) const;

 private:
  template <typename Call>
  bool ForEachSlice(std::string_view name_space, std::string_view name, Call call) const;
  Result<CalledAddress> FindEndpoint(const object::Document& service, std::string_view port_name,
                                     std::string_view name) const;

  const Sources sources_;
  Random& random_;
};

}  // namespace skiff::apiserver

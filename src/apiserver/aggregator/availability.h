// Finds out whether extension API servers answer, and says so in the condition Available of their
// APIServices, with the reasons of Kubernetes.
//
// An APIService of this server is available ("Local"). Of another, the service must be there and
// have a port and endpoints, and its server must answer for the group and version. That is looked
// at when the APIService changes, within a second after its service or endpoints do, and every half
// minute; where there is no answer, sooner, but each time later. A server that answers is asked
// once; of one that does not, four more attempts are made before it counts as unavailable.
//
// A condition is written when it says something else than what was found, on condition that the
// APIService is the one that was looked at. Several servers on one store, of which only some reach
// the extension server, may disagree: but none looks because another has written.
//
// Owner: the aggregator. Probes run on the caller's loop, all of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/backend_set.h"
#include "apiserver/aggregator/service_routes.h"
#include "apiserver/rest/endpoint.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"

namespace skiff::apiserver {

class Availability final : public ApiServiceObserver {
 public:
  struct Context {
    ResourceStorage* api_services;  // null: there are none
    RestContext& rest;
    BackendCaller& caller;
    const ServiceRoutes& routes;
    MetricsRegistry& metrics;
    Log& log;
  };
  explicit Availability(Context context);
  ~Availability() override;

  void OnRemote(const RemoteBackendPtr& backend) override;
  void OnLocal(std::string_view name, const object::Document& api_service) override;
  void OnGone(std::string_view name) override;

 private:
  struct Watched;
  class Probe;

  // On the loop.
  void Follow(const RemoteBackendPtr& backend);
  void Tick();
  void Look(Watched& watched);
  void OnProbed(Watched& watched, const std::string& fault);
  void Found(Watched& watched, BackendCondition condition);

  // Any thread.
  void Write(const std::string& name, const RemoteBackendPtr& backend, BackendCondition condition);
  void Tell(const std::string& name, bool available);

  const Context context_;
  CounterFamily& unavailable_total_;

  std::mutex mutex_;                                    // guards this
  std::map<std::string, bool, std::less<>> available_;  // for the metric

  // Of the loop.
  std::map<std::string, std::unique_ptr<Watched>> watched_;
  bool ticking_ = false;
};

}  // namespace skiff::apiserver

// What makes this server the door to others: which extension API servers there are, whether they
// answer, and requests that are passed on to them.
//
// Owner: the API server. Start() once its caches are filled. The thread of the calls begins with
// the first APIService that names a service; a server without any has none of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/aggregator/availability.h"
#include "apiserver/aggregator/awaited_services.h"
#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/backend_set.h"
#include "apiserver/aggregator/forwarder.h"
#include "apiserver/aggregator/proxy_certificate.h"
#include "apiserver/aggregator/registered_api.h"
#include "apiserver/aggregator/remote_discovery.h"
#include "apiserver/aggregator/remote_openapi.h"
#include "apiserver/aggregator/service_routes.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/storage_set.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

struct AggregatorOptions {
  std::string proxy_client_cert_file;
  std::string proxy_client_key_file;
  bool to_endpoints = false;  // --enable-aggregator-routing
  ForwarderOptions forwarding;
  // APIServices that the server makes at its start.
  std::vector<std::string> awaited = {};
};

class Aggregator {
 public:
  // All outlive the aggregator.
  struct Context {
    const StorageSet& storages;
    RestContext& rest;
    MetricsRegistry& metrics;
    Log& log;
    // Hears of every APIService as it is now, on the thread of Run(); null: it has gone.
    std::function<void(std::string_view name, const object::Document* now)> on_api_service = {};
    OnLoopStart on_loop_start = {};
  };
  // schedule() is called on any thread, under locks too: Run() has something to do.
  Aggregator(Context context, AggregatorOptions options, std::function<void()> schedule);

  // Fails if the certificate of the proxy cannot be read.
  Result<void> Start();
  // The owner's, on one thread: when there is something to do; each second; and now and then, to
  // read the certificate again.
  void Run() { backends_.Run(); }
  void Tick() { backends_.Tick(); }
  void ReadCertificateAgain() { certificate_.Reload(); }

  // Any thread, as those that follow.
  bool Answer(serving::ApiRequestPtr& request) { return forwarder_.Answer(request); }
  const ServiceRoutes& routes() const { return routes_; }
  // What other servers have, for discovery.
  const Registrations& registrations() const { return registered_; }
  bool discovered() const;
  const RemoteDocuments& documents() const { return openapi_; }
  bool has_certificate() const { return certificate_.is_configured(); }
  std::string certificate_fault() const { return certificate_.fault(); }
  // Every APIService has been seen once.
  bool synced() const { return backends_.synced(); }
  // Those that the server makes at its start and that have not been available yet, as a text;
  // empty: none.
  std::string missing() const { return awaited_.missing(); }

  // Watches and the like that are passed on are broken off.
  void EndLongRequests() { forwarder_.EndAll(); }
  // Before the requests end that wait for others.
  void Stop() { caller_.Stop(); }

 private:
  class Listener final : public ApiServiceObserver {
   public:
    explicit Listener(decltype(Context::on_api_service) call) : call_(std::move(call)) {}
    void OnObject(std::string_view name, const object::Document* now) override {
      if (call_) call_(name, now);
    }

   private:
    const decltype(Context::on_api_service) call_;
  };

  Listener listener_;
  AwaitedServices awaited_;
  ProxyCertificate certificate_;
  ServiceRoutes routes_;
  BackendCaller caller_;
  Availability availability_;
  RegisteredApi registered_;
  BackendSet backends_;
  RemoteDiscovery discovery_;
  RemoteOpenApi openapi_;
  Forwarder forwarder_;
  // All extension servers that there were at the start have been asked what they serve.
  mutable std::atomic<bool> discovered_{false};
};

}  // namespace skiff::apiserver

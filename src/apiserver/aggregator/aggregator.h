// What makes this server the door to others: which extension API servers there are, whether they
// answer, and requests that are passed on to them.
//
// Owner: the API server. Start() once its caches are filled. The thread of the calls begins with
// the first APIService that names a service; a server without any has none of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/aggregator/availability.h"
#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/backend_set.h"
#include "apiserver/aggregator/forwarder.h"
#include "apiserver/aggregator/proxy_certificate.h"
#include "apiserver/aggregator/service_routes.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/storage_set.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/status.h"

namespace skiff::apiserver {

struct AggregatorOptions {
  std::string proxy_client_cert_file;
  std::string proxy_client_key_file;
  bool to_endpoints = false;  // --enable-aggregator-routing
  ForwarderOptions forwarding;
};

class Aggregator {
 public:
  // All outlive the aggregator.
  struct Context {
    const StorageSet& storages;
    RestContext& rest;
    MetricsRegistry& metrics;
    Log& log;
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
  Backends& backends() { return backends_; }
  bool has_certificate() const { return certificate_.is_configured(); }
  std::string certificate_fault() const { return certificate_.fault(); }
  // Every APIService has been seen once.
  bool synced() const { return backends_.synced(); }

  // Watches and the like that are passed on are broken off.
  void EndLongRequests() { forwarder_.EndAll(); }
  // Before the requests end that wait for others.
  void Stop() { caller_.Stop(); }

 private:
  ProxyCertificate certificate_;
  ServiceRoutes routes_;
  BackendCaller caller_;
  Availability availability_;
  BackendSet backends_;
  Forwarder forwarder_;
};

}  // namespace skiff::apiserver

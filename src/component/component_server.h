// What components other than the API server serve over HTTPS: whether they are well, their metrics,
// their configuration, and profiles of themselves. Who asks is known by a client certificate or by
// a token, and may ask if the API server says so (delegation.h).
//
//   /healthz, /livez, /readyz   with ?verbose and ?exclude=, and single checks below
//   /metrics, /metrics/slis     for Prometheus
//   /configz                    as JSON
//   /statusz, /flagz            see serving/zpages.h
//   /debug/pprof/               see serving/profile_pages.h
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "client/client.h"
#include "component/delegation.h"
#include "net/tls_options.h"
#include "serving/health.h"
#include "serving/zpages.h"

namespace skiff::component {

struct ComponentServerOptions {
  std::string address;  // "0.0.0.0:10257"
  net::TlsOptions tls;  // with the CA of clients first, if there is one
  bool share_port = false;
  uint32_t max_streams = 0;  // 0: the usual bound
  bool profiling = true;
  std::string config_json;          // of /configz
  serving::ZPages::Options zpages;  // what is served is added here
  DelegationOptions delegation;
  // They outlive the server, or are closed before. Without them nobody's token is known, and nobody
  // is let in but where everybody is.
  client::ClientTransport* token_reviews = nullptr;
  client::ClientTransport* access_reviews = nullptr;
};

// What the server shares with its component, and outlives it.
struct ComponentEnvironment {
  Clock& clock;
  Random& random;
  Log& log;
  MetricsRegistry& metrics;
};

// Made, asked and destroyed by threads that are not those of its connections.
class ComponentServer {
 public:
  static Result<std::unique_ptr<ComponentServer>> Start(ComponentServerOptions options,
                                                        const ComponentEnvironment& environment);
  virtual ~ComponentServer() = default;

  // Any thread. The checks from now on; without any there is "ping".
  virtual void SetChecks(std::vector<serving::HealthCheck> checks) = 0;
  // With the ports that were taken.
  virtual const std::vector<std::string>& addresses() const = 0;
  // Ends at once. Transports may be closed before or after.
  virtual void Stop() = 0;
};

}  // namespace skiff::component

#include "apiserver/aggregator_options.h"

#include <string>

#include "apiserver/bootstrap/system_objects.h"

namespace skiff::apiserver {

AggregatorOptions AggregatorOptionsOf(const ApiServerOptions& options,
                                      const ServedResources& served) {
  AggregatorOptions out;
  const AggregationOptions& given = options.aggregation;
  if (!given.proxy_client_cert_file.empty() && !given.proxy_client_key_file.empty()) {
    out.proxy_client_cert_file = given.proxy_client_cert_file;
    out.proxy_client_key_file = given.proxy_client_key_file;
  }
  out.to_endpoints = given.to_endpoints;
  out.forwarding.reject_redirects = given.reject_redirects;
  const RequestHeaderOptions& header = options.request_header;
  for (const auto* names : {&header.username_headers, &header.uid_headers, &header.group_headers}) {
    out.forwarding.identity_headers.insert(out.forwarding.identity_headers.end(), names->begin(),
                                           names->end());
  }
  out.forwarding.identity_prefixes = header.extra_headers_prefix;
  out.awaited = ApiServiceNames(served);
  return out;
}

void AddAggregatorChecks(const Aggregator& aggregator, serving::Health& health) {
  if (aggregator.has_certificate()) {
    health.Add({"poststarthook/aggregator-reload-proxy-client-cert", serving::HealthCheck::kAll,
                [&aggregator] { return aggregator.certificate_fault(); }});
  }
  health.Add({"autoregister-completion", serving::HealthCheck::kAll,
              [&aggregator] { return aggregator.missing(); }});
  health.Add({"poststarthook/apiservice-discovery-controller", serving::HealthCheck::kAll,
              [&aggregator]() -> std::string {
                return aggregator.discovered()
                           ? ""
                           : "not every extension API server has been asked what it serves yet";
              }});
  for (const char* const name : {"poststarthook/apiservice-openapi-controller",
                                 "poststarthook/apiservice-openapiv3-controller",
                                 "poststarthook/apiservice-registration-controller",
                                 "poststarthook/apiservice-status-local-available-controller",
                                 "poststarthook/apiservice-status-remote-available-controller"}) {
    health.Add({name, serving::HealthCheck::kAll, [&aggregator]() -> std::string {
                  return aggregator.synced() ? "" : "not every APIService has been looked at yet";
                }});
  }
}

}  // namespace skiff::apiserver

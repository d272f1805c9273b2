// What the server answers beside resources: health, metrics, statusz and flagz, the version, logs,
// who issues its tokens; and the documents of discovery and OpenAPI.
//
// Owner: the server. Once it serves, any thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/authn/openid_metadata.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/extensions/published_kinds.h"
#include "apiserver/log_files.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/options.h"
#include "apiserver/router.h"
#include "base/clock.h"
#include "base/feature_gates.h"
#include "base/metrics.h"
#include "serving/health.h"
#include "serving/request/api_request.h"
#include "serving/zpages.h"

namespace skiff::apiserver {

class NonResourcePaths {
 public:
  // All of it outlives the paths.
  struct Context {
    const ApiServerOptions& options;
    const FeatureGates& gates;
    Clock& clock;
    const MetricsRegistry& metrics;
    const serving::Health& health;  // with all its checks
    const serving::HealthMetrics& health_metrics;
    const std::optional<OpenIdMetadata>& openid;    // nothing: not served
    std::shared_ptr<const ServedResources> served;  // built-in resources
    const CustomResources& custom;
    const Registrations& registrations;  // what other servers have
    const RemoteDocuments& documents;    // likewise, of OpenAPI
    const Router& router;
  };

  explicit NonResourcePaths(Context context);

  // False: the path is none of them, and is left for somebody else to answer.
  bool Answer(serving::ApiRequest& request) const;
  // Likewise, of discovery and OpenAPI.
  bool AnswerDocument(serving::ApiRequest& request) const;

 private:
  std::vector<std::string> Paths() const;
  bool AnswerOpenId(serving::ApiRequest& request) const;
  bool AnswerUnknownVersion(serving::ApiRequest& request) const;
  // Of what is served at the moment.
  std::shared_ptr<const Discovery> discovery() const;

  const Context context_;
  mutable std::mutex discovery_mutex_;
  mutable std::shared_ptr<const Discovery> discovery_;
  mutable uint64_t discovery_revision_ = 0;   // of the custom resources
  mutable uint64_t registered_revision_ = 0;  // of the registrations
  const PublishedKinds custom_kinds_;
  const OpenApi openapi_;
  const serving::ZPages zpages_;
  const LogFiles log_files_;
};

}  // namespace skiff::apiserver

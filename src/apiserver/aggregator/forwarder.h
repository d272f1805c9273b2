// Passes requests on to extension API servers: those for a group and version whose APIService names
// a service.
//
// Who asks has been authenticated and authorized here. The server hears who it is in headers, which
// it believes because of the certificate that is shown to it (serving/request/forwarded_headers.h);
// what the client itself says about that never passes. Answers that lead elsewhere are refused, and
// never followed. Requests that are made within the process are passed on like others.
//
// Owner: the aggregator. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/backend_set.h"
#include "apiserver/aggregator/forwarded_call.h"
#include "apiserver/openapi/remote_documents.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

struct ForwarderOptions {
  bool reject_redirects = true;  // --aggregator-reject-forwarding-redirect
  // Headers by which front proxies tell this server who asks, and beginnings of such names: they
  // never pass.
  std::vector<std::string> identity_headers = {};
  std::vector<std::string> identity_prefixes = {};
};

class Forwarder {
 public:
  // All outlive it. What is among the documents is answered here.
  Forwarder(const BackendSet& backends, BackendCaller& caller, const RemoteDocuments& documents,
            ForwarderOptions options);

  // Before the body of a request has been read. False: it is not for another server.
  bool Answer(serving::ApiRequestPtr& request);
  // Breaks off what is being passed on without a bound in time, such as watches.
  void EndAll();
  // Requests that are being passed on.
  size_t under_way() const { return under_way_.load(std::memory_order_relaxed); }

 private:
  void Begin(std::shared_ptr<ForwardedCall> call);
  void LookForClients();

  const BackendSet& backends_;
  BackendCaller& caller_;
  const RemoteDocuments& documents_;
  const ForwarderOptions options_;
  std::atomic<size_t> under_way_{0};

  // Of the caller's loop.
  std::map<uint64_t, std::shared_ptr<ForwardedCall>> calls_;
  uint64_t last_ = 0;
  bool looks_ = false;
};

// "v1beta1.metrics.k8s.io" of a path below "/apis/metrics.k8s.io/v1beta1", and of that of its
// OpenAPI document, "/openapi/v3/apis/metrics.k8s.io/v1beta1"; empty: of another path.
std::string ApiServiceNameOf(std::string_view path);
// As Go writes the path of a URL.
std::string EscapePath(std::string_view path);

}  // namespace skiff::apiserver

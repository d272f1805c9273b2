// The life of a request. Every request passes the stages of kStages (pipeline.cc) in that order; a
// stage lets it go on, answers it, or keeps it until it knows more and then lets it go on.
//
// A request sets out when its head has come. Its body is read by a stage behind those that decide
// who asks and who may: whoever may not is told so without sending it.
//
// Threads: a request enters on the loop of its connection. Stages that wait for something go on
// through the responder's Post(), on that same loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "apiserver/flowcontrol/flow_config.h"
#include "apiserver/impersonation.h"
#include "apiserver/metrics.h"
#include "apiserver/request_deadlines.h"
#include "apiserver/response_headers.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "base/random.h"
#include "net/http.h"
#include "serving/auth/authenticator.h"
#include "serving/auth/authorizer.h"
#include "serving/request/api_request.h"

namespace skiff {

// Tries to answer a request; false: it is not for this resolver, and the request is left as it was.
using Resolver = std::function<bool(ApiRequestPtr& request)>;

struct PipelineOptions {
  Clock& clock;
  Random& random;
  Log& log;
  ApiServerMetrics& metrics;
  Authenticator& authenticator;
  Authorizer& authorizer;
  RequestDeadlines& deadlines;
  ResponseHeaders& headers;
  FlowConfig* flow = nullptr;     // null: requests belong to no flow
  MemoryGauge* memory = nullptr;  // null: there is enough
  Duration request_timeout = std::chrono::seconds(60);
  int64_t max_readonly_inflight = 400;
  int64_t max_mutating_inflight = 200;
  // Tried in order: the paths of the server itself, the aggregator, the built-in API, custom
  // resources. What none of them knows is a 404.
  std::vector<Resolver> resolvers = {};
};

class Pipeline final : public HttpHandler {
 public:
  explicit Pipeline(PipelineOptions options) : options_(std::move(options)) {}

  void Handle(HttpRequest request, Responder responder) override;
  bool takes_heads() const override { return true; }
  void HandleHead(HttpRequest request, Responder responder) override;

  // A request that is made within the process, by the user that it names: `http` has method and
  // path, `query` the parameters, `local` takes the answer. How many there are is not limited.
  void HandleLocal(ApiRequestPtr request);

  // From now on clients are asked to come again later, to another server.
  void StartRejecting() { rejecting_ = true; }
  // Requests under way, watches and the like aside.
  int64_t in_flight() const { return readonly_in_flight_ + mutating_in_flight_; }

 private:
  enum class Then : uint8_t {
    kNext,
    kDone,  // it is answered, or will go on by itself
  };
  struct Stage {
    std::string_view name;
    Then (Pipeline::*run)(ApiRequestPtr& request);
  };
  static const Stage kStages[];

  void Begin(ApiRequestPtr request);
  // Counts an answer as it begins.
  void Count(const ApiRequest& request, int code, size_t bytes);
  // Runs the stages from where the request stands.
  void Advance(ApiRequestPtr request);

  Then Receive(ApiRequestPtr& request);
  Then ReadInfo(ApiRequestPtr& request);
  Then RejectDuringShutdown(ApiRequestPtr& request);
  Then LimitMemory(ApiRequestPtr& request);
  Then LimitTime(ApiRequestPtr& request);
  Then AnswerOrigin(ApiRequestPtr& request);
  Then Authenticate(ApiRequestPtr& request);
  Then Impersonate(ApiRequestPtr& request);
  Then LimitInFlight(ApiRequestPtr& request);
  Then FindFlow(ApiRequestPtr& request);
  Then Authorize(ApiRequestPtr& request);
  Then ReadBody(ApiRequestPtr& request);
  Then Route(ApiRequestPtr& request);

  void AfterAuthentication(ApiRequestPtr request, Authentication found);
  // Asks for the rights from `next` on, one after the other.
  void CheckRights(ApiRequestPtr request, std::shared_ptr<const Impersonation> wanted, size_t next);
  void AfterAuthorization(ApiRequestPtr request, const AuthorizationResult& answer);
  void AfterBody(ApiRequestPtr request, RequestBody body);

  PipelineOptions options_;
  std::atomic<int64_t> readonly_in_flight_{0};
  std::atomic<int64_t> mutating_in_flight_{0};
  std::atomic<bool> rejecting_{false};
};

}  // namespace skiff

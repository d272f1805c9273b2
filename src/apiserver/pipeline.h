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

namespace skiff::apiserver {

// Tries to answer a request; false: it is not for this resolver, and the request is left as it was.
using Resolver = std::function<bool(serving::ApiRequestPtr& request)>;

struct PipelineOptions {
  Clock& clock;
  Random& random;
  Log& log;
  ApiServerMetrics& metrics;
  serving::Authenticator& authenticator;
  serving::Authorizer& authorizer;
  RequestDeadlines& deadlines;
  ResponseHeaders& headers;
  FlowConfig* flow = nullptr;     // null: requests belong to no flow
  MemoryGauge* memory = nullptr;  // null: there is enough
  Duration request_timeout = std::chrono::seconds(60);
  int64_t max_readonly_inflight = 400;
  int64_t max_mutating_inflight = 200;
  // Tried before the body has been read: what is passed on to other servers.
  Resolver pass_on = {};
  // Tried in order: the paths of the server itself, the built-in API, custom resources. What none
  // of them knows is a 404.
  std::vector<Resolver> resolvers = {};
};

class Pipeline final : public net::HttpHandler {
 public:
  explicit Pipeline(PipelineOptions options) : options_(std::move(options)) {}

  void Handle(net::HttpRequest request, net::Responder responder) override;
  bool takes_heads() const override { return true; }
  void HandleHead(net::HttpRequest request, net::Responder responder) override;

  // A request that is made within the process, by the user that it names: `http` has method and
  // path, `query` the parameters, `local` takes the answer. How many there are is not limited.
  void HandleLocal(serving::ApiRequestPtr request);

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
    Then (Pipeline::*run)(serving::ApiRequestPtr& request);
  };
  static const Stage kStages[];

  void Begin(serving::ApiRequestPtr request);
  // Counts an answer as it begins.
  void Count(const serving::ApiRequest& request, int code, size_t bytes);
  // Runs the stages from where the request stands.
  void Advance(serving::ApiRequestPtr request);

  Then Receive(serving::ApiRequestPtr& request);
  Then ReadInfo(serving::ApiRequestPtr& request);
  Then RejectDuringShutdown(serving::ApiRequestPtr& request);
  Then LimitMemory(serving::ApiRequestPtr& request);
  Then LimitTime(serving::ApiRequestPtr& request);
  Then AnswerOrigin(serving::ApiRequestPtr& request);
  Then Authenticate(serving::ApiRequestPtr& request);
  Then Impersonate(serving::ApiRequestPtr& request);
  Then LimitInFlight(serving::ApiRequestPtr& request);
  Then FindFlow(serving::ApiRequestPtr& request);
  Then Authorize(serving::ApiRequestPtr& request);
  Then PassOn(serving::ApiRequestPtr& request);
  Then ReadBody(serving::ApiRequestPtr& request);
  Then Route(serving::ApiRequestPtr& request);

  void AfterAuthentication(serving::ApiRequestPtr request, serving::Authentication found);
  // Asks for the rights from `next` on, one after the other.
  void CheckRights(serving::ApiRequestPtr request, std::shared_ptr<const Impersonation> wanted,
                   size_t next);
  void AfterAuthorization(serving::ApiRequestPtr request,
                          const serving::AuthorizationResult& answer);
  void AfterBody(serving::ApiRequestPtr request, net::RequestBody body);

  PipelineOptions options_;
  std::atomic<int64_t> readonly_in_flight_{0};
  std::atomic<int64_t> mutating_in_flight_{0};
  std::atomic<bool> rejecting_{false};
};

}  // namespace skiff::apiserver

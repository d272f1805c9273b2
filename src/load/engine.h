// Sends requests to an API server, many at a time, and measures them.
//
// Closed loop: each of connections × streams slots sends its next request when its last one is
// answered, so the load follows the server. What to send is a LoadPlan's choice; the same engine
// prepares objects, applies load and cleans up.
//
// The engine has threads of its own, one event loop each, over which connections are spread. Its
// calls belong to one thread, which waits in them; meanwhile `tick` is called there several times a
// second, for progress, and may end the work early.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "load/latency_histogram.h"
#include "net/client/http_client.h"

namespace skiff::load {

struct LoadTarget {
  net::ClientEndpoint endpoint;
  std::shared_ptr<const net::ClientTls> tls;
  net::HttpHeaders headers;  // of every request
};

struct LoadShape {
  size_t threads = 1;
  size_t connections = 4;
  size_t streams = 8;  // of each connection
};

struct LoadStep {
  size_t operation = 0;  // its place in the report
  net::ClientRequest request;
};

// What is sent next. Called by all threads of the engine.
class LoadPlan {
 public:
  virtual ~LoadPlan() = default;
  // Nothing: this was all.
  virtual std::optional<LoadStep> Next(Random& random) = 0;
};

struct OperationFigures {
  uint64_t count = 0;   // answered with 2xx
  uint64_t errors = 0;  // any other outcome
  uint64_t body_bytes = 0;
  LatencyHistogram latency;  // of those that count
  std::string first_error;

  void Add(const OperationFigures& other);
};

struct LoadFigures {
  std::vector<OperationFigures> operations;
  Duration elapsed{};
  bool ended_early = false;  // because `tick` said so
};

struct LoadProgress {
  uint64_t done = 0;
  uint64_t errors = 0;
  Duration elapsed{};
};
// Whether to go on.
using LoadTick = std::function<bool(const LoadProgress&)>;

struct LoadResponse {
  int code = 0;
  std::string body;  // up to limits::kMaxDocumentBytes of it
};

class LoadEngine {
 public:
  // The clock must outlive it.
  static Result<std::unique_ptr<LoadEngine>> Start(LoadTarget target, LoadShape shape,
                                                   Clock& clock);
  LoadEngine(const LoadEngine&) = delete;
  LoadEngine& operator=(const LoadEngine&) = delete;
  ~LoadEngine();

  // Sends what the plan gives until it gives nothing more, or `duration` is over.
  LoadFigures Run(LoadPlan& plan, size_t operations, Duration duration, const LoadTick& tick);
  // One request, and its answer whatever its code is.
  Result<LoadResponse> Ask(net::ClientRequest request);

  const std::vector<std::shared_ptr<net::EventLoop>>& loops() const { return loops_; }
  const LoadTarget& target() const { return target_; }
  Clock& clock() { return clock_; }

 private:
  class Worker;

  LoadEngine(LoadTarget target, LoadShape shape, Clock& clock)
      : target_(std::move(target)), shape_(shape), clock_(clock) {}

  const LoadTarget target_;
  const LoadShape shape_;
  Clock& clock_;
  std::vector<std::shared_ptr<net::EventLoop>> loops_;
  std::vector<std::unique_ptr<net::HttpClient>> clients_;  // one for each loop
};

// Runs a task on a loop and waits until it has run.
void RunOnLoop(net::EventLoop& loop, Clock& clock, const std::function<void()>& task);

// "HTTP 403: pods is forbidden: …": the code, and the message of a Status if there is one.
std::string DescribeAnswer(int code, std::string_view body);

}  // namespace skiff::load

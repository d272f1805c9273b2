// /healthz, /livez and /readyz: whether the server works, check by check; and /metrics/slis, which
// tells how the checks came out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "serving/request/api_request.h"

namespace skiff::serving {

struct HealthCheck {
  enum Endpoint : uint8_t { kHealthz = 1, kLivez = 2, kReadyz = 4, kAll = 7 };

  std::string name;
  uint8_t endpoints = kAll;
  // Empty when all is well; otherwise what is wrong, for the log.
  std::function<std::string()> check;
  // Something to know of a check that all is well with; shown to everyone who asks for details. May
  // be empty, and left out.
  std::function<std::string()> note = {};
};

// How checks came out when somebody asked for all of them, for /metrics/slis. Any thread.
class HealthMetrics {
 public:
  // `started` is in seconds since the epoch.
  explicit HealthMetrics(double started);
  void Observe(std::string_view check, std::string_view endpoint, bool well);
  std::string Text() const { return registry_.Text(); }

 private:
  MetricsRegistry registry_;
  GaugeFamily& last_;
  CounterFamily& total_;
};

// Immutable once it serves; any thread may ask.
class Health {
 public:
  void Add(HealthCheck check) { checks_.push_back(std::move(check)); }
  // Until then /livez finds nothing wrong: a server that starts slowly is not to be killed. `clock`
  // outlives this.
  void SetLivezGrace(Clock& clock, Duration until) {
    clock_ = &clock;
    livez_from_ = until;
  }

  // They outlive this.
  void SetMetrics(HealthMetrics& metrics) { metrics_ = &metrics; }

  // Answers /healthz, /livez/ping and their like; false: the path is none of them.
  bool Answer(ApiRequest& request) const;
  // Those of the single checks: "/livez/ping".
  std::vector<std::string> Paths() const;

 private:
  void AnswerAll(ApiRequest& request, std::string_view name, uint8_t endpoint) const;
  void AnswerOne(ApiRequest& request, std::string_view endpoint_name, uint8_t endpoint,
                 std::string_view check) const;

  // What is wrong, as this endpoint sees it.
  std::string Run(const HealthCheck& check, uint8_t endpoint) const;

  std::vector<HealthCheck> checks_;
  HealthMetrics* metrics_ = nullptr;
  Clock* clock_ = nullptr;
  Duration livez_from_{0};
};

}  // namespace skiff::serving

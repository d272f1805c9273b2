// What clients tell of their requests: the metrics rest_client_*.
//
// One object for all clients of a process. Any thread.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"

namespace skiff::client {

class RestClientMetrics {
 public:
  // The registry must outlive it, and it the clients.
  explicit RestClientMetrics(MetricsRegistry& registry);

  // A request waited so long for its turn.
  void Waited(std::string_view host, std::string_view method, Duration time);
  // It was tried again, since there was no answer (code zero) or that one.
  void Retried(std::string_view host, std::string_view method, int code);
  // One try has ended; without an answer the code is zero.
  struct Try {
    std::string_view host;
    std::string_view method;
    int code = 0;
    Duration time{};
    size_t sent_bytes = 0;
    size_t received_bytes = 0;
  };
  void Ended(const Try& request);

 private:
  CounterFamily& requests_;
  CounterFamily& retries_;
  HistogramFamily& duration_;
  HistogramFamily& limiter_duration_;
  HistogramFamily& request_size_;
  HistogramFamily& response_size_;
};

}  // namespace skiff::client

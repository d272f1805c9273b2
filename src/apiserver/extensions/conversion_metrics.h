// What is counted of conversion webhooks: how long their calls take, and how they end.
#pragma once

#include <string_view>

#include "apiserver/webhook/conversion_review.h"
#include "base/clock.h"
#include "base/metrics.h"

namespace skiff::apiserver {

// Made once, of the registry of the server. Any thread.
class ConversionMetrics {
 public:
  explicit ConversionMetrics(MetricsRegistry& registry);

  struct Call {
    std::string_view definition;  // things.example.com
    std::string_view from;        // v1
    std::string_view to;
  };
  void Note(const Call& call, ConversionEnd end, Duration took);

 private:
  HistogramFamily& by_version_;
  HistogramFamily& by_end_;
  CounterFamily& requests_;
};

}  // namespace skiff::apiserver

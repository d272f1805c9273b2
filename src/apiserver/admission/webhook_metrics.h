// What is counted of webhooks: how long each takes, what it comes to, who was refused by it and who
// passed because it failed.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/rest/admission.h"
#include "base/clock.h"
#include "base/metrics.h"

namespace skiff::apiserver {

// How a call of a webhook ended.
enum class WebhookEnd : uint8_t {
  kAllowed,
  kCallFailed,  // there is no valid answer
  kRejected,    // the answer is no
  kFault,       // the server could not use the answer, or not ask
};

// Made once, of the registry of the server.
struct WebhookMetricFamilies {
  explicit WebhookMetricFamilies(MetricsRegistry& registry);

  HistogramFamily& duration;
  CounterFamily& requests;
  CounterFamily& rejections;
  CounterFamily& fail_opens;
  CounterFamily& condition_errors;
  CounterFamily& condition_exclusions;
  HistogramFamily& condition_seconds;
};

class WebhookMetrics {
 public:
  // `mutates` is their label "type". Null: nobody counts.
  WebhookMetrics(WebhookMetricFamilies* families, bool mutates)
      : families_(families), type_(mutates ? "admit" : "validating") {}

  // `ignored`: it failed, and the request goes on. `code` is that of the answer, 0 for a fault.
  void NoteCall(std::string_view webhook, AdmissionOperation operation, WebhookEnd end,
                bool ignored, int code, Duration took);
  // Of its matchConditions.
  void NoteConditions(std::string_view webhook, AdmissionOperation operation, bool matches,
                      bool failed, Duration took);

 private:
  WebhookMetricFamilies* families_;
  std::string_view type_;
};

}  // namespace skiff::apiserver

#include "apiserver/extensions/conversion_metrics.h"

#include <chrono>

namespace skiff::apiserver {
namespace {

constexpr std::string_view kVersionLabels[] = {"crd_name", "from_version", "succeeded",
                                               "to_version"};
constexpr double kVersionBuckets[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                                      0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};
constexpr MetricSpec kByVersion{
    .name = "apiserver_crd_conversion_webhook_duration_seconds",
    .help = "[ALPHA] Seconds that calls of conversion webhooks took, by definition and versions.",
    .labels = kVersionLabels,
    .buckets = kVersionBuckets};

constexpr std::string_view kEndLabels[] = {"failure_type", "result"};
constexpr double kEndBuckets[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
                                  2,     5,    10,   20,   30,  45,  60};
constexpr MetricSpec kByEnd{
    .name = "apiserver_conversion_webhook_duration_seconds",
    .help = "[ALPHA] Seconds that calls of conversion webhooks took, by how they ended.",
    .labels = kEndLabels,
    .buckets = kEndBuckets};
constexpr MetricSpec kRequests{.name = "apiserver_conversion_webhook_request_total",
                               .help = "[ALPHA] Calls of conversion webhooks, by how they ended.",
                               .labels = kEndLabels};

std::string_view FailureOf(ConversionEnd end) {
  switch (end) {
    case ConversionEnd::kConverted:
      return "";
    case ConversionEnd::kCallFailed:
      return "conversion_webhook_call_failure";
    case ConversionEnd::kMalformed:
      return "conversion_webhook_malformed_response_failure";
    case ConversionEnd::kOthers:
      return "conversion_webhook_partial_response_failure";
    case ConversionEnd::kInvalidObjects:
      break;
  }
  return "conversion_webhook_invalid_converted_object_failure";
}

}  // namespace

ConversionMetrics::ConversionMetrics(MetricsRegistry& registry)
    : by_version_(registry.AddHistogram(kByVersion)),
      by_end_(registry.AddHistogram(kByEnd)),
      requests_(registry.AddCounter(kRequests)) {}

void ConversionMetrics::Note(const Call& call, ConversionEnd end, Duration took) {
  const bool succeeded = end == ConversionEnd::kConverted;
  const double seconds = std::chrono::duration<double>(took).count();
  const std::string_view result = succeeded ? "success" : "failure";
  by_version_.With({call.definition, call.from, succeeded ? "true" : "false", call.to})
      .Observe(seconds);
  by_end_.With({FailureOf(end), result}).Observe(seconds);
  requests_.With({FailureOf(end), result}).Add();
}

}  // namespace skiff::apiserver

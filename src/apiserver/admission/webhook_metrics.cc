#include "apiserver/admission/webhook_metrics.h"

#include <algorithm>
#include <string>

#include "apiserver/admission/request.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kDurationLabels[] = {"name", "operation", "rejected", "type"};
constexpr double kDurationBuckets[] = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25};
constexpr MetricSpec kDuration{
    .name = "apiserver_admission_webhook_admission_duration_seconds",
    .help = "[STABLE] Seconds that calls of a webhook took, by operation and outcome.",
    .labels = kDurationLabels,
    .buckets = kDurationBuckets};
constexpr std::string_view kRequestLabels[] = {"code", "name", "operation", "rejected", "type"};
constexpr MetricSpec kRequests{
    .name = "apiserver_admission_webhook_request_total",
    .help = "[ALPHA] Calls of a webhook, by operation, code of the answer and outcome.",
    .labels = kRequestLabels};
constexpr std::string_view kRejectionLabels[] = {"error_type", "name", "operation",
                                                 "rejection_code", "type"};
constexpr MetricSpec kRejections{
    .name = "apiserver_admission_webhook_rejection_count",
    .help = "[ALPHA] Requests refused because of a webhook: by itself, or because it failed.",
    .labels = kRejectionLabels};
constexpr std::string_view kFailOpenLabels[] = {"name", "type"};
constexpr MetricSpec kFailOpens{
    .name = "apiserver_admission_webhook_fail_open_count",
    .help = "[ALPHA] Requests that passed although a webhook could not be asked.",
    .labels = kFailOpenLabels};

constexpr std::string_view kConditionLabels[] = {"kind", "name", "operation", "type"};
constexpr double kConditionBuckets[] = {0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25};
constexpr MetricSpec kConditionErrors{
    .name = "apiserver_admission_match_condition_evaluation_errors_total",
    .help = "[ALPHA] Match conditions that failed, by who has them and operation.",
    .labels = kConditionLabels};
constexpr MetricSpec kConditionExclusions{
    .name = "apiserver_admission_match_condition_exclusions_total",
    .help = "[ALPHA] Requests that match conditions excluded, by who has them and operation.",
    .labels = kConditionLabels};
constexpr MetricSpec kConditionSeconds{
    .name = "apiserver_admission_match_condition_evaluation_seconds",
    .help = "[ALPHA] Seconds that match conditions took, by who has them and operation.",
    .labels = kConditionLabels,
    .buckets = kConditionBuckets};

// Codes come from webhooks, and may be anything.
constexpr int kMaxCode = 600;

std::string_view ErrorType(WebhookEnd end) {
  switch (end) {
    case WebhookEnd::kCallFailed:
      return "calling_webhook_error";
    case WebhookEnd::kFault:
      return "apiserver_internal_error";
    default:
      return "no_error";
  }
}

}  // namespace

WebhookMetricFamilies::WebhookMetricFamilies(MetricsRegistry& registry)
    : duration(registry.AddHistogram(kDuration)),
      requests(registry.AddCounter(kRequests)),
      rejections(registry.AddCounter(kRejections)),
      fail_opens(registry.AddCounter(kFailOpens)),
      condition_errors(registry.AddCounter(kConditionErrors)),
      condition_exclusions(registry.AddCounter(kConditionExclusions)),
      condition_seconds(registry.AddHistogram(kConditionSeconds)) {}

void WebhookMetrics::NoteCall(std::string_view webhook, AdmissionOperation operation,
                              WebhookEnd end, bool ignored, int code, Duration took) {
  if (families_ == nullptr) return;
  const bool rejected = end != WebhookEnd::kAllowed && !ignored;
  const std::string_view was_rejected = rejected ? "true" : "false";
  const std::string code_text = std::to_string(std::min(code, kMaxCode));
  const std::string_view name = OperationName(operation);
  families_->requests.With({code_text, webhook, name, was_rejected, type_}).Add();
  families_->duration.With({webhook, name, was_rejected, type_})
      .Observe(std::chrono::duration<double>(took).count());
  if (rejected) {
    families_->rejections.With({ErrorType(end), webhook, name, code_text, type_}).Add();
  } else if (ignored) {
    families_->fail_opens.With({webhook, type_}).Add();
  }
}

void WebhookMetrics::NoteConditions(std::string_view webhook, AdmissionOperation operation,
                                    bool matches, bool failed, Duration took) {
  if (families_ == nullptr) return;
  const std::initializer_list<std::string_view> labels = {"webhook", webhook,
                                                          OperationName(operation), type_};
  families_->condition_seconds.With(labels).Observe(std::chrono::duration<double>(took).count());
  if (failed) {
    families_->condition_errors.With(labels).Add();
  } else if (!matches) {
    families_->condition_exclusions.With(labels).Add();
  }
}

}  // namespace skiff::apiserver

#include "client/https/rest_metrics.h"

#include <string>

namespace skiff::client {
namespace {

constexpr std::string_view kByMethod[] = {"code", "host", "method"};
constexpr std::string_view kByCode[] = {"code", "host", "verb"};
constexpr std::string_view kByVerb[] = {"host", "verb"};
constexpr double kSeconds[] = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
constexpr double kBytes[] = {64,    256,    512,     1024,    4096,    16384,
                             65536, 262144, 1048576, 4194304, 16777216};

constexpr MetricSpec kRequests{.name = "rest_client_requests_total",
                               .help = "[ALPHA] Requests of clients.",
                               .labels = kByMethod};
constexpr MetricSpec kRetries{
    .name = "rest_client_request_retries_total",
    .help = "[ALPHA] Requests of clients that were made again, by what came of the try before.",
    .labels = kByCode};
constexpr MetricSpec kDuration{.name = "rest_client_request_duration_seconds",
                               .help = "[ALPHA] Seconds from a request of a client to its answer.",
                               .labels = kByVerb,
                               .buckets = kSeconds};
constexpr MetricSpec kLimiterDuration{
    .name = "rest_client_rate_limiter_duration_seconds",
    .help =
        "[ALPHA] Seconds that a request waited for its turn under the rate limit of its client.",
    .labels = kByVerb,
    .buckets = kSeconds};
constexpr MetricSpec kRequestSize{.name = "rest_client_request_size_bytes",
                                  .help = "[ALPHA] Bytes in the body of a request of a client.",
                                  .labels = kByVerb,
                                  .buckets = kBytes};
constexpr MetricSpec kResponseSize{.name = "rest_client_response_size_bytes",
                                   .help = "[ALPHA] Bytes in the body of an answer to a client.",
                                   .labels = kByVerb,
                                   .buckets = kBytes};

double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

std::string CodeText(int code) { return code == 0 ? "<error>" : std::to_string(code); }

}  // namespace

RestClientMetrics::RestClientMetrics(MetricsRegistry& registry)
    : requests_(registry.AddCounter(kRequests)),
      retries_(registry.AddCounter(kRetries)),
      duration_(registry.AddHistogram(kDuration)),
      limiter_duration_(registry.AddHistogram(kLimiterDuration)),
      request_size_(registry.AddHistogram(kRequestSize)),
      response_size_(registry.AddHistogram(kResponseSize)) {}

void RestClientMetrics::Waited(std::string_view host, std::string_view method, Duration time) {
  limiter_duration_.With({host, method}).Observe(Seconds(time));
}

void RestClientMetrics::Retried(std::string_view host, std::string_view method, int code) {
  retries_.With({CodeText(code), host, method}).Add();
}

void RestClientMetrics::Ended(const Try& request) {
  requests_.With({CodeText(request.code), request.host, request.method}).Add();
  duration_.With({request.host, request.method}).Observe(Seconds(request.time));
  request_size_.With({request.host, request.method})
      .Observe(static_cast<double>(request.sent_bytes));
  if (request.code != 0)
    response_size_.With({request.host, request.method})
        .Observe(static_cast<double>(request.received_bytes));
}

}  // namespace skiff::client

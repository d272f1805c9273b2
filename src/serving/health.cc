#include "serving/health.h"

#include <algorithm>

#include "base/strings.h"
#include "serving/request/respond.h"

namespace skiff::serving {
namespace {

struct Named {
  std::string_view name;
  uint8_t endpoint;
};
constexpr Named kEndpoints[] = {{"healthz", HealthCheck::kHealthz},
                                {"livez", HealthCheck::kLivez},
                                {"readyz", HealthCheck::kReadyz}};

constexpr std::string_view kCheckLabels[] = {"name", "type"};
constexpr std::string_view kOutcomeLabels[] = {"name", "status", "type"};
constexpr MetricSpec kLastSpec{.name = "kubernetes_healthcheck",
                               .help = "[STABLE] 1 when the check last succeeded.",
                               .labels = kCheckLabels};
constexpr MetricSpec kTotalSpec{.name = "kubernetes_healthchecks_total",
                                .help = "[STABLE] Checks, by how they came out.",
                                .labels = kOutcomeLabels};
constexpr MetricSpec kStartedSpec{.name = "process_start_time_seconds",
                                  .help = "[STABLE] When the process started, since the epoch."};

}  // namespace

HealthMetrics::HealthMetrics(double started)
    : last_(registry_.AddGauge(kLastSpec)), total_(registry_.AddCounter(kTotalSpec)) {
  registry_.AddGauge(kStartedSpec).With({}).Set(started);
}

void HealthMetrics::Observe(std::string_view check, std::string_view endpoint, bool well) {
  last_.With({check, endpoint}).Set(well ? 1 : 0);
  total_.With({check, well ? "success" : "error", endpoint}).Add();
}

bool Health::Answer(ApiRequest& request) const {
  std::string_view path = request.info.path;
  path.remove_prefix(1);
  for (const Named& each : kEndpoints) {
    if (path == each.name) {
      AnswerAll(request, each.name, each.endpoint);
      return true;
    }
    if (path.starts_with(each.name) && path.substr(each.name.size()).starts_with('/')) {
      AnswerOne(request, each.name, each.endpoint, path.substr(each.name.size() + 1));
      return true;
    }
  }
  return false;
}

std::vector<std::string> Health::Paths() const {
  std::vector<std::string> out;
  for (const Named& each : kEndpoints) {
    for (const HealthCheck& check : checks_) {
      if ((check.endpoints & each.endpoint) == 0) continue;
      out.push_back("/" + std::string(each.name) + "/" + check.name);
    }
  }
  return out;
}

std::string Health::Run(const HealthCheck& check, uint8_t endpoint) const {
  if (endpoint == HealthCheck::kLivez && clock_ != nullptr && clock_->Monotonic() < livez_from_) {
    return {};
  }
  return check.check();
}

void Health::AnswerAll(ApiRequest& request, std::string_view name, uint8_t endpoint) const {
  std::vector<std::string_view> excluded = request.query.All("exclude");
  std::string lines;
  bool failed = false;
  for (const HealthCheck& each : checks_) {
    if ((each.endpoints & endpoint) == 0) continue;
    const auto found = std::ranges::find(excluded, std::string_view(each.name));
    if (found != excluded.end()) {
      excluded.erase(found);
      lines += "[+]" + each.name + " excluded: ok\n";
      continue;
    }
    const bool well = Run(each, endpoint).empty();
    if (metrics_ != nullptr) metrics_->Observe(each.name, name, well);
    failed = failed || !well;
    const std::string note = well && each.note ? each.note() : std::string();
    lines += well ? "[+]" + each.name + " ok" + (note.empty() ? "" : ": " + note) + "\n"
                  : "[-]" + each.name + " failed: reason withheld\n";
  }
  for (const std::string_view each : excluded) {
    lines += "warn: some health checks cannot be excluded: no matches for " + Quoted(each) + "\n";
  }
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  const std::string check_name(name);
  if (failed) {
    return RespondBytes(request, 500, "text/plain; charset=utf-8",
                        SharedBytes(lines + check_name + " check failed\n"), std::move(extra));
  }
  const bool verbose = request.query.Find("verbose") != nullptr;
  RespondBytes(request, 200, "text/plain; charset=utf-8",
               SharedBytes(verbose ? lines + check_name + " check passed\n" : "ok"),
               std::move(extra));
}

void Health::AnswerOne(ApiRequest& request, std::string_view endpoint_name, uint8_t endpoint,
                       std::string_view check) const {
  for (const HealthCheck& each : checks_) {
    if ((each.endpoints & endpoint) == 0 || each.name != check) continue;
    const std::string wrong = Run(each, endpoint);
    if (wrong.empty()) return RespondText(request, 200, "ok");
    return RespondText(request, 500,
                       "internal server error: " + std::string(endpoint_name) +
                           " check failed: " + each.name + "\n");
  }
  RespondUnknownPath(request);
}

}  // namespace skiff::serving

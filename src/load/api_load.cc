#include "load/api_load.h"

#include <utility>

#include "base/limits.h"

namespace skiff::load {
namespace {

constexpr size_t kRunNameLetters = 8;
constexpr std::chrono::minutes kRemovalTimeout{5};
// A server may remove as much as it can within the time of a request, and then has to be asked
// again.
constexpr int kMaxRemovals = 100;

std::string RandomName(Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name;
  while (name.size() < kRunNameLetters) name += kLetters[random.Uniform(kLetters.size())];
  return name;
}

// The value of the first text member of that name; enough for answers whose shape is known.
std::string MemberText(std::string_view json, std::string_view name) {
  std::string key = "\"";
  key.append(name).append("\":");
  size_t at = json.find(key);
  if (at == std::string_view::npos) return "";
  at = json.find_first_not_of(" \n", at + key.size());
  if (at == std::string_view::npos || json[at] != '"') return "";
  return std::string(json.substr(at + 1, json.find('"', at + 1) - at - 1));
}

std::unexpected<Status> Refused(std::string_view what, const LoadResponse& answer) {
  return Fail(StatusReason::kServiceUnavailable,
              std::string(what) + ": " + DescribeAnswer(answer.code, answer.body));
}

}  // namespace

ApiLoad::ApiLoad(LoadEngine& engine, ApiLoadOptions options, Random& random, StepTick step_tick)
    : engine_(engine),
      options_(std::move(options)),
      step_tick_(std::move(step_tick)),
      run_(RandomName(random)),
      name_space_(options_.name_space.empty() ? "skiff-bench-" + run_ : options_.name_space),
      objects_(options_.kind, name_space_, run_, options_.object_bytes) {
  report_.name_space = name_space_;
  for (const std::string_view name : OperationsOf(options_.plan.scenario))
    report_.names.push_back(name);
}

Result<void> ApiLoad::UseTemplate() {
  if (options_.object_template.empty()) return {};
  std::string collection = options_.resource.empty()
                               ? CollectionPath(options_.kind, name_space_)
                               : CollectionPath(options_.resource, name_space_);
  SKIFF_ASSIGN_OR_RETURN(objects_, LoadObjects::OfTemplate(std::move(collection), name_space_, run_,
                                                           options_.object_template));
  return {};
}

Result<ApiLoadReport> ApiLoad::Run() {
  SKIFF_RETURN_IF_ERROR(UseTemplate());
  Result<void> outcome = Prepare();
  if (outcome && !report_.load.ended_early)
    outcome = options_.plan.scenario == LoadScenario::kWatch ? ApplyFanOut() : ApplyLoad();
  if (!options_.keep) CleanUp();
  if (!outcome && report_.left_behind.empty()) return std::unexpected(outcome.error());
  if (!outcome)
    return Fail(outcome.error().reason(),
                outcome.error().message() + " (and " + report_.left_behind + ")");
  return std::move(report_);
}

Result<LoadResponse> ApiLoad::Send(std::string_view method, std::string path,
                                   std::string_view body) {
  net::ClientRequest request;
  request.method = method;
  request.path = std::move(path);
  request.headers.Add("accept", "application/json");
  if (!body.empty()) request.headers.Add("content-type", "application/json");
  request.body = SharedBytes(body);
  if (method == "DELETE") request.timeout = kRemovalTimeout;
  return engine_.Ask(std::move(request));
}

Result<void> ApiLoad::ReadUsage(std::optional<ProcessUsage>& usage) const {
  if (!options_.server_pid) return {};
  SKIFF_ASSIGN_OR_RETURN(usage, ReadProcessUsage(*options_.server_pid));
  return {};
}

Result<void> ApiLoad::Prepare() {
  SKIFF_RETURN_IF_ERROR(ReadUsage(report_.before));
  SKIFF_ASSIGN_OR_RETURN(const LoadResponse version, Send("GET", "/version"));
  if (version.code != 200) return Refused("GET /version", version);
  report_.server_version = MemberText(version.body, "gitVersion");
  SKIFF_RETURN_IF_ERROR(MakeNamespace());
  switch (options_.plan.scenario) {
    case LoadScenario::kCreate:
    case LoadScenario::kWatch:
      return {};
    default:
      return MakeObjects(options_.plan.objects);
  }
}

Result<void> ApiLoad::MakeNamespace() {
  if (options_.name_space.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const LoadResponse made,
                           Send("POST", "/api/v1/namespaces",
                                R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" +
                                    name_space_ + "\"}}"));
    if (made.code != 201) return Refused("creating the namespace " + name_space_, made);
    made_namespace_ = true;
  }
  if (options_.kind != LoadKind::kPod) return {};
  // Pods need an account; where a controller makes one, either may be the first.
  SKIFF_ASSIGN_OR_RETURN(
      const LoadResponse account,
      Send("POST", "/api/v1/namespaces/" + name_space_ + "/serviceaccounts",
           R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}})"));
  if (account.code != 201 && account.code != 409)
    return Refused("creating the service account of the namespace " + name_space_, account);
  return {};
}

Result<void> ApiLoad::MakeObjects(uint64_t count) {
  const auto plan = MakeCreates(objects_, 0, count);
  const LoadFigures made =
      engine_.Run(*plan, 1, Clock::kForever, step_tick_ ? step_tick_("preparing") : LoadTick());
  report_.load.ended_early = made.ended_early;
  const OperationFigures& creates = made.operations.front();
  if (creates.errors == 0) return {};
  return Fail(StatusReason::kServiceUnavailable,
              std::to_string(creates.errors) + " of " + std::to_string(count) +
                  " objects could not be created: " + creates.first_error);
}

Result<void> ApiLoad::ApplyLoad() {
  const auto plan = MakePlan(options_.plan, objects_);
  const size_t operations = report_.names.size();
  SKIFF_RETURN_IF_ERROR(ReadUsage(report_.before));
  report_.load = engine_.Run(*plan, operations, options_.duration,
                             step_tick_ ? step_tick_("running") : LoadTick());
  return ReadUsage(report_.after);
}

Result<void> ApiLoad::ApplyFanOut() {
  SKIFF_ASSIGN_OR_RETURN(const LoadResponse list, Send("GET", objects_.collection() + "?limit=1"));
  if (list.code != 200) return Refused("listing", list);
  FanOut fan_out(engine_, objects_, options_.fan_out);
  SKIFF_RETURN_IF_ERROR(fan_out.Open(MemberText(list.body, "resourceVersion"),
                                     step_tick_ ? step_tick_("opening watches") : LoadTick()));
  SKIFF_RETURN_IF_ERROR(ReadUsage(report_.before));
  report_.fan_out = fan_out.Run(step_tick_ ? step_tick_("events delivered") : LoadTick());
  SKIFF_RETURN_IF_ERROR(ReadUsage(report_.after));
  report_.load.operations = {report_.fan_out->creates};
  report_.load.elapsed = report_.fan_out->elapsed;
  report_.load.ended_early = report_.fan_out->ended_early;
  return {};
}

Result<void> ApiLoad::RemoveObjects() {
  std::string path = objects_.collection() + "?labelSelector=" + std::string(kLoadLabel) + "%3D" +
                     run_ + "&gracePeriodSeconds=0";
  for (int i = 0; i < kMaxRemovals; ++i) {
    SKIFF_ASSIGN_OR_RETURN(const LoadResponse removed, Send("DELETE", path));
    if (removed.code >= 200 && removed.code < 300) return {};
    if (removed.code != 504 && removed.code != 429) return Refused("removing objects", removed);
  }
  return Fail(StatusReason::kTimeout, "removing objects takes too long");
}

void ApiLoad::CleanUp() {
  if (step_tick_) step_tick_("cleaning up")({});
  Result<void> removed = RemoveObjects();
  if (removed && made_namespace_) {
    const Result<LoadResponse> answer = Send("DELETE", "/api/v1/namespaces/" + name_space_);
    if (!answer) {
      removed = std::unexpected(answer.error());
    } else if (answer->code != 404 && (answer->code < 200 || answer->code >= 300)) {
      removed = Refused("removing the namespace", *answer);
    }
  }
  if (!removed && (made_namespace_ || !options_.name_space.empty()))
    report_.left_behind =
        "the namespace " + name_space_ + " is left as it is: " + removed.error().message();
}

}  // namespace skiff::load

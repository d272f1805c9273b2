// Deployments, jobs, cron jobs, revisions; events, quotas and component statuses.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/human_duration.h"
#include "apiserver/tables/list_text.h"
#include "object/selector/label_selector.h"
#include "views/apps/v1.h"
#include "views/batch/v1.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

using namespace views;
Cell DeploymentSelector(const CellContext& context) {
  const auto selector =
      object::LabelSelector::FromValue(context.object.FindPath({"spec", "selector"}));
  return selector ? context.Text(selector->ToString()) : Cell::Text("<invalid>");
}

Cell RevisionController(const CellContext& context) {
  const apps_v1::ControllerRevision revision(&context.object);
  for (const meta_v1::OwnerReference owner : revision.metadata().owner_references()) {
    if (!owner.controller().value_or(false)) continue;
    std::string kind = LowerAscii(owner.kind());
    const std::string_view version = owner.api_version();
    if (const size_t slash = version.find('/'); slash != std::string_view::npos && slash != 0) {
      kind += "." + LowerAscii(version.substr(0, slash));
    }
    if (kind.empty()) return Cell::Text(owner.name());
    return context.Concat({kind, "/", owner.name()});
  }
  return Cell::Unset();
}

bool JobHas(const batch_v1::Job& job, std::string_view type) {
  for (const batch_v1::JobCondition condition : job.status().conditions()) {
    if (condition.type() == type) return condition.status() == "True";
  }
  return false;
}

Cell JobStatus(const CellContext& context) {
  const batch_v1::Job job(&context.object);
  for (const std::string_view type : {"Complete", "Failed"}) {
    if (JobHas(job, type)) return Cell::Text(type);
  }
  if (job.metadata().deletion_timestamp()) return Cell::Text("Terminating");
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (JobHas(job, type)) return Cell::Text(type);
  }
  return Cell::Text("Running");
}

Cell JobCompletions(const CellContext& context) {
  const batch_v1::Job job(&context.object);
  const std::string_view done = context.Number(job.status().succeeded());
  if (const auto wanted = job.spec().completions()) {
    return context.Concat({done, "/", context.Number(*wanted)});
  }
  const int32_t parallelism = job.spec().parallelism().value_or(0);
  if (parallelism <= 1) return context.Concat({done, "/1"});
  return context.Concat({done, "/1 of ", context.Number(parallelism)});
}

Cell JobDuration(const CellContext& context) {
  const batch_v1::Job job(&context.object);
  const auto start = job.status().start_time();
  if (!start) return Cell::Text("");
  const object::Timestamp end = job.status().completion_time().value_or(context.now);
  return Cell::Text(context.HumanDuration(NanosecondsBetween(*start, end)));
}

Cell CronJobSuspend(const CellContext& context) {
  const auto suspend = batch_v1::CronJob(&context.object).spec().suspend();
  if (!suspend) return Cell::Text("<unset>");
  return Cell::Text(*suspend ? "True" : "False");
}

Cell EventLastSeen(const CellContext& context) {
  const core_v1::Event event(&context.object);
  if (event.has_series()) return Cell::Text(context.Age(event.series().last_observed_time()));
  for (const object::Timestamp time : {event.last_timestamp(), event.first_timestamp()}) {
    if (!object::IsZero(time)) return Cell::Text(context.Age(time));
  }
  return Cell::Text(context.Age(event.event_time()));
}

Cell EventObject(const CellContext& context) {
  const core_v1::ObjectReference object = core_v1::Event(&context.object).involved_object();
  const std::string kind = LowerAscii(object.kind());
  return object.name().empty() ? context.Text(kind) : context.Concat({kind, "/", object.name()});
}

Cell EventSource(const CellContext& context) {
  const core_v1::Event event(&context.object);
  const auto first = [](std::string_view a, std::string_view b) { return a.empty() ? b : a; };
  const std::string_view component = first(event.source().component(), event.reporting_component());
  const std::string_view host = first(event.source().host(), event.reporting_instance());
  return host.empty() ? Cell::Text(component) : context.Concat({component, ", ", host});
}

Cell Quotas(const CellContext& context, bool limits) {
  const core_v1::ResourceQuotaStatus status = core_v1::ResourceQuota(&context.object).status();
  std::string text;
  for (const auto [name, hard] : status.hard()) {
    if (name.starts_with("limits.") != limits) continue;
    if (!text.empty()) text += ", ";
    const std::string_view used = status.used().Find(name).value_or("0");
    text.append(name).append(": ").append(used).append("/").append(hard);
  }
  return context.Text(text);
}
Cell QuotaRequests(const CellContext& context) { return Quotas(context, false); }
Cell QuotaLimits(const CellContext& context) { return Quotas(context, true); }

core_v1::ComponentCondition HealthOf(const CellContext& context) {
  for (const auto condition : core_v1::ComponentStatus(&context.object).conditions()) {
    if (condition.type() == "Healthy") return condition;
  }
  return core_v1::ComponentCondition();
}

Cell ComponentStatusWord(const CellContext& context) {
  const core_v1::ComponentCondition health = HealthOf(context);
  if (health.AsValue() == nullptr) return Cell::Text("Unknown");
  return Cell::Text(health.status() == "True" ? "Healthy" : "Unhealthy");
}
Cell ComponentMessage(const CellContext& context) {
  return Cell::Text(HealthOf(context).message());
}
Cell ComponentError(const CellContext& context) { return Cell::Text(HealthOf(context).error()); }

constexpr std::string_view kSelector[] = {".spec.selector"};
constexpr std::string_view kOwners[] = {".metadata.ownerReferences"};
constexpr std::string_view kJobStatus[] = {".metadata.deletionTimestamp", ".status.conditions.type",
                                           ".status.conditions.status"};
constexpr std::string_view kJobCounts[] = {".spec.completions", ".spec.parallelism",
                                           ".status.succeeded"};
constexpr std::string_view kJobTimes[] = {".status.startTime", ".status.completionTime"};
constexpr std::string_view kSuspend[] = {".spec.suspend"};
constexpr std::string_view kEventTimes[] = {".series.lastObservedTime", ".lastTimestamp",
                                            ".firstTimestamp", ".eventTime"};
constexpr std::string_view kEventObject[] = {".involvedObject"};
constexpr std::string_view kEventSource[] = {".source", ".reportingComponent",
                                             ".reportingInstance"};
constexpr std::string_view kQuota[] = {".status.hard", ".status.used"};
constexpr std::string_view kComponent[] = {".conditions"};

constexpr CodeCell kCells[] = {
    {"deployment-selector", DeploymentSelector, kSelector},
    {"controllerrevision-controller", RevisionController, kOwners},
    {"job-status", JobStatus, kJobStatus},
    {"job-completions", JobCompletions, kJobCounts},
    {"job-duration", JobDuration, kJobTimes},
    {"cronjob-suspend", CronJobSuspend, kSuspend},
    {"event-last-seen", EventLastSeen, kEventTimes},
    {"event-object", EventObject, kEventObject},
    {"event-source", EventSource, kEventSource},
    {"resourcequota-request", QuotaRequests, kQuota},
    {"resourcequota-limit", QuotaLimits, kQuota},
    {"componentstatus-status", ComponentStatusWord, kComponent},
    {"componentstatus-message", ComponentMessage, kComponent},
    {"componentstatus-error", ComponentError, kComponent},
};

}  // namespace

std::span<const CodeCell> WorkloadCells() { return kCells; }

}  // namespace skiff::apiserver

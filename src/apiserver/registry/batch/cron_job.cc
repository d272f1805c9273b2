#include "apiserver/registry/batch/cron_job.h"

#include <string>

#include "apiserver/registry/batch/cron_schedule.h"
#include "apiserver/registry/batch/job_spec.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "object/scalar/time_zone_name.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

// A job's name is this name and a number of ten digits with a dash.
constexpr size_t kMaxNameLength = 52;
constexpr size_t kMaxZonePartLength = 14;

bool IsZonePart(std::string_view part) {
  if (part.empty() || part.size() > kMaxZonePartLength || part == "." || part == ".." ||
      part.starts_with('-')) {
    return false;
  }
  for (const char c : part) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!alphanumeric && c != '.' && c != '-' && c != '_' && c != '+') return false;
  }
  return true;
}

void ValidateTimeZone(std::string_view zone, FieldErrors& errors) {
  if (zone.empty()) {
    return errors.Invalid("timeZone", zone, "timeZone must be nil or non-empty string");
  }
  const std::string unknown = "unknown time zone " + std::string(zone);
  for (std::string_view rest = zone; true;) {
    const size_t slash = rest.find('/');
    if (!IsZonePart(rest.substr(0, slash))) return errors.Invalid("timeZone", zone, unknown);
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (AsciiLower(zone) == "local") {
    errors.Invalid("timeZone", zone,
                   "timeZone must be an explicit time zone as defined in "
                   "https://www.iana.org/time-zones");
  }
  if (zone != "Local" && !object::IsTimeZoneName(zone)) errors.Invalid("timeZone", zone, unknown);
}

void ValidateSchedule(const batch::CronJobSpec& spec, const batch::CronJobSpec* old,
                      FieldErrors& errors) {
  const std::string_view schedule = spec.schedule();
  if (schedule.empty()) return errors.Required("schedule");
  const std::string problem = CheckCronSchedule(schedule);
  if (!problem.empty()) errors.Invalid("schedule", schedule, problem);
  if (schedule.find("TZ") == std::string_view::npos) return;
  // Zones in schedules never were an interface; those that exist are left alone.
  const bool had_zone = old != nullptr && old->schedule().find("TZ") != std::string_view::npos;
  if (!had_zone) {
    errors.Invalid("schedule", schedule,
                   "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.time_zone()) {
    errors.Invalid("schedule", schedule,
                   "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

void ValidateJobTemplate(const batch::JobSpec& spec, const batch::JobSpec& old,
                         FieldErrors& errors) {
  const auto at = errors.At("jobTemplate.spec");
  ValidateJobSpecOfTemplate(spec, old, errors);
  if (spec.has_selector()) {
    errors.Invalid("selector", spec.selector().AsValue(), "`selector` will be auto-generated");
  }
  if (spec.manual_selector().value_or(false)) {
    errors.NotSupported("manualSelector", true, {"nil", "false"});
  }
}

void ValidateSpec(const batch::CronJobSpec& spec, const batch::CronJobSpec* old,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateSchedule(spec, old, errors);
  ValidateNonNegative(spec.starting_deadline_seconds().value_or(0), "startingDeadlineSeconds",
                      errors);
  if (spec.time_zone() && (old == nullptr || old->time_zone() != spec.time_zone())) {
    ValidateTimeZone(*spec.time_zone(), errors);
  }
  if (spec.concurrency_policy().empty()) {
    errors.Required("concurrencyPolicy");
  } else {
    ValidateOneOf(spec.concurrency_policy(), {"Allow", "Forbid", "Replace"}, "concurrencyPolicy",
                  errors);
  }
  ValidateJobTemplate(spec.job_template().spec(),
                      old != nullptr ? old->job_template().spec() : batch::JobSpec(), errors);
  ValidateNonNegative(spec.successful_jobs_history_limit().value_or(0),
                      "successfulJobsHistoryLimit", errors);
  ValidateNonNegative(spec.failed_jobs_history_limit().value_or(0), "failedJobsHistoryLimit",
                      errors);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const batch::CronJob job(object);
  ValidateSpec(job.spec(), nullptr, errors);
  if (job.metadata().name().size() > kMaxNameLength) {
    errors.Invalid("metadata.name", job.metadata().name(), "must be no more than 52 characters");
  }
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  const batch::CronJobSpec before = batch::CronJob(old).spec();
  ValidateSpec(batch::CronJob(object).spec(), &before, errors);
}

void WarnAboutCronJob(const object::Document& object, const object::Document* old,
                      const KindSettings&, std::vector<std::string>& warnings) {
  const batch::CronJob job(object);
  if (old == nullptr) WarnAboutNameOfPods(job.metadata().name(), warnings);
  const bool changed =
      old == nullptr || batch::CronJob(*old).metadata().generation() != job.metadata().generation();
  if (changed)
    WarnAboutJobSpec(job.spec().job_template().spec(), "spec.jobTemplate.spec", warnings);
  if (old != nullptr && job.spec().schedule().find("TZ") != std::string_view::npos) {
    warnings.push_back(
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
        "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for "
        "more details");
  }
}

}  // namespace

const KindRules kCronJobRules = {.group = "batch",
                                 .kind = "CronJob",
                                 .create = ValidateCreate,
                                 .update = ValidateUpdate,
                                 .warn = WarnAboutCronJob};

}  // namespace skiff::apiserver

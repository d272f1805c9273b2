#include "apiserver/registry/batch/job_status.h"

#include <set>
#include <string>

#include "apiserver/registry/batch/completion_indexes.h"
#include "apiserver/registry/batch/job_spec.h"
#include "apiserver/validation/common.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

// Rules that came late hold for what an update changes only: statuses that broke them before may
// stay as they are.
struct Change {
  explicit Change(const batch::Job& old_job, const batch::Job& job)
      : spec(job.spec()), old(old_job.status()), now(job.status()) {}

  batch::JobSpec spec;
  batch::JobStatus old;
  batch::JobStatus now;

  bool Is(std::string_view condition) const { return HasJobCondition(now, condition); }
  bool Was(std::string_view condition) const { return HasJobCondition(old, condition); }
  bool Changed(std::string_view condition) const { return Is(condition) != Was(condition); }
  bool finished() const { return Is("Complete") || Is("Failed"); }
  bool finished_changed() const { return finished() != (Was("Complete") || Was("Failed")); }
  bool complete_changed() const { return Changed("Complete"); }
  bool indexes_changed() const { return old.completed_indexes() != now.completed_indexes(); }
  bool failed_indexes_changed() const { return old.failed_indexes() != now.failed_indexes(); }
  bool active_changed() const { return old.active() != now.active(); }
  bool start_changed() const { return old.start_time() != now.start_time(); }
  bool completion_changed() const { return old.completion_time() != now.completion_time(); }
  bool uncounted_changed() const {
    return !SameValue(old.uncounted_terminated_pods().AsValue(),
                      now.uncounted_terminated_pods().AsValue());
  }
  const object::Value* Field(std::string_view name) const {
    return now.AsValue() != nullptr ? now.AsValue()->Find(name) : nullptr;
  }
};

void ValidateUids(const object::ListView<std::string_view>& uids, std::string_view field,
                  std::set<std::string_view>& seen, FieldErrors& errors) {
  for (size_t i = 0; i < uids.size(); ++i) {
    const auto at = errors.At(field, i);
    if (uids[i].empty()) {
      errors.Invalid("", uids[i], "must not be empty");
    } else if (!seen.insert(uids[i]).second) {
      errors.Duplicate("", uids[i]);
    }
  }
}

void ValidateCounts(const batch::JobStatus& status, FieldErrors& errors) {
  ValidateNonNegative(status.active(), "active", errors);
  ValidateNonNegative(status.succeeded(), "succeeded", errors);
  ValidateNonNegative(status.failed(), "failed", errors);
  ValidateNonNegative(status.ready().value_or(0), "ready", errors);
  ValidateNonNegative(status.terminating().value_or(0), "terminating", errors);
  const auto at = errors.At("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  ValidateUids(status.uncounted_terminated_pods().succeeded(), "succeeded", seen, errors);
  ValidateUids(status.uncounted_terminated_pods().failed(), "failed", seen, errors);
}

void ValidateTogether(const Change& change, std::string_view one, std::string_view other,
                      FieldErrors& errors) {
  if (!change.Is(one) || !change.Is(other)) return;
  errors.Invalid(
      "conditions", ShownValue::Omitted(),
      "cannot set " + std::string(one) + "=True and " + std::string(other) + "=true conditions");
}

void ValidateNeeds(const Change& change, std::string_view condition, std::string_view needed,
                   FieldErrors& errors) {
  if (!change.Is(condition) || change.Is(needed)) return;
  errors.Invalid("conditions", ShownValue::Omitted(),
                 "cannot set " + std::string(condition) + "=True condition without the " +
                     std::string(needed) + "=true condition");
}

void ValidateTimes(const Change& change, FieldErrors& errors) {
  const auto start = change.now.start_time();
  const auto completion = change.now.completion_time();
  if (change.complete_changed() || change.completion_changed()) {
    if (completion && !change.Is("Complete")) {
      errors.Invalid("completionTime", change.Field("completionTime"),
                     "cannot set completionTime when there is no Complete=True condition");
    }
    if (!completion && change.Is("Complete")) {
      errors.Required("completionTime", "completionTime is required for Complete jobs");
    }
  }
  if ((change.start_changed() || change.completion_changed()) && start && completion &&
      *completion < *start) {
    errors.Invalid("completionTime", change.Field("completionTime"),
                   "must be equal to or after `startTime`");
  }
}

void ValidateConditions(const Change& change, FieldErrors& errors) {
  if (change.complete_changed() || change.Changed("Failed")) {
    ValidateTogether(change, "Complete", "Failed", errors);
  }
  if (change.complete_changed() || change.Changed("FailureTarget")) {
    ValidateTogether(change, "Complete", "FailureTarget", errors);
  }
  ValidateTimes(change, errors);
  if (change.Changed("Failed") || change.failed_indexes_changed()) {
    ValidateNeeds(change, "Failed", "FailureTarget", errors);
  }
  if (change.complete_changed() || change.Changed("SuccessCriteriaMet")) {
    ValidateNeeds(change, "Complete", "SuccessCriteriaMet", errors);
  }
}

void ValidateFinished(const Change& change, FieldErrors& errors) {
  if (!change.finished()) return;
  const batch::JobStatus& now = change.now;
  if ((change.finished_changed() || change.active_changed()) && now.active() > 0) {
    errors.Invalid("active", now.active(), "active>0 is invalid for finished job");
  }
  const bool never_starts = change.spec.suspend() == true && change.spec.completions() == 0;
  if ((change.finished_changed() || change.start_changed()) && !never_starts && !now.start_time()) {
    errors.Required("startTime", "startTime is required for finished job");
  }
  const auto uncounted = now.uncounted_terminated_pods();
  if ((change.finished_changed() || change.uncounted_changed()) &&
      uncounted.failed().size() + uncounted.succeeded().size() > 0) {
    errors.Invalid("uncountedTerminatedPods", uncounted.AsValue(),
                   "must be empty for finished job");
  }
}

void ValidateIndexes(const Change& change, FieldErrors& errors) {
  const batch::JobStatus& now = change.now;
  const auto completions = change.spec.completions();
  const std::string_view completed = now.completed_indexes();
  const auto failed = now.failed_indexes();
  const auto per_index = change.spec.backoff_limit_per_index();
  if (change.indexes_changed() && completions) {
    const Result<int64_t> count = CountCompletionIndexes(completed, *completions);
    if (!count) {
      errors.Invalid("completedIndexes", completed,
                     "error parsing completedIndexes: " + count.error().message());
    }
  }
  if (change.failed_indexes_changed() && completions && per_index && failed) {
    const Result<int64_t> count = CountCompletionIndexes(*failed, *completions);
    if (!count) {
      errors.Invalid("failedIndexes", *failed,
                     "error parsing failedIndexes: " + count.error().message());
    }
  }
  if (change.indexes_changed() && !completed.empty() &&
      change.spec.completion_mode() != kIndexedCompletion) {
    errors.Invalid("completedIndexes", completed,
                   "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (change.failed_indexes_changed() && !per_index && failed) {
    errors.Invalid("failedIndexes", *failed,
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((change.failed_indexes_changed() || change.indexes_changed()) && completions && failed) {
    const int64_t common = FirstCommonIndex(completed, *failed, *completions);
    if (common >= 0) {
      errors.Invalid(
          "failedIndexes", *failed,
          "failedIndexes and completedIndexes overlap at index: " + std::to_string(common));
    }
  }
}

void ValidatePodCounts(const Change& change, FieldErrors& errors) {
  const batch::JobStatus& now = change.now;
  if ((change.finished_changed() || change.old.terminating() != now.terminating()) &&
      now.terminating().value_or(0) > 0 && change.finished()) {
    errors.Invalid("terminating", *now.terminating(), "terminating>0 is invalid for finished job");
  }
  if ((change.old.ready() != now.ready() || change.active_changed()) &&
      now.ready().value_or(0) > now.active() && now.ready()) {
    errors.Invalid("ready", *now.ready(), "cannot set more ready pods than active");
  }
  ValidateTogether(change, "SuccessCriteriaMet", "Failed", errors);
  ValidateTogether(change, "SuccessCriteriaMet", "FailureTarget", errors);
  if (change.spec.has_success_policy() && change.Is("Complete") &&
      !change.Is("SuccessCriteriaMet")) {
    errors.Invalid("conditions", ShownValue::Omitted(),
                   "cannot set Complete=True for Job with SuccessPolicy unless "
                   "SuccessCriteriaMet=True");
  }
}

void ValidateTransition(const Change& change, FieldErrors& errors) {
  const batch::JobStatus& now = change.now;
  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (!change.Was(type) || change.Is(type)) continue;
    errors.Invalid("conditions", ShownValue::Omitted(),
                   "cannot disable the terminal " + std::string(type) + "=True condition");
  }
  if (now.failed() < change.old.failed()) {
    errors.Invalid("failed", now.failed(), "cannot decrease the failed counter");
  }
  // Scaling an indexed job down takes succeeded indexes away.
  const bool is_elastic = change.spec.completion_mode() == kIndexedCompletion &&
                          change.spec.completions() == change.spec.parallelism();
  if (!is_elastic && now.succeeded() < change.old.succeeded()) {
    errors.Invalid("succeeded", now.succeeded(), "cannot decrease the succeeded counter");
  }
  if (now.completion_time() && change.old.completion_time() && change.completion_changed()) {
    errors.Invalid("completionTime", change.Field("completionTime"), kIsImmutable);
  }
  const bool resumes = change.Was("Suspended") && HasJobCondition(now, "Suspended", "False");
  if (change.start_changed() && !resumes && change.old.start_time() &&
      !change.spec.suspend().value_or(false)) {
    errors.Invalid("startTime", change.Field("startTime"),
                   "field is immutable for unsuspended job once set");
  }
  if (change.Was("SuccessCriteriaMet") && !change.Is("SuccessCriteriaMet")) {
    errors.Invalid("conditions", ShownValue::Omitted(),
                   "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (change.Was("Complete") && !change.Was("SuccessCriteriaMet") &&
      change.Is("SuccessCriteriaMet")) {
    errors.Invalid(
        "conditions", ShownValue::Omitted(),
        "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

}  // namespace

bool HasJobCondition(const batch::JobStatus& status, std::string_view type, std::string_view is) {
  for (const auto condition : status.conditions()) {
    if (condition.type() == type && condition.status() == is) return true;
  }
  return false;
}

void ValidateJobStatus(const object::Document& object, const object::Document& old,
                       FieldErrors& errors) {
  const Change change{batch::Job(old), batch::Job(object)};
  const auto at = errors.At("status");
  ValidateCounts(change.now, errors);
  ValidateConditions(change, errors);
  ValidateFinished(change, errors);
  ValidateIndexes(change, errors);
  ValidatePodCounts(change, errors);
  ValidateTransition(change, errors);
}

}  // namespace skiff::apiserver

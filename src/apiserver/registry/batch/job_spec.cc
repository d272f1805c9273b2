#include "apiserver/registry/batch/job_spec.h"

#include <optional>
#include <set>

#include "apiserver/registry/batch/completion_indexes.h"
#include "apiserver/registry/batch/pod_failure_policy.h"
#include "apiserver/registry/core/pod_spec.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "apiserver/validation/common.h"
#include "object/selector/label_selector.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

constexpr int32_t kMaxIndexedParallelism = 100'000;
constexpr int32_t kMaxFailedIndexes = 100'000;
// With more completions than this, what is counted per index has narrower limits.
constexpr int32_t kManyCompletions = 100'000;
constexpr int32_t kMaxParallelismOfMany = 10'000;
constexpr int32_t kMaxFailedIndexesOfMany = 10'000;
constexpr size_t kMaxManagedByBytes = 63;
constexpr size_t kMaxSuccessRules = 20;
constexpr size_t kMaxSucceededIndexesBytes = 65'536;

void ValidateAmounts(const batch::JobSpec& spec, FieldErrors& errors) {
  ValidateNonNegative(spec.parallelism().value_or(0), "parallelism", errors);
  ValidateNonNegative(spec.completions().value_or(0), "completions", errors);
  ValidateNonNegative(spec.active_deadline_seconds().value_or(0), "activeDeadlineSeconds", errors);
  ValidateNonNegative(spec.backoff_limit().value_or(0), "backoffLimit", errors);
  ValidateNonNegative(spec.ttl_seconds_after_finished().value_or(0), "ttlSecondsAfterFinished",
                      errors);
  ValidateNonNegative(spec.backoff_limit_per_index().value_or(0), "backoffLimitPerIndex", errors);
  if (const auto failed = spec.max_failed_indexes()) {
    ValidateNonNegative(*failed, "maxFailedIndexes", errors);
    if (!spec.backoff_limit_per_index()) {
      errors.Required("backoffLimitPerIndex", "when maxFailedIndexes is specified");
    }
  }
}

void ValidateManagedBy(std::string_view manager, FieldErrors& errors) {
  if (manager.empty()) {
    errors.Required("managedBy");
  } else if (!object::IsDomainPrefixedPath(manager)) {
    errors.Invalid("managedBy", manager, object::CheckDomainPrefixedPath(manager));
  }
  if (manager.size() > kMaxManagedByBytes) errors.TooLong("managedBy", kMaxManagedByBytes);
}

void ValidateAtMost(std::optional<int32_t> number, int32_t max, std::string_view field,
                    std::string_view when, FieldErrors& errors) {
  if (!number || *number <= max) return;
  errors.Invalid(field, *number,
                 "must be less than or equal to " + std::to_string(max) + std::string(when));
}

void ValidateIndexed(const batch::JobSpec& spec, FieldErrors& errors) {
  const auto completions = spec.completions();
  const auto failed = spec.max_failed_indexes();
  if (!completions) errors.Required("completions", "when completion mode is Indexed");
  ValidateAtMost(spec.parallelism(), kMaxIndexedParallelism, "parallelism",
                 " when completion mode is Indexed", errors);
  if (completions && failed && *failed > *completions) {
    errors.Invalid("maxFailedIndexes", *failed, "must be less than or equal to completions");
  }
  ValidateAtMost(failed, kMaxFailedIndexes, "maxFailedIndexes", "", errors);
  if (!completions || *completions <= kManyCompletions || !spec.backoff_limit_per_index()) return;
  if (!failed)
    errors.Required("maxFailedIndexes", "must be specified when completions is above 100000");
  constexpr std::string_view kWhen =
      " when completions are above 100000 and used with backoff limit per index";
  ValidateAtMost(spec.parallelism(), kMaxParallelismOfMany, "parallelism", kWhen, errors);
  ValidateAtMost(failed, kMaxFailedIndexesOfMany, "maxFailedIndexes", kWhen, errors);
}

void ValidateCompletionMode(const batch::JobSpec& spec, FieldErrors& errors) {
  const auto mode = spec.completion_mode();
  if (mode) {
    ValidateOneOf(*mode, {"NonIndexed", "Indexed"}, "completionMode", errors);
    if (*mode == kIndexedCompletion) ValidateIndexed(spec, errors);
  }
  if (mode && *mode != "NonIndexed") return;
  constexpr std::string_view kWhy = "requires indexed completion mode";
  if (const auto limit = spec.backoff_limit_per_index()) {
    errors.Invalid("backoffLimitPerIndex", *limit, kWhy);
  }
  if (const auto failed = spec.max_failed_indexes()) {
    errors.Invalid("maxFailedIndexes", *failed, kWhy);
  }
}

void ValidateSuccessRule(const batch::SuccessPolicyRule& rule, int32_t completions,
                         FieldErrors& errors) {
  const auto indexes = rule.succeeded_indexes();
  const auto count = rule.succeeded_count();
  if (!indexes && !count) {
    errors.Required("", "at least one of succeededCount or succeededIndexes must be specified");
  }
  int64_t total = 0;
  if (indexes) {
    if (indexes->size() > kMaxSucceededIndexesBytes) {
      errors.TooLong("succeededIndexes", kMaxSucceededIndexesBytes);
    }
    const Result<int64_t> counted = CountCompletionIndexes(*indexes, completions);
    if (!counted) {
      errors.Invalid("succeededIndexes", *indexes,
                     "error parsing succeededIndexes: " + counted.error().message());
    }
    total = counted.value_or(0);
  }
  if (!count) return;
  ValidateNonNegative(*count, "succeededCount", errors);
  if (*count > completions) {
    errors.Invalid("succeededCount", *count,
                   "must be less than or equal to " + std::to_string(completions) +
                       " (the number of specified completions)");
  }
  if (indexes && *count > total) {
    errors.Invalid("succeededCount", *count,
                   "must be less than or equal to " + std::to_string(total) +
                       " (the number of indexes in the specified succeededIndexes field)");
  }
}

void ValidateSuccessPolicy(const batch::JobSpec& spec, FieldErrors& errors) {
  if (spec.completion_mode() != kIndexedCompletion) {
    return errors.Invalid("successPolicy", spec.success_policy().AsValue(),
                          "requires indexed completion mode");
  }
  const auto at = errors.At("successPolicy");
  const auto rules = spec.success_policy().rules();
  if (rules.empty()) {
    errors.Required("rules",
                    "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.size() > kMaxSuccessRules) errors.TooMany("rules", rules.size(), kMaxSuccessRules);
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at_rule = errors.At("rules", i);
    ValidateSuccessRule(rules[i], spec.completions().value_or(0), errors);
  }
}

void ValidateReplacementPolicy(const batch::JobSpec& spec, FieldErrors& errors) {
  const auto policy = spec.pod_replacement_policy();
  if (!policy) return;
  if (spec.has_pod_failure_policy()) {
    ValidateOneOf(*policy, {"Failed"}, "podReplacementPolicy", errors);
  } else {
    ValidateOneOf(*policy, {"Failed", "TerminatingOrFailed"}, "podReplacementPolicy", errors);
  }
}

void ValidateRestartPolicy(const batch::JobSpec& spec, FieldErrors& errors) {
  constexpr std::string_view kField = "template.spec.restartPolicy";
  const std::string_view policy = spec.template_().spec().restart_policy();
  if (policy.empty() || policy == "Always") {
    errors.Required(kField, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.NotSupported(kField, policy, {"OnFailure", "Never"});
  } else if (spec.has_pod_failure_policy() && policy != "Never") {
    errors.Invalid(kField, policy,
                   "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

}  // namespace

void ValidateJobSpecOfTemplate(const batch::JobSpec& spec, const batch::JobSpec& old,
                               FieldErrors& errors) {
  ValidateAmounts(spec, errors);
  if (const auto manager = spec.managed_by()) ValidateManagedBy(*manager, errors);
  ValidateCompletionMode(spec, errors);
  if (spec.has_pod_failure_policy()) ValidatePodFailurePolicy(spec, errors);
  if (spec.has_success_policy()) ValidateSuccessPolicy(spec, errors);
  ValidateReplacementPolicy(spec, errors);
  {
    const auto at = errors.At("template");
    ValidatePodTemplate(spec.template_(), old.template_(), errors);
  }
  ValidateRestartPolicy(spec, errors);
}

void ValidateJobSpec(const batch::JobSpec& spec, const batch::JobSpec& old, FieldErrors& errors) {
  ValidateJobSpecOfTemplate(spec, old, errors);
  if (!spec.has_selector()) {
    errors.Required("selector");
  } else {
    const auto at = errors.At("selector");
    ValidateLabelSelector(spec.selector(),
                          {.allow_invalid_values = HasInvalidLabelValue(old.selector())}, errors);
  }
  const Result<object::LabelSelector> selector =
      object::LabelSelector::FromValue(spec.selector().AsValue());
  if (!selector) return;
  const object::Value* metadata = spec.template_().metadata().AsValue();
  const object::Value* labels = metadata != nullptr ? metadata->Find("labels") : nullptr;
  if (selector->Matches(labels)) return;
  errors.Invalid("template.metadata.labels", labels, "`selector` does not match template `labels`");
}

void WarnAboutJobSpec(const batch::JobSpec& spec, std::string_view path,
                      std::vector<std::string>& warnings) {
  if (spec.completion_mode() == kIndexedCompletion &&
      spec.completions().value_or(0) > kManyCompletions &&
      spec.parallelism().value_or(0) > kMaxParallelismOfMany) {
    warnings.push_back(std::string(path) +
                       ": In Indexed Jobs with a number of completions higher than 10^5 and a "
                       "parallelism higher than 10^4, Kubernetes might not be able to track "
                       "completedIndexes when a big number of indexes fail");
  }
  WarnAboutPodTemplate(spec.template_(), std::string(path) + ".template", warnings);
}

}  // namespace skiff::apiserver

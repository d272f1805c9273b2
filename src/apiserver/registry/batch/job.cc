#include "apiserver/registry/batch/job.h"

#include <string>
#include <utility>

#include "apiserver/registry/batch/job_spec.h"
#include "apiserver/registry/batch/job_status.h"
#include "apiserver/registry/core/pod_warnings.h"
#include "apiserver/validation/common.h"
#include "object/selector/label_selector.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kOldNameLabel = "job-name";
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";

void ValidateHasLabel(const batch::Job& job, std::string_view key, std::string_view value,
                      FieldErrors& errors) {
  const views::meta_v1::ObjectMeta meta = job.spec().template_().metadata();
  const auto found = meta.labels().Find(key);
  const auto at = errors.AtKey("spec.template.metadata.labels", key);
  const std::string why = "must be '" + std::string(value) + "'";
  if (!found) return errors.Required("", why);
  if (*found != value) errors.Invalid("", meta.AsValue()->Find("labels"), why);
}

// The selector of a job is made for it, and its pods must bear the labels that it selects.
void ValidateGeneratedSelector(const batch::Job& job, bool needs_prefixed, FieldErrors& errors) {
  if (job.spec().manual_selector().value_or(false) || !job.spec().has_selector()) return;
  const std::string_view uid = job.metadata().uid();
  const std::string_view name = job.metadata().name();
  if (uid.empty()) errors.Required("metadata.uid");
  ValidateHasLabel(job, kOldUidLabel, uid, errors);
  ValidateHasLabel(job, kOldNameLabel, name, errors);
  if (needs_prefixed) {
    ValidateHasLabel(job, kUidLabel, uid, errors);
    ValidateHasLabel(job, kNameLabel, name, errors);
  }
  const Result<object::LabelSelector> selector =
      object::LabelSelector::FromValue(job.spec().selector().AsValue());
  if (!selector) return;
  const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
    if (key == kOldUidLabel || (needs_prefixed && key == kUidLabel)) return uid;
    if (key == kOldNameLabel || (needs_prefixed && key == kNameLabel)) return name;
    return std::nullopt;
  };
  if (!selector->MatchesWith(label)) {
    errors.Invalid("spec.selector", job.spec().selector().AsValue(),
                   "`selector` not auto-generated");
  }
}

void ValidateWhole(const batch::Job& job, const batch::JobSpec& old, bool needs_prefixed,
                   FieldErrors& errors) {
  ValidateGeneratedSelector(job, needs_prefixed, errors);
  {
    const auto at = errors.At("spec");
    ValidateJobSpec(job.spec(), old, errors);
  }
  const auto completions = job.spec().completions();
  if (job.spec().completion_mode() != kIndexedCompletion || completions.value_or(0) <= 0) return;
  const std::string last =
      std::string(job.metadata().name()) + "-" + std::to_string(*completions - 1);
  if (object::IsDns1123Label(last)) return;
  errors.Invalid("metadata.name", job.metadata().name(),
                 "will not able to create pod with invalid DNS label: " + last);
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateWhole(batch::Job(object), batch::JobSpec(), true, errors);
}

// What may change of the template of a job that is suspended and whose pods are gone.
constexpr std::string_view kSchedulingFields[] = {"nodeSelector", "tolerations", "schedulingGates"};

void TakeField(object::Document& to, object::Value& target, const object::Value* from,
               std::string_view field) {
  const object::Value* value = from != nullptr ? from->Find(field) : nullptr;
  if (value != nullptr) {
    target.Set(to.arena(), field, value->CopyInto(to.arena()));
  } else {
    target.Erase(field);
  }
}

const object::Value* Below(const object::Value* value, std::string_view name) {
  return value != nullptr ? value->Find(name) : nullptr;
}

void TakeNodeAffinity(object::Document& to, object::Value& spec, const object::Value* from) {
  const object::Value* affinity = Below(from, "affinity");
  const object::Value* node = Below(affinity, "nodeAffinity");
  object::Value* target = spec.Find("affinity");
  if (target == nullptr) {
    if (affinity == nullptr) return;
    const object::FieldDesc* field = nullptr;
    for (const object::FieldDesc& each : spec.type()->fields) {
      if (each.name() == "affinity") field = &each;
    }
    target =
        &spec.Set(to.arena(), "affinity", object::Value::EmptyObject(to.arena(), field->message));
  }
  if (node != nullptr) {
    target->Set(to.arena(), "nodeAffinity", node->CopyInto(to.arena()));
  } else {
    target->Erase("nodeAffinity");
  }
  if (affinity == nullptr && target->size() == 0) spec.Erase("affinity");
}

void TakeResources(object::Document& to, object::Value& spec, const object::Value* from,
                   std::string_view list) {
  object::Value* targets = spec.Find(list);
  const object::Value* sources = Below(from, list);
  if (targets == nullptr || sources == nullptr || targets->size() != sources->size()) return;
  for (size_t i = 0; i < targets->size(); ++i) {
    const object::Value& source = sources->items()[i];
    object::Value& target = targets->items()[i];
    if (SameValue(std::as_const(target).Find("name"), source.Find("name"))) {
      TakeField(to, target, &source, "resources");
    }
  }
}

// Compares only where something may not have changed.
void ValidateTemplateUpdate(const batch::Job& job, const batch::Job& old, FieldErrors& errors) {
  const batch::JobStatus status = old.status();
  const bool suspended = old.spec().suspend().value_or(false);
  const bool is_quiet = suspended && status.active() == 0 &&
                        (!status.start_time() || HasJobCondition(status, "Suspended"));
  const bool may_be_placed_anew = errors.IsOn("MutableSchedulingDirectivesForSuspendedJobs")
                                      ? is_quiet
                                      : suspended && !status.start_time();
  const bool may_be_sized_anew = is_quiet && errors.IsOn("MutablePodResourcesForSuspendedJobs");
  const object::Value* now = job.spec().template_().AsValue();
  const object::Value* before = old.spec().template_().AsValue();
  if (!may_be_placed_anew && !may_be_sized_anew) {
    return ValidateImmutable(before, now, "spec.template", errors);
  }
  if (SameValue(before, now)) return;
  object::Document tolerated = object::Document::OfType(views::core_v1::PodTemplateSpec::Type());
  if (before != nullptr) tolerated.root() = before->CopyInto(tolerated.arena());
  object::Value* spec = tolerated.root().Find("spec");
  const object::Value* new_spec = Below(now, "spec");
  if (spec != nullptr && may_be_placed_anew) {
    TakeNodeAffinity(tolerated, *spec, new_spec);
    for (const std::string_view field : kSchedulingFields) {
      TakeField(tolerated, *spec, new_spec, field);
    }
  }
  if (spec != nullptr && may_be_sized_anew) {
    TakeResources(tolerated, *spec, new_spec, "containers");
    TakeResources(tolerated, *spec, new_spec, "initContainers");
  }
  ValidateImmutable(spec, new_spec, "spec.template.spec", errors);
}

void ValidateCompletionsUpdate(const batch::JobSpec& spec, const batch::JobSpec& old,
                               FieldErrors& errors) {
  if (spec.completions() == old.completions()) return;
  const object::Value* completions =
      spec.AsValue() != nullptr ? spec.AsValue()->Find("completions") : nullptr;
  if (spec.completion_mode() != kIndexedCompletion) {
    return errors.Invalid("spec.completions", completions, kIsImmutable);
  }
  if (!spec.completions() || spec.completions() == spec.parallelism()) return;
  errors.Invalid("spec.completions", completions,
                 "can only be modified in tandem with spec.parallelism");
}

void ValidateUpdate(const object::Document& object, const object::Document& old_object,
                    FieldErrors& errors) {
  const batch::Job job(object);
  const batch::Job old(old_object);
  const auto labels = old.spec().template_().metadata().labels();
  const bool needs_prefixed = labels.Contains(kNameLabel) && labels.Contains(kUidLabel);
  ValidateWhole(job, old.spec(), needs_prefixed, errors);
  {
    // Kubernetes looks at the spec twice, and its clients see both.
    const auto at = errors.At("spec");
    ValidateJobSpec(job.spec(), old.spec(), errors);
  }
  ValidateCompletionsUpdate(job.spec(), old.spec(), errors);
  const object::Value* now = job.spec().AsValue();
  const object::Value* before = old.spec().AsValue();
  const auto immutable = [&](std::string_view field) {
    const auto at = errors.At("spec");
    ValidateImmutable(Below(before, field), Below(now, field), field, errors);
  };
  immutable("selector");
  ValidateTemplateUpdate(job, old, errors);
  for (const std::string_view field : {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                                       "managedBy", "successPolicy"}) {
    immutable(field);
  }
}

void WarnAboutJob(const object::Document& object, const object::Document* old, const KindSettings&,
                  std::vector<std::string>& warnings) {
  const batch::Job job(object);
  if (old == nullptr) {
    WarnAboutNameOfPods(job.metadata().name(), warnings);
  } else if (batch::Job(*old).metadata().generation() == job.metadata().generation()) {
    return;
  }
  WarnAboutJobSpec(job.spec(), "spec", warnings);
}

}  // namespace

const KindRules kJobRules = {.group = "batch",
                             .kind = "Job",
                             .create = ValidateCreate,
                             .update = ValidateUpdate,
                             .status = ValidateJobStatus,
                             .warn = WarnAboutJob};

}  // namespace skiff::apiserver

#include "apiserver/registry/workload_behaviours.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/common.h"
#include "views/apps/v1.h"
#include "views/batch/v1.h"

namespace skiff {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};
constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};

int64_t TemplateGenerationOf(const Document& object) {
  const auto text =
      views::apps_v1::DaemonSet(object).metadata().annotations().Find(kTemplateGeneration);
  int64_t generation = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), generation);
  return generation;
}

void SetTemplateGeneration(Document& object, int64_t generation) {
  views::apps_v1::MutableDaemonSet(object).mutable_metadata().put_annotations(
      kTemplateGeneration, std::to_string(generation));
}

}  // namespace

Result<void> JobBehaviour::PrepareForCreate(WriteContext&, Document& object) {
  const views::batch_v1::Job job(object);
  if (job.spec().manual_selector().value_or(false)) return {};
  const std::string name(job.metadata().name());
  const std::string uid(job.metadata().uid());
  views::batch_v1::MutableJob writable(object);
  auto spec = writable.mutable_spec();
  auto meta = spec.mutable_template().mutable_metadata();
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!meta.Read().labels().Contains(key)) meta.put_labels(key, value);
  };
  for (const std::string_view key : kNameLabels) add(key, name);
  for (const std::string_view key : kUidLabels) add(key, uid);
  auto selector = spec.mutable_selector();
  if (!selector.Read().match_labels().Contains(kUidLabels[1])) {
    selector.put_match_labels(kUidLabels[1], uid);
  }
  return {};
}

Result<void> DaemonSetBehaviour::PrepareForCreate(WriteContext&, Document& object) {
  SetTemplateGeneration(object, std::max<int64_t>(TemplateGenerationOf(object), 1));
  return {};
}

Result<void> DaemonSetBehaviour::PrepareForUpdate(WriteContext&, Document& old, Document& object) {
  const bool changed = !SameValue(views::apps_v1::DaemonSet(old).spec().template_().AsValue(),
                                  views::apps_v1::DaemonSet(object).spec().template_().AsValue());
  SetTemplateGeneration(object, TemplateGenerationOf(old) + (changed ? 1 : 0));
  return {};
}

}  // namespace skiff

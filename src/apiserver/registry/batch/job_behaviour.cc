#include "apiserver/registry/batch/job_behaviour.h"

#include <string>
#include <string_view>

#include "views/batch/v1.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};
constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};

}  // namespace

Result<void> JobBehaviour::PrepareForCreate(WriteContext&, object::Document& object) {
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

}  // namespace skiff::apiserver

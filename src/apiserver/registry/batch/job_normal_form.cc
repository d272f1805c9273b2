#include "apiserver/registry/batch/job_normal_form.h"

#include "apiserver/registry/core/pod_normal_form.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {
namespace {

namespace batch = views::batch_v1;

Result<void> NormalizeJob(object::Value& job, Arena& arena) {
  NormalizePodTemplate(FindNested(job, {"spec", "template"}), arena);
  return {};
}

bool IsNormalJob(std::string_view message) {
  static const NormalPodTemplate own(batch::Job::Type(), "spec.template.");
  return own.Holds(message);
}

Result<void> NormalizeCronJob(object::Value& job, Arena& arena) {
  NormalizePodTemplate(FindNested(job, {"spec", "jobTemplate", "spec", "template"}), arena);
  return {};
}

bool IsNormalCronJob(std::string_view message) {
  static const NormalPodTemplate own(batch::CronJob::Type(), "spec.jobTemplate.spec.template.");
  return own.Holds(message);
}

}  // namespace

constinit const NormalForm kJobNormalForm = {batch::Job::Type, NormalizeJob, IsNormalJob};
constinit const NormalForm kCronJobNormalForm = {batch::CronJob::Type, NormalizeCronJob,
                                                 IsNormalCronJob};

}  // namespace skiff::apiserver

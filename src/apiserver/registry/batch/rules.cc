#include "apiserver/registry/batch/rules.h"

#include "apiserver/registry/batch/cron_job.h"
#include "apiserver/registry/batch/job.h"

namespace skiff {

std::span<const KindRules> BatchRules() {
  static const KindRules kRules[] = {kJobRules, kCronJobRules};
  return kRules;
}

}  // namespace skiff

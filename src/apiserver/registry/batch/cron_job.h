// The rules of a CronJob: when it runs, and the job that it makes.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kCronJobRules;

}  // namespace skiff::apiserver

// What jobs and cron jobs become by being read: their templates do what pods do.
#pragma once

#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kJobNormalForm;
extern const NormalForm kCronJobNormalForm;

}  // namespace skiff::apiserver

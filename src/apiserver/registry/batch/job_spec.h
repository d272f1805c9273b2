// The spec of a job, in a Job or in the template of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "views/batch/v1.h"

namespace skiff::apiserver {

inline constexpr std::string_view kIndexedCompletion = "Indexed";

// Reports below the place. The selector of a template is not looked at: it has none yet. `old` is
// what the spec replaces, a view of nothing if it is new.
void ValidateJobSpecOfTemplate(const views::batch_v1::JobSpec& spec,
                               const views::batch_v1::JobSpec& old, FieldErrors& errors);
// Of a Job.
void ValidateJobSpec(const views::batch_v1::JobSpec& spec, const views::batch_v1::JobSpec& old,
                     FieldErrors& errors);

void WarnAboutJobSpec(const views::batch_v1::JobSpec& spec, std::string_view path,
                      std::vector<std::string>& warnings);

}  // namespace skiff::apiserver

// What an autoscaler measures, and the objects that it names.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "views/autoscaling/v2.h"

namespace skiff::apiserver {

struct ReferenceOptions {
  bool allow_no_group = false;     // kinds of the core group
  bool allow_any_version = false;  // what was stored before apiVersion was checked
};

// Both report below the place.
void ValidateReference(const views::autoscaling_v2::CrossVersionObjectReference& reference,
                       const ReferenceOptions& options, FieldErrors& errors);
void ValidateMetric(const views::autoscaling_v2::MetricSpec& metric,
                    const ReferenceOptions& options, FieldErrors& errors);

// Whether the apiVersion is one.
bool IsVersionOfReference(const views::autoscaling_v2::CrossVersionObjectReference& reference,
                          const ReferenceOptions& options);

}  // namespace skiff::apiserver

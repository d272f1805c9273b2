// What pod groups and the templates of them have in common.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "views/scheduling.k8s.io/v1alpha2.h"

namespace skiff::apiserver {

// Each is at the group or the template, and enters the field that it looks at.
void ValidateSchedulingPolicy(
    const views::scheduling_k8s_io_v1alpha2::PodGroupSchedulingPolicy& policy, FieldErrors& errors);
void ValidateSchedulingConstraints(
    const views::scheduling_k8s_io_v1alpha2::PodGroupSchedulingConstraints& constraints,
    FieldErrors& errors);
void ValidateGroupClaims(
    const object::ListView<views::scheduling_k8s_io_v1alpha2::PodGroupResourceClaim>& claims,
    FieldErrors& errors);
// disruptionMode, priorityClassName and priority; they are absent where that is null or empty.
void ValidateGroupPriority(std::optional<std::string_view> mode, std::string_view class_name,
                           std::optional<int32_t> priority, FieldErrors& errors);

}  // namespace skiff::apiserver

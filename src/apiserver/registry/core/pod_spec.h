// The rules of pods, wherever they stand: in a Pod, or in the template of something that makes
// pods. Each function reports relative to the place where `errors` is, and enters fields of its own
// argument only.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

// The labels and annotations of a template, and the pod that it describes.
void ValidatePodTemplate(const views::core_v1::PodTemplateSpec& pod, FieldErrors& errors);
// Of one that replaces `old`: what was wrong there already may stay.
void ValidatePodTemplate(const views::core_v1::PodTemplateSpec& pod,
                         const views::core_v1::PodTemplateSpec& old, FieldErrors& errors);
void ValidatePodTemplate(const views::core_v1::PodTemplateSpec& pod, const PodOptions& options,
                         FieldErrors& errors);

// The spec alone. `in_template`: it is no pod yet, so what only the server sets must be absent.
void ValidatePodSpec(const views::core_v1::PodSpec& spec, const views::meta_v1::ObjectMeta& meta,
                     bool in_template, FieldErrors& errors);
void ValidatePodSpec(const views::core_v1::PodSpec& spec, const views::meta_v1::ObjectMeta& meta,
                     const PodOptions& options, FieldErrors& errors);

}  // namespace skiff::apiserver

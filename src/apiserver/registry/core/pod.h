// Pods: what makes them valid when they are created and when they are changed, in each of the ways
// in which they are.
#pragma once

#include <initializer_list>

#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/pod_options.h"
#include "object/value.h"
#include "views/core/v1.h"

namespace skiff {

void ValidateNewPod(const Document& object, FieldErrors& errors);
// By its owner: images, deadline, tolerations and scheduling gates may change.
void ValidatePodUpdate(const Document& object, const Document& old, FieldErrors& errors);
// pods/status, pods/ephemeralcontainers and pods/resize.
void ValidatePodStatusUpdate(const Document& object, const Document& old, FieldErrors& errors);
void ValidateEphemeralContainersUpdate(const Document& object, const Document& old,
                                       FieldErrors& errors);
void ValidatePodResize(const Document& object, const Document& old, FieldErrors& errors);

// The annotations and the spec, as they must be in every pod.
void ValidatePodMetadataAndSpec(const views::core_v1::Pod& pod, const PodOptions& options,
                                FieldErrors& errors);
// For a pod that is to replace `old`.
PodOptions OptionsForUpdateOf(const views::core_v1::Pod& old);

// Two objects of one type, equal but for these fields. Null is the empty object.
bool EqualExcept(const Value* a, const Value* b, std::initializer_list<uint16_t> fields);

}  // namespace skiff

// Pods: what makes them valid when they are created and when they are changed, in each of the ways
// in which they are.
#pragma once

#include <initializer_list>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/kind_rules.h"
#include "object/value.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

extern const KindRules kPodRules;

void ValidateNewPod(const object::Document& object, FieldErrors& errors);
// pods/ephemeralcontainers; the other ways to change a pod have files of their own.
void ValidateEphemeralContainersUpdate(const object::Document& object, const object::Document& old,
                                       FieldErrors& errors);

// The annotations and the spec, as they must be in every pod.
void ValidatePodMetadataAndSpec(const views::core_v1::Pod& pod, const PodOptions& options,
                                FieldErrors& errors);
// For a pod that is to replace `old`.
PodOptions OptionsForUpdateOf(const views::core_v1::Pod& old);

// Two objects of one type, equal but for these fields. Null is the empty object.
bool EqualExcept(const object::Value* a, const object::Value* b,
                 std::initializer_list<uint16_t> fields);

}  // namespace skiff::apiserver

// The annotation in which `kubectl apply` kept what it last applied, before servers knew. Who goes
// on with `kubectl apply --server-side` gets no conflicts with itself, and the annotation follows,
// so that either way of applying may be used next. Only for the manager "kubectl".
#pragma once

#include <string_view>

#include "apiserver/managed_fields/versions.h"
#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/value.h"

namespace skiff::apiserver {

inline constexpr std::string_view kKubectlManager = "kubectl";

// The fields that the annotation and the object agree on; empty if there is none that could be
// read. The set points into `memory`.
object::FieldSet LastAppliedFields(Arena& arena, object::Document& memory,
                                   const VersionedValue& live, std::string_view api_version);

// If the object has the annotation, it becomes what is applied now.
void UpdateLastApplied(const object::Document& config, object::Document& object);

}  // namespace skiff::apiserver

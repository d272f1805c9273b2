// What the server does to the fields of pods on their way in.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// A new pod has the first status of all pods, and its selectors hold what they take from its
// labels. Annotations that have become fields are told to `warnings`, if it is not null.
void PrepareNewPod(object::Document& pod, object::Timestamp now,
                   std::vector<std::string>* warnings = nullptr);

// A write of pods/status, pods/ephemeralcontainers or pods/resize changes one part of the pod: the
// rest becomes as it was.
void KeepAllButStatus(object::Document& old, object::Document& pod);
void KeepAllButEphemeralContainers(object::Document& old, object::Document& pod);
void KeepAllButResources(object::Document& old, object::Document& pod);

}  // namespace skiff::apiserver

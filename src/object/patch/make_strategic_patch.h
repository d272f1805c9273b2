// The strategic merge patch that makes one document of another.
//
// It says as little as it can: members that differ, null for those that are gone, items of merging
// lists by their keys, and the order of lists in which items moved. Applied to the document that it
// was made from it gives the other one; applied to a document that somebody else has changed it
// leaves alone what it does not speak of.
#pragma once

#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// Both are untyped trees, objects of the JSON form of `type`; null if they have none. An empty map
// when they are equal. Lists whose items cannot be told apart, because they lack the merge key or
// share it, are replaced as a whole; whoever applies that puts items of one key side by side.
// Nothing in the result points into the two.
Document MakeStrategicMergePatch(const Value& from, const Value& to, const MessageDesc* type);

}  // namespace skiff::object

// Merge patch (RFC 7386) on documents without a descriptor, as kube-apiserver applies it: objects
// merge, null deletes a member, everything else, lists among it, replaces what was there.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

// `patch` is a decoded request body; it must be an object (400). Nulls inside of members that are
// new to the document mean nothing and are dropped. Nothing in the result points into the patch.
// 413 when the document would become too large.
Result<void> ApplyMergePatch(const Value& patch, Document& document);

}  // namespace skiff::object

// JSON patch (RFC 6902) on documents without a descriptor, as kube-apiserver applies it.
//
// A patch is a list of operations, applied in order: {"op", "path", "from", "value"}. Where
// Kubernetes is more lenient than the RFC, so is this:
//   - an index may be negative and counts from the end: -1 is the last item, and for "add" the
//     place behind it;
//   - "replace" of a member that an object does not have adds it;
//   - an "add", "replace" or "test" without a value means null, and a member that is absent equals
//     null in "test" and is null when copied;
//   - whatever stands before the first slash of a path is ignored, but there must be a slash; the
//     document as a whole ("") can be replaced and tested only.
// Numbers and strings are compared as values, however they are written.
#pragma once

#include <vector>

#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::object {

// `patch` is a decoded request body, `document` what it is applied to; both untyped. Nothing in
// the result points into the patch. After an error the document is half patched: throw it away.
//
// 400 when the patch is not a list of operations; 413 when it has too many of them, moves too much
// or makes the document too large; 422 when an operation does not apply. Messages name the
// operation's index and path.
Result<void> ApplyJsonPatch(const Value& patch, Document& document);

// Whether that is what it failed for: a "test" that found something else.
bool IsFailedTest(const Status& error);

// The members of operations that JSON patch does not know ("[0].comment"), which field validation
// warns of or refuses. At most limits::kMaxFieldIssues of them.
std::vector<FieldIssue> UnknownJsonPatchMembers(const Value& patch);

}  // namespace skiff::object

// Strategic merge patch on documents without a descriptor, as kube-apiserver applies it: a merge
// patch that knows the object's type, so that lists can merge item by item.
//
// What the descriptor says of a field decides: maps merge unless the field says patch_replace;
// lists are replaced unless it says patch_merge, and then objects merge by the merge key and
// scalars form a set. Null deletes. Where there is no descriptor (labels, raw extensions) maps
// merge and lists are replaced, as a merge patch would. Members of the patch that instruct:
//   $patch: replace              in a map: take the rest of this map instead of merging it;
//                                as an item of a merging list: the other items are the list
//   $patch: delete               in a map: empty it; in an item: delete the items with its key
//   $retainKeys: [key, …]        delete all members of the map but these
//   $deleteFromPrimitiveList/f   delete these scalars from list f
//   $setElementOrder/f           bring list f into this order (scalars, or objects with the key)
// "$patch: merge" is an error, as in Kubernetes. Directives act on what is there: in parts of a
// patch that are new to the document, maps with $patch are dropped. A list or map that is replaced
// and an item that is appended are taken as they are; decoding reports directives left in them.
#pragma once

#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::object {

// `patch` is a decoded request body, an object (400) or null (no change); `type` the document's
// message, or null if it has none. The document itself is untyped. Nothing in the result points
// into the patch. After an error the document is half patched: throw it away.
//
// Codes are kube-apiserver's: 400 for malformed directives, 422 for lists of lists, and 500 without
// a reason for items that lack their merge key, contradictory orders, values of the wrong type and
// unknown directives. 413 when the document would become too large.
Result<void> ApplyStrategicMergePatch(const Value& patch, const MessageDesc* type,
                                      Document& document);

}  // namespace skiff::object

// FieldsV1: a set of fields as JSON text, the form that managedFields keep it in.
//
//   {"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}}}}
//
// A key is a step: `f:` and the name of a field, `k:` and the keys of a list item as JSON, `v:` and
// the value of a set's item, `i:` and a place in a list. Its value is an object of the steps below;
// a step with none below is a member of the set, one with some is a member if `.` is among them.
// Steps are written in the order of the set (path_element.h), members before what is below them.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/status.h"
#include "object/fields/field_set.h"

namespace skiff::object {

// The set may point into the text. Steps of kinds that are not known are passed over; other faults
// are kBadRequest.
Result<FieldSet> ParseFieldsV1(Arena& arena, std::string_view json);

void AppendFieldsV1(ByteBuffer& out, const FieldSet& set);

// A step as it stands in the text: `"f:name":`. `scratch` is overwritten.
void AppendFieldStep(ByteBuffer& out, const PathElement& element, ByteBuffer& scratch);

}  // namespace skiff::object

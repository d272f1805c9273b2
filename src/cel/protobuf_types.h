// Messages that stand for values of CEL: google.protobuf.Int64Value{value: 1} is 1.
#pragma once

#include "cel/environment.h"
#include "cel/types.h"
#include "cel/value.h"

namespace skiff::cel {

void AddProtobufTypes(Environment& environment);
// JSONPatch{…}, of mutating policies.
Val MakeJsonPatch(Evaluation& evaluation, const StructDecl& decl, const MapBlock& fields);

}  // namespace skiff::cel

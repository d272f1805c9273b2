// Conditions that the server itself keeps on objects of its own kinds: whether the priority level
// of a flow schema exists, and whether there is anything behind an APIService.
//
// Run again and again, and idempotent: each looks at the caches and writes only where something has
// changed.
#pragma once

#include "apiserver/bootstrap/system_writer.h"
#include "base/status.h"

namespace skiff::apiserver {

Result<void> KeepFlowSchemaConditions(SystemWriter& writer);
// Of services elsewhere. Those of this server are available from the start.
Result<void> KeepApiServiceConditions(SystemWriter& writer);

}  // namespace skiff::apiserver

// Conditions that the server itself keeps on objects of its own kinds: whether the priority level
// of a flow schema exists.
//
// Run again and again, and idempotent: each looks at the caches and writes only where something has
// changed.
#pragma once

#include "apiserver/bootstrap/system_writer.h"
#include "base/status.h"

namespace skiff::apiserver {

Result<void> KeepFlowSchemaConditions(SystemWriter& writer);

}  // namespace skiff::apiserver

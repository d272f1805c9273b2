// The priority levels and flow schemas that every cluster has: which requests count as what when
// there are too many of them.
#pragma once

#include <vector>

#include "apiserver/bootstrap/system_writer.h"
#include "base/clock.h"
#include "object/scalar/time.h"

namespace skiff::apiserver {

std::vector<WantedObject> FlowControlObjects(object::Timestamp now);

}  // namespace skiff::apiserver

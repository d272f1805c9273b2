// Many small tasks, some of them at a time: what a loop does to thousands of objects takes neither
// one round trip after the other nor all of them at once.
#pragma once

#include <cstddef>
#include <functional>

#include "base/task.h"

namespace skiff {

// Awaits work(0) to work(count - 1), up to `lanes` of them at a time. A lane takes no further item
// once `work` has answered false.
Task<void> InLanes(size_t lanes, size_t count, std::function<Task<bool>(size_t index)> work);

}  // namespace skiff

// Many small tasks, some of them at a time: what a loop does to thousands of objects takes neither
// one round trip after the other nor all of them at once.
#pragma once

#include <cstddef>
#include <functional>

#include "base/task.h"

namespace skiff::controllers {

// Awaits work(0) to work(count - 1), up to `limit` of them at a time. Each of these takes no
// further item once `work` has answered false.
Task<void> RunConcurrently(size_t limit, size_t count,
                           std::function<Task<bool>(size_t index)> work);

}  // namespace skiff::controllers

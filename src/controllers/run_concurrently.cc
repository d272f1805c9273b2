#include "controllers/run_concurrently.h"

#include <algorithm>
#include <utility>

namespace skiff::controllers {
namespace {

struct ConcurrentRun {
  std::function<Task<bool>(size_t)> work;
  size_t count;
  size_t next = 0;
};

Task<void> RunItems(ConcurrentRun* run) {
  while (run->next < run->count) {
    const bool go_on = co_await run->work(run->next++);
    if (!go_on) break;
  }
}

}  // namespace

Task<void> RunConcurrently(size_t limit, size_t count,
                           std::function<Task<bool>(size_t index)> work) {
  if (count == 0) co_return;
  ConcurrentRun shared{.work = std::move(work), .count = count};
  size_t open = std::clamp<size_t>(limit, 1, count);
  co_await FromCallback<bool>([&](auto done) {
    std::function<void(bool)> ended = std::move(done);
    const size_t begun = open;
    for (size_t lane = 0; lane < begun; ++lane) {
      Detach(RunItems(&shared), [&open, ended] {
        if (--open == 0) ended(true);
      });
    }
  });
}

}  // namespace skiff::controllers

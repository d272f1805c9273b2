#include "controllers/in_lanes.h"

#include <algorithm>
#include <utility>

namespace skiff {
namespace {

struct Lanes {
  std::function<Task<bool>(size_t)> work;
  size_t count;
  size_t next = 0;
};

Task<void> RunLane(Lanes* lanes) {
  while (lanes->next < lanes->count) {
    const bool go_on = co_await lanes->work(lanes->next++);
    if (!go_on) break;
  }
}

}  // namespace

Task<void> InLanes(size_t lanes, size_t count, std::function<Task<bool>(size_t index)> work) {
  if (count == 0) co_return;
  Lanes shared{.work = std::move(work), .count = count};
  size_t open = std::clamp<size_t>(lanes, 1, count);
  co_await FromCallback<bool>([&](auto done) {
    std::function<void(bool)> ended = std::move(done);
    const size_t begun = open;
    for (size_t lane = 0; lane < begun; ++lane) {
      Detach(RunLane(&shared), [&open, ended] {
        if (--open == 0) ended(true);
      });
    }
  });
}

}  // namespace skiff

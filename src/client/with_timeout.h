// Awaits a task for so long and no longer.
//
// A task that is late goes on by itself, and what becomes of it is not heard of: it must own what
// it uses, or that must outlive it.
#pragma once

#include <memory>
#include <utility>

#include "base/executor.h"
#include "base/status.h"
#include "base/task.h"

namespace skiff::client {

// kServerTimeout when it is late. On the executor.
template <typename T>
Task<Result<T>> WithTimeout(Executor& executor, Duration time, Task<Result<T>> task) {
  struct Race {
    std::move_only_function<void(Result<T>)> done;
    Executor::TimerId timer;
  };
  co_return co_await FromCallback<Result<T>>([&](auto done) {
    auto race = std::make_shared<Race>();
    race->done = std::move(done);
    race->timer = executor.After(time, [race] {
      if (auto late = std::exchange(race->done, nullptr)) {
        late(Fail(StatusReason::kServerTimeout, "there was no answer in time"));
      }
    });
    Detach<Result<T>>(std::move(task), [race, &executor](Result<T> result) {
      auto in_time = std::exchange(race->done, nullptr);
      if (!in_time) return;
      executor.Cancel(race->timer);
      in_time(std::move(result));
    });
  });
}

}  // namespace skiff::client

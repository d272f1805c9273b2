// FromAnyThread<T>: awaits a call that answers through a callback, once, from whichever thread. The
// coroutine goes on there; who wants it elsewhere lets the callback post first.
//
//   const Result<Reply> reply = co_await FromAnyThread<Result<Reply>>(start);
//
// where `start` is a callable with a name (base/task.h says why) that takes the callback.
#pragma once

#include <atomic>
#include <coroutine>
#include <functional>
#include <optional>
#include <utility>

namespace skiff {

template <typename T>
class FromAnyThread {
 public:
  using Done = std::move_only_function<void(T)>;
  explicit FromAnyThread(std::move_only_function<void(Done)> start) : start_(std::move(start)) {}

  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    start_([this](T result) {
      value_.emplace(std::move(result));
      // Whoever comes second, the answer or the coroutine that begins to wait, lets it go on.
      if (second_.exchange(true, std::memory_order_acq_rel)) waiting_.resume();
    });
    // If it resumed meanwhile, nothing of this object is there any more.
    return !second_.exchange(true, std::memory_order_acq_rel);
  }
  T await_resume() { return std::move(*value_); }

 private:
  std::move_only_function<void(Done)> start_;
  std::optional<T> value_;
  std::coroutine_handle<> waiting_;
  std::atomic<bool> second_{false};
};

}  // namespace skiff

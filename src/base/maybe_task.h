// MaybeTask<T>: a value that is at hand or, where something has to be waited for, a task that comes
// to it; and how errors leave a coroutine.
#pragma once

#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/status.h"
#include "base/task.h"

namespace skiff {

// What mostly need not wait returns one, and costs no coroutine then. Awaited once.
template <typename T>
class [[nodiscard]] MaybeTask {
 public:
  // For coroutines that are declared to return one; these are always tasks.
  using promise_type = task_detail::Promise<T>;

  template <typename U>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, MaybeTask> &&
           !std::is_same_v<std::remove_cvref_t<U>, Task<T>>) MaybeTask(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}               // NOLINT
  MaybeTask(Task<T> task) : state_(std::in_place_index<1>, std::move(task)) {}  // NOLINT

  // Whether nothing has to be waited for.
  bool ready() const { return state_.index() == 0; }
  T TakeValue() && { return std::move(std::get<0>(state_)); }
  Task<T> TakeTask() && { return std::move(std::get<1>(state_)); }

  auto operator co_await() && noexcept {
    using TaskAwaiter = decltype(std::declval<Task<T>&&>().operator co_await());
    struct Awaiter {
      MaybeTask& awaited;
      std::optional<TaskAwaiter> task = {};
      bool await_ready() noexcept { return awaited.ready(); }
      bool await_suspend(std::coroutine_handle<> waiting) {
        task.emplace(std::move(std::get<1>(awaited.state_)).operator co_await());
        return task->await_suspend(waiting);
      }
      T await_resume() {
        return task ? task->await_resume() : std::move(std::get<0>(awaited.state_));
      }
    };
    return Awaiter{*this};
  }

 private:
  std::variant<T, Task<T>> state_;
};

}  // namespace skiff

// SKIFF_RETURN_IF_ERROR and SKIFF_ASSIGN_OR_RETURN within a coroutine; `expr` may await.
#define SKIFF_CO_RETURN_IF_ERROR(expr)                             \
  do {                                                             \
    if (auto skiff_result_ = (expr); !skiff_result_) [[unlikely]]  \
      co_return std::unexpected(std::move(skiff_result_).error()); \
  } while (false)

#define SKIFF_CO_ASSIGN_OR_RETURN(lhs, expr)                                             \
  auto SKIFF_CONCAT(skiff_result_, __LINE__) = (expr);                                   \
  if (!SKIFF_CONCAT(skiff_result_, __LINE__)) [[unlikely]]                               \
    co_return std::unexpected(std::move(SKIFF_CONCAT(skiff_result_, __LINE__)).error()); \
  lhs = std::move(*SKIFF_CONCAT(skiff_result_, __LINE__))

// Task<T>: a coroutine that is run by who awaits it. Control loops are written with it, so that
// what waits for the API server reads from top to bottom:
//
//   Task<Result<void>> Finalize(Client& client, ObjectPtr name_space) {
//     const auto left = co_await client.List(kPods, {...});
//     if (!left) co_return std::unexpected(left.error());
//     ...
//   }
//
// A task starts when it is awaited, or when Detach() is given it, and resumes wherever what it
// awaits is completed, which for clients is their executor. Destroying a task that has not ended
// destroys its frame, and with it everything that it holds; what it awaits must then not resume it,
// which holds for tasks within tasks. Arguments of a coroutine are taken by value unless they
// outlive it. Exceptions do not leave a task: they end the process.
//
// g++ 12 moves aggregates and lambdas that are made within an awaited expression bit by bit, which
// breaks short strings. So such a value gets a name before (tools/tidy looks for braces), and
// default arguments of functions that are awaited call a constructor: `= DeleteChoice()`.
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace skiff {

template <typename T>
class [[nodiscard]] Task;

namespace task_detail {

// A task that ends before its start returns does not resume who awaits it; that one simply goes on.
// So a loop that awaits what is at hand needs no stack for each round, optimized or not.
struct PromiseBase {
  std::coroutine_handle<> waiting;
  bool starting = false;
  bool ended = false;

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> done) noexcept {
      PromiseBase& promise = done.promise();
      promise.ended = true;
      // Who goes on may destroy this task, so that nothing of it is touched any more.
      if (!promise.starting) promise.waiting.resume();
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
};

}  // namespace task_detail

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> handle;
      bool await_ready() noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> waiting) {
        promise_type& promise = handle.promise();
        promise.waiting = waiting;
        promise.starting = true;
        handle.resume();
        promise.starting = false;
        return !promise.ended;
      }
      T await_resume() {
        if constexpr (!std::is_void_v<T>) return std::move(*handle.promise().value);
      }
    };
    return Awaiter{handle_};
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

namespace task_detail {

template <typename T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// Runs at once and destroys itself at the end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
  };
};

template <typename T>
Detached RunDetached(Task<T> task, std::move_only_function<void(T)> done) {
  T result = co_await std::move(task);
  if (done) done(std::move(result));
}
inline Detached RunDetached(Task<void> task, std::move_only_function<void()> done) {
  co_await std::move(task);
  if (done) done();
}

}  // namespace task_detail

// Starts a task that nobody awaits; `done` is called at its end.
template <typename T>
void Detach(Task<T> task, std::move_only_function<void(T)> done = {}) {
  task_detail::RunDetached<T>(std::move(task), std::move(done));
}
inline void Detach(Task<void> task, std::move_only_function<void()> done = {}) {
  task_detail::RunDetached(std::move(task), std::move(done));
}

// Awaits a call that answers through a callback, once, on the executor that the coroutine runs on:
//   const Result<ObjectPtr> object = co_await FromCallback<Result<ObjectPtr>>(
//       [&](auto done) { transport.Get(name, std::move(done)); });
template <typename T, typename Start>
class FromCallbackAwaiter {
 public:
  explicit FromCallbackAwaiter(Start start) : start_(std::move(start)) {}

  bool await_ready() noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    in_call_ = true;
    start_([this](T result) {
      value_.emplace(std::move(result));
      if (!in_call_) waiting_.resume();
    });
    in_call_ = false;
    return !value_.has_value();
  }
  T await_resume() { return std::move(*value_); }

 private:
  Start start_;
  std::optional<T> value_;
  std::coroutine_handle<> waiting_;
  bool in_call_ = false;
};

template <typename T, typename Start>
FromCallbackAwaiter<T, Start> FromCallback(Start start) {
  return FromCallbackAwaiter<T, Start>(std::move(start));
}

}  // namespace skiff

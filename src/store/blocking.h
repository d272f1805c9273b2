// The answers of a store, waited for: for commands and tests, where a thread has nothing else to
// do.
//
//   Result<RangeReply> reply = Await<RangeReply>([&](auto done) { store.Range(request, done); });
#pragma once

#include <future>
#include <utility>

#include "store/store.h"

namespace skiff::store {

// start(StoreCallback<T>) must lead to the call of what it is given.
template <typename T, typename Start>
Result<T> Await(Start start) {
  std::promise<Result<T>> promise;
  std::future<Result<T>> answer = promise.get_future();
  start(StoreCallback<T>([&promise](Result<T> result) { promise.set_value(std::move(result)); }));
  return answer.get();
}

inline Result<RangeReply> RangeAndWait(Store& store, RangeRequest request) {
  return Await<RangeReply>([&](auto done) { store.Range(std::move(request), std::move(done)); });
}

inline Result<CommitReply> CommitAndWait(Store& store, Transaction transaction) {
  return Await<CommitReply>(
      [&](auto done) { store.Commit(std::move(transaction), std::move(done)); });
}

}  // namespace skiff::store

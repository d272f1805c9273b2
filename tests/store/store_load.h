// Concurrent writers and readers on a few keys of one or more stores, which write down what they
// asked and what they were told: the material of the checkers in linearizability.h and
// watch_checker.h.
//
// Every writer creates, updates and deletes shared keys, each write under the condition that it
// knows the last one, and now and then writes several keys of its own in one transaction. Every
// value is written once. An answer of kServerTimeout is written down as unknown,
// kServiceUnavailable and kTooManyRequests as if nothing had been asked; any other error is one for
// unexpected().
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "store/store.h"
#include "tests/store/linearizability.h"
#include "tests/store/watch_checker.h"

namespace skiff::testing {

struct StoreLoadOptions {
  std::string prefix = "/load/";
  int writers = 4;
  int keys = 8;
  size_t value_bytes = 40;
  uint64_t seed = 1;
  uint64_t operations_per_writer = 0;  // zero: until it is stopped
};

class StoreLoad {
 public:
  // Starts at once. The stores, which writers share in turn, must outlive it.
  StoreLoad(Clock& clock, std::vector<store::Store*> stores, StoreLoadOptions options);
  ~StoreLoad();

  // Waits for the end of the writers, which come to theirs with the next answer.
  void Stop();
  // Until all have done operations_per_writer.
  void Finish();
  // Until so many more writes have been acknowledged; false if they are not within `limit`.
  bool WaitForWrites(uint64_t more, Duration limit);
  uint64_t acknowledged() const { return acknowledged_; }
  uint64_t unknown() const { return unknown_; }

  // Reads every shared key through that store, as a part of the history. After Stop or Finish.
  void ReadAll(store::Store& store);
  // Writes a key of its own until that succeeds. Every earlier write has a smaller revision.
  Result<store::Revision> Mark(store::Store& store, Duration limit);

  store::KeyRange range() const { return store::KeyRange::Prefix(options_.prefix); }
  std::vector<Operation> history() const;
  // All that was written or may have been.
  std::vector<WrittenChange> changes() const;
  std::vector<std::string> unexpected() const;

 private:
  // What a writer believes about a key: its revision, zero if absent; no entry: must read first.
  using Beliefs = std::map<std::string, int64_t>;

  void RunWriter(int writer);
  void WriteShared(store::Store& store, Random& random, Beliefs& beliefs, const std::string& key,
                   const std::string& value);
  void Read(store::Store& store, Beliefs* beliefs, const std::string& key);
  // Several keys that only this writer writes.
  void WriteGroup(store::Store& store, int writer, const std::string& value);
  bool Commit(store::Store& store, store::Transaction transaction,
              std::vector<WrittenChange> changes, Result<store::CommitReply>& reply);
  void Remember(Operation operation);
  // Whether an error leaves the outcome open; notes it if it is not one of the expected.
  bool IsUnknown(const Status& error, const std::string& what);
  std::string SharedKey(uint64_t number) const;
  int64_t Now() { return clock_.Monotonic().count(); }

  Clock& clock_;
  const std::vector<store::Store*> stores_;
  const StoreLoadOptions options_;
  std::atomic<bool> stopping_ = false;
  std::atomic<uint64_t> acknowledged_ = 0;
  std::atomic<uint64_t> unknown_ = 0;

  mutable std::mutex mutex_;
  std::vector<Operation> history_;
  std::vector<WrittenChange> group_changes_;
  std::vector<std::string> unexpected_;
  int marks_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace skiff::testing

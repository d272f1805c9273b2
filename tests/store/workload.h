// Random operations of concurrent clients on a store, and the record of them that the checker
// (linearizability.h) takes.
//
// Clients read single keys and all keys at once, create, update and delete, sometimes with the
// revision they know and sometimes with an old one. Every value is written once, so that it names
// its write. What a client does follows from the seed; how clients interleave does not.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "store/store.h"
#include "tests/store/linearizability.h"

namespace skiff::testing {

// Is told what clients do, from their threads. Numbers are those of one run.
class OperationListener {
 public:
  virtual ~OperationListener() = default;
  // It is about to begin.
  virtual void OnInvoke(uint64_t number, const Operation& operation) = 0;
  // It has ended: outcome, revision and what was seen are filled in.
  virtual void OnReturn(uint64_t number, const Operation& operation) = 0;
  // It ended with an error that promises that nothing was changed.
  virtual void OnNothing(uint64_t number) = 0;
};

// Puts the operations on one scale of moments. Thread-safe.
class History final : public OperationListener {
 public:
  void OnInvoke(uint64_t number, const Operation& operation) override;
  void OnReturn(uint64_t number, const Operation& operation) override;
  void OnNothing(uint64_t number) override;
  // What is still open will not happen after this moment, as when the store's process ends: it
  // returns now, with an unknown outcome. Numbers may be used anew.
  void Interrupt();

  std::vector<Operation> operations() const;

 private:
  mutable std::mutex mutex_;
  int64_t now_ = 0;
  std::vector<Operation> operations_;
  std::vector<bool> void_;
  std::unordered_map<uint64_t, size_t> open_;
};

struct WorkloadOptions {
  uint64_t seed = 1;
  int clients = 8;
  int operations = 100;     // of each client; several reads at once count as one
  int keys = 5;             // fewer make more conflicts
  std::string prefix = {};  // of all keys
  std::string name = {};    // of the run, part of all values
  size_t value_bytes = 0;   // values are filled up to this
};

std::string WorkloadKey(const WorkloadOptions& options, uint64_t index);

// One client. A client whose write has an unknown outcome goes on with a read, as real ones do.
class WorkloadClient {
 public:
  WorkloadClient(store::Store& store, const WorkloadOptions& options, int client,
                 OperationListener& listener);
  // One random operation, to its end.
  void Step();
  // All keys at one revision.
  void ReadAll();

 private:
  void ReadOne(const std::string& key);
  void WriteOne(const std::string& key);
  void Report(uint64_t number, Operation operation, const Result<store::CommitReply>& reply);
  uint64_t Begin(Operation& operation);

  store::Store& store_;
  const WorkloadOptions& options_;
  const int client_;
  OperationListener& listener_;
  SeededRandom random_;
  uint64_t begun_ = 0;
  std::map<std::string, int64_t> known_;  // revisions by key; zero: absent
};

// All clients, to their end.
void RunWorkload(store::Store& store, const WorkloadOptions& options, OperationListener& listener);

}  // namespace skiff::testing

#include "tests/store/workload.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/thread.h"
#include "store/blocking.h"
#include "tests/store/text.h"

namespace skiff::testing {

using Kind = Operation::Kind;
using Outcome = Operation::Outcome;

// ---- History

void History::OnInvoke(uint64_t number, const Operation& operation) {
  const std::lock_guard lock(mutex_);
  open_[number] = operations_.size();
  operations_.push_back(operation);
  operations_.back().invoked = ++now_;
  operations_.back().returned = Operation::kNever;
  operations_.back().outcome = Outcome::kUnknown;
  void_.push_back(false);
}

void History::OnReturn(uint64_t number, const Operation& operation) {
  const std::lock_guard lock(mutex_);
  const auto open = open_.find(number);
  if (open == open_.end()) return;
  Operation& kept = operations_[open->second];
  kept.returned = ++now_;
  kept.outcome = operation.outcome;
  kept.revision = operation.revision;
  kept.seen = operation.seen;
  open_.erase(open);
}

void History::OnNothing(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto open = open_.find(number);
  if (open == open_.end()) return;
  void_[open->second] = true;
  open_.erase(open);
}

void History::Interrupt() {
  const std::lock_guard lock(mutex_);
  ++now_;
  for (const auto& [number, index] : open_) operations_[index].returned = now_;
  open_.clear();
}

std::vector<Operation> History::operations() const {
  const std::lock_guard lock(mutex_);
  std::vector<Operation> out;
  for (size_t i = 0; i < operations_.size(); ++i)
    if (!void_[i]) out.push_back(operations_[i]);
  return out;
}

// ---- Clients

std::string WorkloadKey(const WorkloadOptions& options, uint64_t index) {
  return Text(options.prefix, "k", index);
}

WorkloadClient::WorkloadClient(store::Store& store, const WorkloadOptions& options, int client,
                               OperationListener& listener)
    : store_(store),
      options_(options),
      client_(client),
      listener_(listener),
      random_(options.seed * 1000 + static_cast<uint64_t>(client)) {}

uint64_t WorkloadClient::Begin(Operation& operation) {
  const uint64_t number = static_cast<uint64_t>(client_) << 32 | begun_++;
  if (operation.kind == Kind::kCreate || operation.kind == Kind::kUpdate) {
    operation.value = Text(options_.name, "-", client_, "-", begun_, "-");
    if (operation.value.size() < options_.value_bytes)
      operation.value.append(options_.value_bytes - operation.value.size(), 'x');
  }
  listener_.OnInvoke(number, operation);
  return number;
}

void WorkloadClient::Step() {
  const uint64_t dice = random_.Uniform(100);
  const std::string key = WorkloadKey(options_, random_.Uniform(options_.keys));
  if (dice < 5)
    ReadAll();
  else if (dice < 35)
    ReadOne(key);
  else
    WriteOne(key);
}

void WorkloadClient::ReadAll() {
  std::vector<std::pair<uint64_t, Operation>> reads(options_.keys);
  for (size_t i = 0; i < reads.size(); ++i) {
    reads[i].second.key = WorkloadKey(options_, i);
    reads[i].first = Begin(reads[i].second);
  }
  const auto reply =
      store::RangeAndWait(store_, {.range = store::KeyRange::Prefix(options_.prefix)});
  for (auto& [number, read] : reads) {
    if (!reply) {
      listener_.OnNothing(number);
      continue;
    }
    read.outcome = Outcome::kOk;
    read.revision = reply->revision.value;
    const auto entry = std::ranges::find(reply->entries, read.key, &store::KeyValue::key);
    if (entry != reply->entries.end())
      read.seen = SeenValue{std::string(entry->value.view()), entry->mod_revision.value};
    known_[read.key] = read.seen ? read.seen->revision : 0;
    listener_.OnReturn(number, read);
  }
}

void WorkloadClient::ReadOne(const std::string& key) {
  Operation read;
  read.key = key;
  const uint64_t number = Begin(read);
  const auto reply = store::RangeAndWait(store_, {.range = store::KeyRange::Single(key)});
  if (!reply) return listener_.OnNothing(number);
  read.outcome = Outcome::kOk;
  read.revision = reply->revision.value;
  if (!reply->entries.empty())
    read.seen = SeenValue{std::string(reply->entries[0].value.view()),
                          reply->entries[0].mod_revision.value};
  known_[key] = read.seen ? read.seen->revision : 0;
  listener_.OnReturn(number, read);
}

void WorkloadClient::WriteOne(const std::string& key) {
  Operation write;
  write.key = key;
  const int64_t known = known_[key];
  if (known == 0)
    write.kind = Kind::kCreate;
  else
    write.kind = random_.Uniform(5) == 0 ? Kind::kDelete : Kind::kUpdate;
  write.expected = known;
  const uint64_t number = Begin(write);
  store::Transaction transaction =
      write.kind == Kind::kDelete
          ? store::Transaction::DeleteIfRevision(key, store::Revision{known})
          : store::Transaction::UpdateIfRevision(key, store::Revision{known},
                                                 SharedBytes(write.value));
  Report(number, std::move(write), store::CommitAndWait(store_, std::move(transaction)));
}

void WorkloadClient::Report(uint64_t number, Operation operation,
                            const Result<store::CommitReply>& reply) {
  if (!reply) {
    if (reply.error().reason() == StatusReason::kServerTimeout) {
      listener_.OnReturn(number, operation);  // unknown, as it was
      ReadOne(operation.key);
    } else {
      listener_.OnNothing(number);
    }
    return;
  }
  operation.outcome = reply->succeeded ? Outcome::kOk : Outcome::kFailed;
  operation.revision = reply->revision.value;
  int64_t& known = known_[operation.key];
  if (reply->succeeded) {
    known = operation.kind == Kind::kDelete ? 0 : operation.revision;
  } else {
    if (!reply->current.empty() && reply->current[0])
      operation.seen = SeenValue{std::string(reply->current[0]->value.view()),
                                 reply->current[0]->mod_revision.value};
    known = operation.seen ? operation.seen->revision : 0;
  }
  listener_.OnReturn(number, operation);
}

void RunWorkload(store::Store& store, const WorkloadOptions& options, OperationListener& listener) {
  std::vector<std::unique_ptr<Thread>> threads;
  for (int client = 0; client < options.clients; ++client) {
    threads.push_back(std::make_unique<Thread>("client", [&, client] {
      WorkloadClient self(store, options, client, listener);
      for (int i = 0; i < options.operations; ++i) self.Step();
      self.ReadAll();
    }));
  }
}

}  // namespace skiff::testing

#include "tests/store/store_load.h"

#include <chrono>
#include <utility>

#include "store/blocking.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;

// After an error, so that a store that refuses at once is not asked without end.
constexpr Duration kPauseAfterError = milliseconds(5);
constexpr int kGroupKeys = 3;

std::optional<SeenValue> SeenOf(const std::optional<store::KeyValue>& entry) {
  if (!entry) return std::nullopt;
  return SeenValue{std::string(entry->value.view()), entry->mod_revision.value};
}

}  // namespace

StoreLoad::StoreLoad(Clock& clock, std::vector<store::Store*> stores, StoreLoadOptions options)
    : clock_(clock), stores_(std::move(stores)), options_(std::move(options)) {
  for (int i = 0; i < options_.writers; i++)
    threads_.push_back(std::make_unique<Thread>("load", [this, i] { RunWriter(i); }));
}

StoreLoad::~StoreLoad() { Stop(); }

void StoreLoad::Stop() {
  stopping_ = true;
  Finish();
}

void StoreLoad::Finish() {
  for (auto& thread : threads_) thread->Join();
}

bool StoreLoad::WaitForWrites(uint64_t more, Duration limit) {
  uint64_t goal = acknowledged_ + more;
  return WaitUntilTrue(clock_, limit, [&] { return acknowledged_ >= goal; });
}

std::string StoreLoad::SharedKey(uint64_t number) const {
  return options_.prefix + "shared/" + std::to_string(number);
}

void StoreLoad::RunWriter(int writer) {
  SeededRandom random(options_.seed * 1000 + static_cast<uint64_t>(writer));
  store::Store& store = *stores_[static_cast<size_t>(writer) % stores_.size()];
  Beliefs beliefs;
  for (uint64_t i = 0; !stopping_; i++) {
    if (options_.operations_per_writer != 0 && i >= options_.operations_per_writer) return;
    std::string value = Text("w", writer, ".", i, ".");
    if (value.size() < options_.value_bytes) value.resize(options_.value_bytes, 'v');
    std::string key = SharedKey(random.Uniform(static_cast<uint64_t>(options_.keys)));
    uint64_t choice = random.Uniform(10);
    if (choice == 0)
      WriteGroup(store, writer, value);
    else if (choice <= 2 || !beliefs.contains(key))
      Read(store, &beliefs, key);
    else
      WriteShared(store, random, beliefs, key, value);
  }
}

bool StoreLoad::IsUnknown(const Status& error, const std::string& what) {
  LetPass(clock_, kPauseAfterError);
  if (error.reason() == StatusReason::kServerTimeout) return true;
  if (error.reason() == StatusReason::kServiceUnavailable ||
      error.reason() == StatusReason::kTooManyRequests)
    return false;
  std::lock_guard lock(mutex_);
  unexpected_.push_back(Text(what, ": ", StatusReasonName(error.reason()), ": ", error.message()));
  return true;
}

void StoreLoad::Remember(Operation operation) {
  std::lock_guard lock(mutex_);
  history_.push_back(std::move(operation));
}

void StoreLoad::Read(store::Store& store, Beliefs* beliefs, const std::string& key) {
  Operation operation{.kind = Operation::Kind::kRead,
                      .outcome = Operation::Outcome::kOk,
                      .invoked = Now(),
                      .key = key,
                      .value = {},
                      .seen = std::nullopt};
  Result<store::RangeReply> reply =
      store::RangeAndWait(store, {.range = store::KeyRange::Single(key), .at = {}});
  operation.returned = Now();
  if (!reply) {
    (void)IsUnknown(reply.error(), "read of " + key);
    return;
  }
  operation.revision = reply->revision.value;
  if (!reply->entries.empty()) operation.seen = SeenOf(reply->entries[0]);
  if (beliefs != nullptr) (*beliefs)[key] = operation.seen ? operation.seen->revision : 0;
  Remember(std::move(operation));
}

void StoreLoad::WriteShared(store::Store& store, Random& random, Beliefs& beliefs,
                            const std::string& key, const std::string& value) {
  int64_t expected = beliefs[key];
  Operation operation{.kind = Operation::Kind::kCreate,
                      .outcome = Operation::Outcome::kOk,
                      .invoked = Now(),
                      .key = key,
                      .value = value,
                      .expected = expected,
                      .seen = std::nullopt};
  store::Transaction transaction = store::Transaction::CreateIfAbsent(key, SharedBytes(value));
  if (expected != 0 && random.Uniform(4) == 0) {
    operation.kind = Operation::Kind::kDelete;
    operation.value.clear();
    transaction = store::Transaction::DeleteIfRevision(key, store::Revision{expected});
  } else if (expected != 0) {
    operation.kind = Operation::Kind::kUpdate;
    transaction =
        store::Transaction::UpdateIfRevision(key, store::Revision{expected}, SharedBytes(value));
  }
  Result<store::CommitReply> reply = store::CommitAndWait(store, std::move(transaction));
  operation.returned = Now();
  if (!reply) {
    beliefs.erase(key);
    if (!IsUnknown(reply.error(), "write of " + key)) return;
    unknown_++;
    operation.outcome = Operation::Outcome::kUnknown;
    operation.returned = Operation::kNever;
  } else if (reply->succeeded) {
    acknowledged_++;
    operation.revision = reply->revision.value;
    beliefs[key] = operation.kind == Operation::Kind::kDelete ? 0 : operation.revision;
  } else {
    operation.outcome = Operation::Outcome::kFailed;
    operation.revision = reply->revision.value;
    operation.seen = reply->current.empty() ? std::nullopt : SeenOf(reply->current[0]);
    beliefs[key] = operation.seen ? operation.seen->revision : 0;
  }
  Remember(std::move(operation));
}

bool StoreLoad::Commit(store::Store& store, store::Transaction transaction,
                       std::vector<WrittenChange> changes, Result<store::CommitReply>& reply) {
  reply = store::CommitAndWait(store, std::move(transaction));
  if (!reply && !IsUnknown(reply.error(), "write of " + changes[0].key)) return false;
  if (reply) acknowledged_++;
  if (!reply) unknown_++;
  std::lock_guard lock(mutex_);
  for (WrittenChange& change : changes) {
    change.revision = reply ? reply->revision.value : 0;
    group_changes_.push_back(std::move(change));
  }
  return reply.has_value();
}

void StoreLoad::WriteGroup(store::Store& store, int writer, const std::string& value) {
  store::Transaction transaction;
  std::vector<WrittenChange> changes;
  for (int i = 0; i < kGroupKeys; i++) {
    std::string key = Text(options_.prefix, "group/", writer, "/", i);
    transaction.writes.push_back({.kind = store::Write::Kind::kPut,
                                  .key = key,
                                  .value = SharedBytes(value + std::to_string(i)),
                                  .lease = {}});
    changes.push_back({.revision = 0,
                       .invoked = Now(),
                       .key = key,
                       .deleted = false,
                       .value = value + std::to_string(i)});
  }
  Result<store::CommitReply> reply;
  (void)Commit(store, std::move(transaction), std::move(changes), reply);
}

void StoreLoad::ReadAll(store::Store& store) {
  for (int i = 0; i < options_.keys; i++) Read(store, nullptr, SharedKey(static_cast<uint64_t>(i)));
}

Result<store::Revision> StoreLoad::Mark(store::Store& store, Duration limit) {
  Result<store::CommitReply> reply;
  bool done = WaitUntilTrue(clock_, limit, [&] {
    std::string key = options_.prefix + "mark";
    std::string value = Text("mark ", marks_++);
    store::Transaction transaction;
    transaction.writes.push_back(
        {.kind = store::Write::Kind::kPut, .key = key, .value = SharedBytes(value), .lease = {}});
    return Commit(store, std::move(transaction),
                  {{.revision = 0, .invoked = Now(), .key = key, .deleted = false, .value = value}},
                  reply);
  });
  if (!done) return std::unexpected(reply.error());
  return reply->revision;
}

std::vector<Operation> StoreLoad::history() const {
  std::lock_guard lock(mutex_);
  return history_;
}

std::vector<WrittenChange> StoreLoad::changes() const {
  std::vector<WrittenChange> changes = ChangesOf(history());
  std::lock_guard lock(mutex_);
  changes.insert(changes.end(), group_changes_.begin(), group_changes_.end());
  return changes;
}

std::vector<std::string> StoreLoad::unexpected() const {
  std::lock_guard lock(mutex_);
  return unexpected_;
}

}  // namespace skiff::testing

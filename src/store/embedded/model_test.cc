// A random history beside a model that keeps every state: whatever the store is asked about any
// revision that it still has, it must answer as the model does, through compactions, crashes and
// errors of the disk.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using State = std::map<std::string, KeyValue>;

class ModelTest : public EmbeddedStoreTestBase, public ::testing::WithParamInterface<uint64_t> {
 protected:
  std::string RandomKey() { return "k" + std::to_string(dice_.Uniform(12)); }

  Transaction RandomTransaction() {
    Transaction transaction;
    for (uint64_t i = dice_.Uniform(3); i > 0; --i) {
      const std::string key = RandomKey();
      const auto at = states_.back().find(key);
      int64_t expected = at == states_.back().end() ? 0 : at->second.mod_revision.value;
      if (dice_.Uniform(5) == 0) expected = static_cast<int64_t>(dice_.Uniform(states_.size() + 1));
      transaction.conditions.push_back({key, {expected}});
    }
    State written;
    for (uint64_t i = dice_.Uniform(4); i > 0; --i) {
      const std::string key = RandomKey();
      if (!written.try_emplace(key).second) continue;
      const bool put = dice_.Uniform(3) != 0;
      transaction.writes.push_back(put ? PutOf(key, std::to_string(dice_.Next())) : DeleteOf(key));
    }
    return transaction;
  }

  // The state after the transaction, if it changes something.
  bool Apply(const Transaction& transaction, bool* succeeded) {
    State state = states_.back();
    *succeeded = true;
    for (const Condition& condition : transaction.conditions) {
      const auto at = state.find(condition.key);
      const int64_t revision = at == state.end() ? 0 : at->second.mod_revision.value;
      if (revision != condition.expected.value) *succeeded = false;
    }
    if (!*succeeded) return false;
    const auto revision = static_cast<int64_t>(states_.size());
    bool changed = false;
    for (const Write& write : transaction.writes) {
      if (write.kind == Write::Kind::kDelete) {
        changed = state.erase(write.key) > 0 || changed;
        continue;
      }
      changed = true;
      KeyValue& entry = state[write.key];
      if (entry.version == 0) entry.create_revision.value = revision;
      entry.key = write.key;
      entry.value = write.value;
      entry.mod_revision.value = revision;
      ++entry.version;
    }
    if (changed) states_.push_back(std::move(state));
    return changed;
  }

  static std::vector<KeyValue> Entries(const State& state) {
    std::vector<KeyValue> entries;
    for (const auto& [key, entry] : state) entries.push_back(entry);
    return entries;
  }

  void Commit() {
    const Transaction transaction = RandomTransaction();
    bool succeeded = false;
    Apply(transaction, &succeeded);
    const auto reply = Try(transaction);
    ASSERT_TRUE(reply) << reply.error().ToString();
    ASSERT_EQ(reply->succeeded, succeeded);
    ASSERT_EQ(reply->revision.value, static_cast<int64_t>(states_.size()) - 1);
    if (succeeded) return;
    for (size_t i = 0; i < transaction.conditions.size(); ++i) {
      const auto at = states_.back().find(transaction.conditions[i].key);
      ASSERT_EQ(reply->current[i].has_value(), at != states_.back().end());
      if (reply->current[i]) {
        ASSERT_EQ(*reply->current[i], at->second);
      }
    }
  }

  void CommitOnAFailingDisk() {
    const Transaction transaction = RandomTransaction();
    const bool applied = dice_.Uniform(2) == 0;
    bool succeeded = false;
    const bool changed = Apply(transaction, &succeeded);
    disk_->FailWrite(1, applied ? MemoryDisk::Outcome::kApplied : MemoryDisk::Outcome::kLost);
    const auto reply = Try(transaction);
    ASSERT_EQ(reply.has_value(), !changed);
    disk_->FailWrite(0, MemoryDisk::Outcome::kLost);
    if (!changed) return;
    ASSERT_EQ(reply.error().reason(), StatusReason::kServerTimeout);
    if (!applied) states_.pop_back();
    while (!store_->Health().writable) clock_.Advance(std::chrono::milliseconds(10));
  }

  void ReadSomeRevision() {
    const auto at = static_cast<int64_t>(dice_.Uniform(states_.size() + 1));
    const auto reply = TryRange({KeyRange::All(), {at}});
    const auto now = static_cast<int64_t>(states_.size()) - 1;
    if (at > now) {
      ASSERT_EQ(reply.error().reason(), StatusReason::kTimeout);
    } else if (at != 0 && at < compacted_) {
      ASSERT_EQ(reply.error().reason(), StatusReason::kExpired);
    } else {
      ASSERT_TRUE(reply) << reply.error().ToString();
      const State& expected = states_[static_cast<size_t>(at == 0 ? now : at)];
      ASSERT_EQ(reply->entries, Entries(expected)) << "at " << at;
      const std::string key = RandomKey();
      const auto one = TryRange({KeyRange::Single(key), {at}});
      ASSERT_EQ(one->count, static_cast<int64_t>(expected.count(key)));
    }
  }

  void CheckEvents() {
    const auto from =
        compacted_ +
        static_cast<int64_t>(dice_.Uniform(states_.size() - static_cast<size_t>(compacted_)));
    CollectingSink sink;
    const auto watch =
        store_->StartWatch({KeyRange::All(), {std::max<int64_t>(from, 1)}, true}, &sink);
    watch->RequestProgress();
    sink.WaitForProgress();
    State state = from > 0 ? states_[static_cast<size_t>(std::max<int64_t>(from - 1, 1))] : State();
    for (const Event& event : sink.events()) {
      const auto at = state.find(event.entry.key);
      if (event.revision().value > compacted_) {
        ASSERT_EQ(event.previous.has_value(), at != state.end());
        if (event.previous) {
          ASSERT_EQ(*event.previous, at->second);
        }
      }
      if (event.kind == Event::Kind::kPut) {
        state[event.entry.key] = event.entry;
      } else {
        state.erase(event.entry.key);
      }
    }
    ASSERT_EQ(Entries(state), Entries(states_.back())) << "from " << from;
  }

  void CheckAll() {
    ASSERT_EQ(Now(), static_cast<int64_t>(states_.size()) - 1);
    ASSERT_EQ(Figures().keys, static_cast<int64_t>(states_.back().size()));
    CollectingScan scan;
    const auto done = Await<Revision>(
        [&](auto callback) { store_->Scan(KeyRange::All(), &scan, std::move(callback)); });
    ASSERT_TRUE(done);
    std::ranges::sort(scan.entries_, {}, &KeyValue::key);
    ASSERT_EQ(scan.entries_, Entries(states_.back()));
  }

  void Step() {
    switch (dice_.Uniform(40)) {
      case 0:
        Reopen();
        return CheckAll();
      case 1: {
        const auto size = states_.size() - static_cast<size_t>(compacted_);
        compacted_ = std::max<int64_t>(compacted_ + static_cast<int64_t>(dice_.Uniform(size)), 1);
        ASSERT_TRUE(Compact(compacted_));
        return;
      }
      case 2: {
        // A crash: what had been written when the process died.
        const auto crashed = disk_->Copy();
        store_.reset();
        disk_ = crashed;
        Open();
        return CheckAll();
      }
      case 3:
        return CommitOnAFailingDisk();
      case 4:
        return CheckEvents();
      default:
        if (dice_.Uniform(2) == 0) return ReadSomeRevision();
        return Commit();
    }
  }

  SeededRandom dice_{GetParam()};
  std::vector<State> states_{2};  // by revision; 1 is the empty store
  int64_t compacted_ = 0;
};

TEST_P(ModelTest, TheStoreAnswersAsTheModelDoes) {
  Open();
  for (int step = 0; step < 1500 && !HasFatalFailure(); ++step) Step();
  if (!HasFatalFailure()) CheckAll();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, ::testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace skiff::store

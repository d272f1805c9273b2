// What the tests of this folder share: a store on a disk in memory whose time stands still.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"

namespace skiff::store {

// Keeps what a watch is told, and waits for it.
class CollectingSink final : public WatchSink {
 public:
  void OnEvents(std::span<const Event> events) override {
    std::lock_guard lock(mutex_);
    calls_.emplace_back(events.begin(), events.end());
    events_.insert(events_.end(), events.begin(), events.end());
    changed_.notify_all();
  }
  void OnProgress(Revision revision) override {
    std::lock_guard lock(mutex_);
    progress_.push_back(revision.value);
    changed_.notify_all();
  }
  void OnEnd(Status why) override {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(end_.has_value()) << "OnEnd came twice";
    end_ = std::move(why);
    changed_.notify_all();
  }

  std::vector<Event> WaitForEvents(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
    return events_;
  }
  int64_t WaitForProgress(size_t count = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return progress_.size() >= count; });
    return progress_.back();
  }
  Status WaitForEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return end_.has_value(); });
    return *end_;
  }
  std::vector<Event> events() {
    std::lock_guard lock(mutex_);
    return events_;
  }
  std::vector<std::vector<Event>> calls() {
    std::lock_guard lock(mutex_);
    return calls_;
  }
  bool ended() {
    std::lock_guard lock(mutex_);
    return end_.has_value();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
  std::vector<std::vector<Event>> calls_;
  std::vector<int64_t> progress_;
  std::optional<Status> end_;
};

class CollectingScan final : public ScanSink {
 public:
  void OnEntries(std::vector<KeyValue> entries) override {
    for (KeyValue& entry : entries) entries_.push_back(std::move(entry));
    ++pieces_;
  }
  std::vector<KeyValue> entries_;
  int pieces_ = 0;
};

inline Write PutOf(std::string key, std::string_view value, LeaseId lease = {}) {
  return {Write::Kind::kPut, std::move(key), SharedBytes(value), lease};
}
inline Write DeleteOf(std::string key) { return {Write::Kind::kDelete, std::move(key), {}, {}}; }

class EmbeddedStoreTestBase : public ::testing::Test {
 protected:
  EmbeddedOptions Options() {
    EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    return options;
  }
  void Open() { Open(Options()); }
  void Open(EmbeddedOptions options) {
    auto store = EmbeddedStore::Open(std::move(options));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = *std::move(store);
  }
  void Reopen() {
    store_.reset();
    Open();
  }

  Result<CommitReply> Try(Transaction transaction) {
    return CommitAndWait(*store_, std::move(transaction));
  }
  CommitReply Do(std::vector<Write> writes) {
    auto reply = Try({{}, std::move(writes)});
    EXPECT_TRUE(reply) << reply.error().ToString();
    return reply ? *reply : CommitReply();
  }
  int64_t Put(std::string key, std::string_view value, LeaseId lease = {}) {
    return Do({PutOf(std::move(key), value, lease)}).revision.value;
  }
  int64_t Delete(std::string key) { return Do({DeleteOf(std::move(key))}).revision.value; }

  Result<RangeReply> TryRange(RangeRequest request) {
    return RangeAndWait(*store_, std::move(request));
  }
  RangeReply Read(KeyRange range, int64_t at = 0) {
    auto reply = TryRange({std::move(range), {at}});
    EXPECT_TRUE(reply) << reply.error().ToString();
    return reply ? *std::move(reply) : RangeReply();
  }
  // "a=1 b=2": the keys and values of everything.
  std::string Contents(int64_t at = 0) {
    std::string text;
    for (const KeyValue& entry : Read(KeyRange::All(), at).entries) {
      text += (text.empty() ? "" : " ") + entry.key + "=" + std::string(entry.value.view());
    }
    return text;
  }
  std::optional<KeyValue> Get(std::string_view key, int64_t at = 0) {
    RangeReply reply = Read(KeyRange::Single(key), at);
    if (reply.entries.empty()) return std::nullopt;
    return reply.entries[0];
  }
  Result<Revision> Compact(int64_t revision) {
    return Await<Revision>([&](auto done) { store_->Compact({revision}, std::move(done)); });
  }
  int64_t Now() {
    return Await<Revision>([&](auto done) { store_->CurrentRevision(std::move(done)); })->value;
  }
  StoreFigures Figures() {
    return *Await<StoreFigures>([&](auto done) { store_->Figures(std::move(done)); });
  }
  Result<LeaseInfo> Grant(int64_t seconds, int64_t id = 0) {
    return Await<LeaseInfo>([&](auto done) {
      store_->GrantLease(std::chrono::seconds(seconds), {id}, std::move(done));
    });
  }
  Result<LeaseInfo> Renew(LeaseId id) {
    return Await<LeaseInfo>([&](auto done) { store_->RenewLease(id, std::move(done)); });
  }
  Result<LeaseInfo> Find(LeaseId id) {
    return Await<LeaseInfo>([&](auto done) { store_->FindLease(id, std::move(done)); });
  }
  Result<Revision> Revoke(LeaseId id) {
    return Await<Revision>([&](auto done) { store_->RevokeLease(id, std::move(done)); });
  }

  ManualClock clock_;
  SeededRandom random_{1};
  std::shared_ptr<MemoryDisk> disk_ = MemoryDisk::Make();
  std::unique_ptr<EmbeddedStore> store_;
};

// "put a=1 @2", "delete a @3"; with the value before, "put a=2 (1) @4".
inline std::string Describe(const Event& event) {
  std::string text = event.kind == Event::Kind::kPut ? "put " : "delete ";
  text += event.entry.key;
  if (event.kind == Event::Kind::kPut) text += "=" + std::string(event.entry.value.view());
  if (event.previous) text += " (" + std::string(event.previous->value.view()) + ")";
  return text + " @" + std::to_string(event.revision().value);
}
inline std::vector<std::string> Describe(const std::vector<Event>& events) {
  std::vector<std::string> texts;
  for (const Event& event : events) texts.push_back(Describe(event));
  return texts;
}

}  // namespace skiff::store

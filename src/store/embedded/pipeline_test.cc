// What the embedded store promises while one batch is being written and the next is prepared.
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using Lines = std::vector<std::string>;

// Lets the test say when each write of the engine happens.
class Gate {
 public:
  void Enter() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || let_in_ >= arrived_; });
  }
  void WaitForWrite(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= number; });
  }
  void LetIn(int number) {
    std::lock_guard lock(mutex_);
    let_in_ = number;
    changed_.notify_all();
  }
  void Close() {
    std::lock_guard lock(mutex_);
    open_ = false;
    arrived_ = 0;
    let_in_ = 0;
  }
  void Open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int arrived() {
    std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int arrived_ = 0;
  int let_in_ = 0;
};

class GatedEngine final : public Engine {
 public:
  GatedEngine(std::unique_ptr<Engine> engine, Gate* gate)
      : engine_(std::move(engine)), gate_(gate) {}

  std::unique_ptr<EngineBatch> NewBatch() override { return engine_->NewBatch(); }
  Result<void> Write(EngineBatch& batch) override {
    gate_->Enter();
    return engine_->Write(batch);
  }
  Result<bool> Get(Family family, std::string_view key, std::string* value) override {
    return engine_->Get(family, key, value);
  }
  std::unique_ptr<EngineSnapshot> NewSnapshot() override { return engine_->NewSnapshot(); }
  Result<void> Defragment() override { return engine_->Defragment(); }
  EngineFigures Figures() override { return engine_->Figures(); }
  Result<void> Health() override { return engine_->Health(); }

 private:
  std::unique_ptr<Engine> engine_;
  Gate* gate_;
};

class EmbeddedPipelineTest : public EmbeddedStoreTestBase {
 protected:
  using Reply = std::future<Result<CommitReply>>;

  void SetUp() override {
    EmbeddedOptions options = Options();
    options.open_engine = [this]() -> Result<std::unique_ptr<Engine>> {
      SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, disk_->Open());
      return std::make_unique<GatedEngine>(std::move(engine), &gate_);
    };
    EmbeddedStoreTestBase::Open(std::move(options));
    Put("a", "1");
  }
  // The store ends while there is a gate: its threads pass through it.
  void TearDown() override {
    gate_.Open();
    store_.reset();
  }

  Reply Start(Transaction transaction) {
    auto promise = std::make_shared<std::promise<Result<CommitReply>>>();
    Reply reply = promise->get_future();
    store_->Commit(std::move(transaction), [promise](Result<CommitReply> result) {
      promise->set_value(std::move(result));
    });
    return reply;
  }
  Reply StartPut(std::string key, std::string_view value) {
    return Start({{}, {PutOf(std::move(key), value)}});
  }
  static bool IsAnswered(const Reply& reply) {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  // Leaves a write in which b=1 waits at the gate, the second, with the committer free.
  Reply HoldAWrite() {
    gate_.Close();
    Reply first = StartPut("a", "2");
    gate_.WaitForWrite(1);
    Reply second = StartPut("b", "1");
    gate_.LetIn(1);
    EXPECT_TRUE(first.get());
    gate_.WaitForWrite(2);
    return second;
  }

  Gate gate_;
};

TEST_F(EmbeddedPipelineTest, NothingIsSeenOrAnsweredBeforeItIsOnDisk) {
  CollectingSink sink;
  const auto watch = store_->StartWatch({KeyRange::All(), {}, false}, &sink);
  Reply held = HoldAWrite();
  const int64_t revision = Now();
  Reply next = StartPut("c", "1");
  // Evaluated after the write that is held: there is a b, so it must not be made.
  Reply refused = Start(Transaction::CreateIfAbsent("b", SharedBytes("2")));
  EXPECT_EQ(next.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  EXPECT_FALSE(IsAnswered(held));
  EXPECT_FALSE(IsAnswered(refused));
  EXPECT_EQ(Contents(), "a=2");
  EXPECT_EQ(Now(), revision);
  EXPECT_EQ(Describe(sink.events()), Lines({"put a=2 @3"}));

  gate_.LetIn(2);
  EXPECT_EQ(held.get()->revision.value, revision + 1);
  EXPECT_EQ(Get("b")->value.view(), "1");
  gate_.Open();
  EXPECT_EQ(next.get()->revision.value, revision + 2);
  const auto answer = refused.get();
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->succeeded);
  EXPECT_EQ(answer->current[0]->value.view(), "1");
  EXPECT_EQ(Describe(sink.WaitForEvents(3)), Lines({"put a=2 @3", "put b=1 @4", "put c=1 @5"}));
}

TEST_F(EmbeddedPipelineTest, WhatComesDuringAWriteIsWrittenTogether) {
  Reply held = HoldAWrite();
  std::vector<Reply> replies;
  for (int i = 0; i < 100; ++i) {
    replies.push_back(StartPut("k" + std::to_string(i % 7), std::to_string(i)));
  }
  EXPECT_EQ(gate_.arrived(), 2) << "one write at a time";
  gate_.LetIn(2);
  gate_.WaitForWrite(3);
  gate_.Open();
  int64_t last = held.get()->revision.value;
  for (Reply& reply : replies) EXPECT_EQ(reply.get()->revision.value, ++last);
  // One for all that were prepared in time; those that were not are prepared so many at a time.
  constexpr int kAtOnce = static_cast<int>(limits::kStorePreparedAtOnce);
  EXPECT_LE(gate_.arrived(), 2 + 1 + (100 + kAtOnce - 1) / kAtOnce);
  EXPECT_EQ(Figures().keys, 9);
  EXPECT_EQ(Get("k0")->value.view(), "98");
  EXPECT_EQ(Get("k0")->version, 15);
}

TEST_F(EmbeddedPipelineTest, WhatWasPreparedOnAFailedWriteFailsToo) {
  for (const bool applied : {false, true}) {
    Reply held = HoldAWrite();
    Reply next = StartPut("c", "1");
    Reply refused = Start(Transaction::CreateIfAbsent("b", SharedBytes("2")));
    EXPECT_EQ(next.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    disk_->FailWrite(1, applied ? MemoryDisk::Outcome::kApplied : MemoryDisk::Outcome::kLost);
    gate_.Open();
    EXPECT_EQ(held.get().error().reason(), StatusReason::kServerTimeout);
    EXPECT_EQ(next.get().error().reason(), StatusReason::kServiceUnavailable);
    EXPECT_EQ(refused.get().error().reason(), StatusReason::kServiceUnavailable);
    EXPECT_FALSE(store_->Health().writable);
    EXPECT_EQ(gate_.arrived(), 2) << "the second batch was not tried";
    while (!store_->Health().writable) clock_.Advance(std::chrono::milliseconds(10));
    EXPECT_EQ(Contents(), applied ? "a=2 b=1" : "a=2");
    Delete("b");
  }
}

TEST_F(EmbeddedPipelineTest, TasksWaitForWhatIsOnItsWay) {
  ASSERT_TRUE(Grant(60, 7));
  gate_.Close();
  Reply first = StartPut("a", "2");
  gate_.WaitForWrite(1);
  Reply attached = Start({{}, {PutOf("b", "1", LeaseId{7})}});
  gate_.LetIn(1);
  EXPECT_TRUE(first.get());
  gate_.WaitForWrite(2);
  std::promise<Result<Revision>> revoked;
  store_->RevokeLease({7}, [&](Result<Revision> result) { revoked.set_value(std::move(result)); });
  Reply late = Start({{}, {PutOf("c", "1", LeaseId{7})}});
  gate_.Open();
  EXPECT_TRUE(attached.get());
  EXPECT_TRUE(revoked.get_future().get());
  late.wait();
  EXPECT_EQ(Contents(), "a=2") << "the lease took with it what was on its way";
}

TEST_F(EmbeddedPipelineTest, ClosingAnswersWhatIsOnItsWay) {
  Reply held = HoldAWrite();
  Reply next = StartPut("c", "1");
  EXPECT_EQ(next.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  gate_.Open();
  store_.reset();
  EXPECT_TRUE(held.get());
  EXPECT_TRUE(IsAnswered(next));
  EmbeddedStoreTestBase::Open();
  EXPECT_EQ(Contents(), next.get() ? "a=2 b=1 c=1" : "a=2 b=1");
}

}  // namespace
}  // namespace skiff::store

// What the embedded store does while its disk has little room, and while it does not answer.
#include <atomic>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class LowDiskSpaceTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }

  static std::string Bytes(size_t count) { return std::string(count, 'x'); }
  // Empty if it was taken; else what was said.
  std::string PutSaid(std::string key, size_t bytes) {
    const auto reply = Try({{}, {PutOf(std::move(key), Bytes(bytes))}});
    if (reply) return "";
    EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
    EXPECT_EQ(reply.error().retry_after_seconds(), limits::kStoreSpaceRetrySeconds);
    return reply.error().message();
  }
  void SetDiskSpaceAndWait(DiskSpace room) {
    disk_->SetDiskSpace(room);
    while (store_->Health().reason != ExplainDiskSpace(room)) clock_.Advance(milliseconds(100));
  }
};

TEST_F(LowDiskSpaceTest, WhatGrowsMuchIsRefusedAndAllElseGoesOn) {
  Put("large", Bytes(100'000));
  Put("doomed", Bytes(100'000));
  SetDiskSpaceAndWait(DiskSpace::kSmallGrowth);
  EXPECT_TRUE(store_->Health().writable);

  EXPECT_NE(PutSaid("new", 5'000).find("nearly full"), std::string::npos);
  EXPECT_NE(PutSaid("large", 105'000), "");
  EXPECT_EQ(PutSaid("large", 100'000), "") << "an update that does not grow";
  EXPECT_EQ(PutSaid("large", 100'100), "") << "or hardly";
  EXPECT_EQ(PutSaid("large", 50'000), "");
  EXPECT_NE(PutSaid("large", 100'000), "") << "compared with what is there now";
  EXPECT_EQ(PutSaid("lease", 300), "");
  Delete("doomed");
  EXPECT_TRUE(Try({{}, {PutOf("moved", Bytes(50'000)), DeleteOf("large")}}))
      << "what one key loses another may gain";
  EXPECT_TRUE(Grant(1'000'000));
  EXPECT_TRUE(Compact(Now()));

  SetDiskSpaceAndWait(DiskSpace::kPlenty);
  EXPECT_EQ(PutSaid("new", 5'000), "");
}

TEST_F(LowDiskSpaceTest, WithVeryLittleRoomOnlyWhatHardlyGrowsIsTaken) {
  Put("node", Bytes(2'000));
  Put("large", Bytes(100'000));
  SetDiskSpaceAndWait(DiskSpace::kTinyGrowth);
  EXPECT_NE(PutSaid("event", 1'000), "");
  EXPECT_EQ(PutSaid("node", 2'010), "");
  EXPECT_EQ(PutSaid("master", 200), "");
  EXPECT_NE(PutSaid("large", 100'000), "") << "what it writes needs room before it gives any back";
}

TEST_F(LowDiskSpaceTest, DeletionsAreTakenToTheLast) {
  Put("a", Bytes(2'000));
  Put("b", Bytes(2'000));
  SetDiskSpaceAndWait(DiskSpace::kDeletionsOnly);
  EXPECT_NE(PutSaid("a", 1), "");
  EXPECT_FALSE(Try({{}, {PutOf("a", Bytes(5'000)), DeleteOf("b")}}));
  Delete("a");
  EXPECT_EQ(Compact(Now()).value().value, Now());
  EXPECT_TRUE(Try(Transaction::CreateIfAbsent("b", SharedBytes("x"))))
      << "a condition that does not hold is told as ever";
}

TEST_F(LowDiskSpaceTest, TransactionsOfOneBatchSeeWhatTheOnesBeforeThemHold) {
  Put("a", Bytes(2'000));
  SetDiskSpaceAndWait(DiskSpace::kSmallGrowth);
  std::promise<void> held;
  std::promise<void> go_on;
  auto wait = go_on.get_future().share();
  std::once_flag once;
  disk_->OnWrite([&] { std::call_once(once, [&] { held.set_value(), wait.wait(); }); });
  std::vector<std::future<Result<CommitReply>>> replies;
  for (size_t i = 0; i < 5; ++i) {
    auto promise = std::make_shared<std::promise<Result<CommitReply>>>();
    replies.push_back(promise->get_future());
    store_->Commit({{}, {PutOf("a", Bytes(2'000 + (i + 1) * 4'000))}},
                   [promise](Result<CommitReply> reply) { promise->set_value(std::move(reply)); });
    if (i == 0) held.get_future().wait();
  }
  go_on.set_value();
  for (auto& reply : replies) EXPECT_TRUE(reply.get()) << "each grows by 4000 bytes";
  disk_->OnWrite(nullptr);
}

TEST_F(LowDiskSpaceTest, OldStatesAreForgottenBeforeTheirTimeAndTheirRoomIsGivenBack) {
  for (int i = 0; i < 50; ++i) Put("a", Bytes(300'000));
  EXPECT_EQ(disk_->Keys(Family::kLog).size(), 50U);
  EXPECT_EQ(disk_->reclaims(), 0);
  disk_->SetDiskSpace(DiskSpace::kScarce);
  Put("a", "newest");
  while (disk_->Keys(Family::kLog).size() > 1 || disk_->reclaims() < 1) {
    clock_.Advance(milliseconds(100));
  }
  EXPECT_EQ(Contents(), "a=newest");
  EXPECT_EQ(store_->Health().reason, "") << "everything is taken as ever";
}

TEST_F(LowDiskSpaceTest, WhatIsNotToBeForgottenEarlyIsKept) {
  store_.reset();
  EmbeddedOptions options = Options();
  options.forget_early = false;
  Open(std::move(options));
  for (int i = 0; i < 5; ++i) Put("a", std::to_string(i));
  SetDiskSpaceAndWait(DiskSpace::kSmallGrowth);
  for (int i = 0; i < 20; ++i) clock_.Advance(seconds(1));
  EXPECT_EQ(Contents(2), "a=0");
}

TEST_F(LowDiskSpaceTest, ADiskThatDoesNotAnswerIsReported) {
  std::promise<void> held;
  std::promise<void> go_on;
  auto wait = go_on.get_future().share();
  disk_->OnWrite([&] { held.set_value(), wait.wait(); });
  std::promise<Result<CommitReply>> answered;
  store_->Commit({{}, {PutOf("a", "1")}},
                 [&](Result<CommitReply> reply) { answered.set_value(std::move(reply)); });
  held.get_future().wait();
  clock_.Advance(seconds(4));
  EXPECT_TRUE(store_->Health().writable) << "a disk may be slow";
  clock_.Advance(seconds(2));
  const StoreHealth health = store_->Health();
  EXPECT_TRUE(health.readable);
  EXPECT_FALSE(health.writable);
  EXPECT_NE(health.reason.find("has not answered"), std::string::npos) << health.reason;
  disk_->OnWrite(nullptr);
  go_on.set_value();
  EXPECT_TRUE(answered.get_future().get());
  EXPECT_TRUE(store_->Health().writable);
  clock_.Advance(seconds(60));
  EXPECT_TRUE(store_->Health().writable) << "nobody waits for it";
}

}  // namespace
}  // namespace skiff::store

#include "store/lease_pool.h"

#include <gtest/gtest.h>

#include "store/blocking.h"

namespace skiff::store {
namespace {

using std::chrono::seconds;

// Grants leases, at once or when it is told to, and does nothing else.
class GrantingStore final : public Store {
 public:
  void GrantLease(seconds ttl, LeaseId, StoreCallback<LeaseInfo> done) override {
    asked.push_back(ttl);
    open_.push_back(std::move(done));
    if (!hold) Answer();
  }
  void Answer() {
    auto open = std::exchange(open_, {});
    for (auto& done : open) {
      if (broken) {
        done(Fail(StatusReason::kServiceUnavailable, "broken"));
      } else {
        done(LeaseInfo{{++last_}, asked.back(), asked.back()});
      }
    }
  }
  void Range(RangeRequest, StoreCallback<RangeReply>) override {}
  void Commit(Transaction, StoreCallback<CommitReply>) override {}
  void Scan(KeyRange, ScanSink*, StoreCallback<Revision>) override {}
  std::unique_ptr<Watch> StartWatch(WatchRequest, WatchSink*) override { return nullptr; }
  void RenewLease(LeaseId, StoreCallback<LeaseInfo>) override {}
  void RevokeLease(LeaseId, StoreCallback<Revision>) override {}
  void FindLease(LeaseId, StoreCallback<LeaseInfo>) override {}
  void Compact(Revision, StoreCallback<Revision>) override {}
  void CurrentRevision(StoreCallback<Revision>) override {}
  bool HasReliableProgress() override { return true; }
  StoreHealth Health() override { return {}; }
  void Figures(StoreCallback<StoreFigures>) override {}

  std::vector<seconds> asked;
  bool hold = false;
  bool broken = false;

 private:
  int64_t last_ = 0;
  std::vector<StoreCallback<LeaseInfo>> open_;
};

class LeasePoolTest : public ::testing::Test {
 protected:
  LeaseId For(seconds ttl) {
    auto id = Await<LeaseId>([&](auto done) { pool_->LeaseFor(ttl, std::move(done)); });
    EXPECT_TRUE(id) << id.error().message();
    return id.value_or(LeaseId());
  }

  ManualClock clock_;
  GrantingStore store_;
  std::unique_ptr<LeasePool> pool_ = std::make_unique<LeasePool>(store_, clock_);
};

TEST_F(LeasePoolTest, WhoWaitsWhenItClosesIsToldSoAndNobodyIsCalledLater) {
  store_.hold = true;
  std::vector<std::string> answers;
  const auto ask = [&](seconds ttl) {
    pool_->LeaseFor(
        ttl, [&](Result<LeaseId> id) { answers.push_back(id ? "granted" : id.error().message()); });
  };
  ask(seconds(60));
  ask(seconds(60));
  ask(seconds(3600));
  EXPECT_EQ(answers.size(), 0U);
  pool_->Close();
  EXPECT_EQ(answers, std::vector<std::string>(3, "the server is stopping"));
  store_.Answer();
  ask(seconds(60));
  EXPECT_EQ(answers, std::vector<std::string>(4, "the server is stopping"));
}

TEST_F(LeasePoolTest, ObjectsThatComeSoonShareALeaseThatLastsLongEnoughForAll) {
  const LeaseId first = For(seconds(3600));
  clock_.Advance(seconds(59));
  EXPECT_EQ(For(seconds(3600)), first);
  clock_.Advance(seconds(1));
  EXPECT_NE(For(seconds(3600)), first);
  EXPECT_EQ(store_.asked, (std::vector<seconds>{seconds(3660), seconds(3660)}));
}

TEST_F(LeasePoolTest, AShortTimeToLiveIsStretchedByATwentieth) {
  const LeaseId first = For(seconds(100));
  clock_.Advance(seconds(4));
  EXPECT_EQ(For(seconds(100)), first);
  clock_.Advance(seconds(1));
  EXPECT_NE(For(seconds(100)), first);
  EXPECT_EQ(store_.asked[0], seconds(105));
}

TEST_F(LeasePoolTest, AVeryShortTimeToLiveIsNotShared) {
  const LeaseId first = For(seconds(5));
  EXPECT_NE(For(seconds(5)), first);
  EXPECT_EQ(store_.asked[0], seconds(5));
}

TEST_F(LeasePoolTest, DifferentTimesToLiveDoNotDisturbEachOther) {
  const LeaseId hour = For(seconds(3600));
  const LeaseId minutes = For(seconds(600));
  EXPECT_NE(hour, minutes);
  EXPECT_EQ(For(seconds(3600)), hour);
  EXPECT_EQ(For(seconds(600)), minutes);
}

TEST_F(LeasePoolTest, ALeaseTakesAThousandObjects) {
  const LeaseId first = For(seconds(3600));
  for (int i = 1; i < 1000; ++i) ASSERT_EQ(For(seconds(3600)), first) << i;
  EXPECT_NE(For(seconds(3600)), first);
}

TEST_F(LeasePoolTest, WhoComesWhileALeaseIsGrantedSharesIt) {
  store_.hold = true;
  std::vector<LeaseId> ids;
  for (int i = 0; i < 1500; ++i) {
    pool_->LeaseFor(seconds(3600), [&](Result<LeaseId> id) { ids.push_back(id.value()); });
  }
  EXPECT_EQ(store_.asked.size(), 1u);
  store_.Answer();
  EXPECT_EQ(ids.size(), 1000u);
  store_.Answer();
  ASSERT_EQ(ids.size(), 1500u);
  EXPECT_EQ(ids[0], ids[999]);
  EXPECT_NE(ids[999], ids[1000]);
  EXPECT_EQ(ids[1000], ids[1499]);
}

TEST_F(LeasePoolTest, ASlowGrantDoesNotShortenTheLifeOfWhoCameLater) {
  store_.hold = true;
  std::vector<LeaseId> ids;
  const auto add = [&](Result<LeaseId> id) { ids.push_back(id.value()); };
  pool_->LeaseFor(seconds(100), add);
  clock_.Advance(seconds(5));
  pool_->LeaseFor(seconds(100), add);
  clock_.Advance(seconds(1));
  pool_->LeaseFor(seconds(100), add);
  store_.Answer();
  EXPECT_EQ(ids.size(), 2u);
  store_.Answer();
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_NE(ids[1], ids[2]);
}

TEST_F(LeasePoolTest, AnErrorReachesEveryoneAndIsNotKept) {
  store_.hold = store_.broken = true;
  int errors = 0;
  for (int i = 0; i < 3; ++i) {
    pool_->LeaseFor(seconds(3600), [&](Result<LeaseId> id) { errors += id ? 0 : 1; });
  }
  store_.Answer();
  EXPECT_EQ(errors, 3);
  store_.hold = store_.broken = false;
  EXPECT_NE(For(seconds(3600)), LeaseId());
}

TEST_F(LeasePoolTest, AnswersMayComeAfterThePoolIsGone) {
  store_.hold = true;
  LeaseId id;
  pool_->LeaseFor(seconds(3600), [&](Result<LeaseId> answer) { id = answer.value(); });
  pool_.reset();
  store_.Answer();
  EXPECT_NE(id, LeaseId());
}

TEST_F(LeasePoolTest, TimesToLiveOutOfUseMakeRoom) {
  for (int i = 0; i < 1000; ++i) {
    For(seconds(1000 + i));
    clock_.Advance(seconds(60));
  }
}

TEST_F(LeasePoolTest, NoTimeToLiveIsRefused) {
  auto id = Await<LeaseId>([&](auto done) { pool_->LeaseFor(seconds(0), std::move(done)); });
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().reason(), StatusReason::kBadRequest);
}

}  // namespace
}  // namespace skiff::store

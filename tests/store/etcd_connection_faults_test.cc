// The store on etcd behind a network that loses connections at the worst moments.
#include <gtest/gtest.h>

#include "store/blocking.h"
#include "tests/store/etcd_fault_fixture.h"
#include "tests/store/faulty_proxy.h"
#include "tests/store/tampering_store.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;

class EtcdConnectionFaultsTest : public EtcdFaultTest {
 protected:
  // One member behind a proxy, and a store that has reached it.
  void BeginBehindProxy() {
    Begin({.members = 1});
    if (IsSkipped() || HasFatalFailure()) return;
    auto proxy = FaultyProxy::Start(cluster().client_address(0), cluster().client_port(0));
    ASSERT_TRUE(proxy) << proxy.error().message();
    proxy_ = std::move(*proxy);
    store_ = Open({proxy_->url()});
    ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store_->Health().writable; }));
  }

  // Commits while the proxy drops one direction; cuts the connections when the write or its answer
  // was dropped.
  Result<store::CommitReply> CommitAcrossALostConnection(FaultyProxy::Mode mode,
                                                         store::Transaction transaction) {
    proxy_->SetMode(mode);
    uint64_t dropped = proxy_->dropped_bytes();
    Result<store::CommitReply> reply = Fail(StatusReason::kUnknown, "no answer");
    Thread committer("committer",
                     [&] { reply = store::CommitAndWait(*store_, std::move(transaction)); });
    EXPECT_TRUE(WaitUntilTrue(clock_, kPatience,
                              [&] { return IsLost(mode, proxy_->dropped_bytes() - dropped); }));
    proxy_->CutConnections();
    proxy_->SetMode(FaultyProxy::Mode::kForward);
    committer.Join();
    return reply;
  }

  // The store also asks how the server is, and what is dropped may be that: a write is lost once
  // more is missing than such questions have bytes, an answer once the server has the value.
  bool IsLost(FaultyProxy::Mode mode, uint64_t dropped_bytes) {
    if (mode == FaultyProxy::Mode::kDropRequests) return dropped_bytes >= kLongBytes;
    if (dropped_bytes == 0) return false;
    Result<std::string> value = cluster().Control(0, {"get", kKey, "--print-value-only"});
    return value && *value == "value\n";
  }

  SceneFindings LoseConnectionsUnderLoad(store::Store& store, int rounds) {
    FaultScene scene(clock_, {&store}, {.prefix = "/load/" + std::to_string(runs_++) + "/"}, 4);
    constexpr FaultyProxy::Mode kModes[] = {
        FaultyProxy::Mode::kForward, FaultyProxy::Mode::kDropAnswers, FaultyProxy::Mode::kStall,
        FaultyProxy::Mode::kDropRequests, FaultyProxy::Mode::kRefuse};
    for (int round = 0; round < rounds; round++) {
      EXPECT_TRUE(scene.load().WaitForWrites(20, kPatience)) << "round " << round;
      proxy_->SetMode(kModes[static_cast<size_t>(round) % std::size(kModes)]);
      LetPass(clock_, milliseconds(20));
      proxy_->CutConnections();
      proxy_->SetMode(FaultyProxy::Mode::kForward);
    }
    EXPECT_GT(scene.load().unknown(), 0U) << "no outcome was ever unknown: nothing struck";
    return scene.Finish();
  }

  int runs_ = 0;
  static constexpr const char* kKey = "/unknown";
  static constexpr size_t kLongBytes = 20'000;
  std::unique_ptr<FaultyProxy> proxy_;
  std::unique_ptr<store::EtcdStore> store_;
};

TEST_F(EtcdConnectionFaultsTest, AWriteWhoseAnswerIsLostIsOfUnknownOutcomeAndHasHappened) {
  BeginBehindProxy();
  if (IsSkipped() || HasFatalFailure()) return;
  Result<store::CommitReply> reply =
      CommitAcrossALostConnection(FaultyProxy::Mode::kDropAnswers,
                                  store::Transaction::CreateIfAbsent(kKey, SharedBytes("value")));
  ASSERT_FALSE(reply) << "the answer cannot have come";
  EXPECT_EQ(reply.error().reason(), StatusReason::kServerTimeout) << reply.error().message();
  Result<store::RangeReply> read =
      store::RangeAndWait(*store_, {.range = store::KeyRange::Single(kKey), .at = {}});
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->entries.size(), 1U);
  EXPECT_EQ(read->entries[0].version, 1) << "it must not have been sent twice";
}

TEST_F(EtcdConnectionFaultsTest, AWriteThatIsLostOnItsWayIsOfUnknownOutcomeAndHasNotHappened) {
  BeginBehindProxy();
  if (IsSkipped() || HasFatalFailure()) return;
  Result<store::CommitReply> reply = CommitAcrossALostConnection(
      FaultyProxy::Mode::kDropRequests,
      store::Transaction::CreateIfAbsent(kKey, SharedBytes(std::string(kLongBytes, 'v'))));
  ASSERT_FALSE(reply) << "nobody can have answered";
  EXPECT_EQ(reply.error().reason(), StatusReason::kServerTimeout) << reply.error().message();
  Result<store::RangeReply> read =
      store::RangeAndWait(*store_, {.range = store::KeyRange::Single(kKey), .at = {}});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->entries.empty());
}

TEST_F(EtcdConnectionFaultsTest, AReadWhoseAnswerIsLostIsAskedAgain) {
  BeginBehindProxy();
  if (IsSkipped() || HasFatalFailure()) return;
  ASSERT_TRUE(cluster().Control(0, {"put", kKey, "value"}));
  proxy_->SetMode(FaultyProxy::Mode::kDropAnswers);
  uint64_t dropped = proxy_->dropped_bytes();
  Result<store::RangeReply> read = Fail(StatusReason::kUnknown, "no answer");
  Thread reader("reader", [&] {
    read = store::RangeAndWait(*store_, {.range = store::KeyRange::Single(kKey), .at = {}});
  });
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return proxy_->dropped_bytes() > dropped; }));
  proxy_->CutConnections();
  proxy_->SetMode(FaultyProxy::Mode::kForward);
  reader.Join();
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->entries.size(), 1U);
}

TEST_F(EtcdConnectionFaultsTest, ConnectionsLostUnderLoadLeaveNoGapAndNoRepetition) {
  BeginBehindProxy();
  if (IsSkipped() || HasFatalFailure()) return;
  SceneFindings findings = LoseConnectionsUnderLoad(*store_, 10 * FaultRounds());
  EXPECT_TRUE(findings.clean()) << findings.Describe();
  // The same with a fault planted between the store and its watchers must be found.
  TamperingStore losing(*store_, Tampering::kLoseEvent);
  losing.LetLoose();
  EXPECT_TRUE(Has(LoseConnectionsUnderLoad(losing, 3).watches, WatchFault::kLostEvent));
  TamperingStore repeating(*store_, Tampering::kDuplicateEvent);
  repeating.LetLoose();
  EXPECT_TRUE(Has(LoseConnectionsUnderLoad(repeating, 3).watches, WatchFault::kDuplicatedEvent));
}

TEST_F(EtcdConnectionFaultsTest, AStalledConnectionIsGivenUpWithoutAGap) {
  BeginBehindProxy();
  if (IsSkipped() || HasFatalFailure()) return;
  auto detour = FaultyProxy::Start(cluster().client_address(0), cluster().client_port(0));
  ASSERT_TRUE(detour) << detour.error().message();
  // The second way opens when the store has settled on the first.
  (*detour)->SetMode(FaultyProxy::Mode::kRefuse);
  auto store = Open({proxy_->url(), (*detour)->url()});
  FaultScene scene(clock_, {store.get()}, {});
  ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
  (*detour)->SetMode(FaultyProxy::Mode::kForward);
  proxy_->SetMode(FaultyProxy::Mode::kStall);
  EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience));
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

}  // namespace
}  // namespace skiff::testing

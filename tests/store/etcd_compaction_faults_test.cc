// The store on etcd while history is compacted: under watches that begin in it, while nobody can
// reach it, and with the member killed in the middle of it.
#include <gtest/gtest.h>

#include "store/blocking.h"
#include "tests/store/etcd_fault_fixture.h"
#include "tests/store/faulty_proxy.h"
#include "tests/store/tampering_store.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;

class EtcdCompactionFaultsTest : public EtcdFaultTest {
 protected:
  Result<store::Revision> Current(store::Store& store) {
    return store::Await<store::Revision>(
        [&](auto done) { store.CurrentRevision(std::move(done)); });
  }
  Result<store::Revision> Compact(store::Store& store, store::Revision revision) {
    return store::Await<store::Revision>(
        [&](auto done) { store.Compact(revision, std::move(done)); });
  }
  store::Revision Put(store::Store& store, const std::string& key, std::string_view value) {
    store::Transaction transaction;
    transaction.writes.push_back(
        {.kind = store::Write::Kind::kPut, .key = key, .value = SharedBytes(value), .lease = {}});
    Result<store::CommitReply> reply = store::CommitAndWait(store, std::move(transaction));
    EXPECT_TRUE(reply) << reply.error().message();
    return reply ? reply->revision : store::Revision{};
  }

  // The fault, if one is planted, shows from the first restart on.
  SceneFindings KillWhileCompacting(TamperingStore& store, int rounds) {
    FaultScene scene(clock_, {&store}, {.prefix = Text("/load/", runs_++, "/")});
    store::Revision compacted;
    for (int round = 0; round < rounds; round++) {
      EXPECT_TRUE(scene.load().WaitForWrites(40, kPatience)) << "round " << round;
      Result<store::Revision> now = Current(store);
      EXPECT_TRUE(now) << now.error().message();
      if (!now) break;
      Result<store::Revision> done = Fail(StatusReason::kUnknown, "not done");
      Thread compactor("compactor", [&] { done = Compact(store, *now); });
      LetPass(clock_, milliseconds(round % 5 * 3));
      cluster().Kill(0);
      compactor.Join();
      compacted = *now;
      Result<void> restarted = cluster().Restart(0);
      EXPECT_TRUE(restarted) << restarted.error().message();
      store.LetLoose();
      EXPECT_TRUE(scene.load().WaitForWrites(10, kPatience)) << "after restart " << round;
    }
    return scene.Finish(compacted);
  }

  int runs_ = 0;
};

TEST_F(EtcdCompactionFaultsTest, WatchesThatBeginNearACompactionSeeAllOrExpire) {
  Begin({.members = 1});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  store::Revision compacted;
  size_t begun = scene.watches();
  for (int round = 0; round < 40 * FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(10, kPatience)) << "round " << round;
    Result<store::Revision> now = Current(*store);
    ASSERT_TRUE(now) << now.error().message();
    store::Revision edge{now->value - 5};
    Result<store::Revision> done = Fail(StatusReason::kUnknown, "not done");
    Thread compactor("compactor", [&] { done = Compact(*store, edge); });
    // Just before, at and after what is being compacted at this moment.
    for (int64_t offset = -1; offset <= 1; offset++)
      scene.AddWatch(
          *store, Text("round ", round, ", from edge ", offset),
          {.range = scene.load().range(), .from = {edge.value + offset}, .previous_values = true});
    compactor.Join();
    ASSERT_TRUE(done) << done.error().message();
    compacted = edge;
  }
  SceneFindings findings = scene.Finish(compacted);
  EXPECT_TRUE(findings.clean()) << findings.Describe();
  size_t expired = 0;
  for (size_t i = begun; i < scene.watches(); i++) expired += scene.sink(i).end() ? 1 : 0;
  EXPECT_LT(expired, scene.watches() - begun) << "every watch expired: nothing was tested";
}

TEST_F(EtcdCompactionFaultsTest, AWatchThatIsCutOffThroughACompactionExpiresInsteadOfSkipping) {
  Begin({.members = 1});
  if (IsSkipped() || HasFatalFailure()) return;
  auto proxy = FaultyProxy::Start(cluster().client_address(0), cluster().client_port(0));
  ASSERT_TRUE(proxy) << proxy.error().message();
  auto watching = Open({(*proxy)->url()});
  auto writing = Open(cluster().endpoints());
  store::Revision first = Put(*writing, "/k", "1");
  store::WatchRequest request{.range = store::KeyRange::Prefix("/"), .from = first};
  LoggingSink sink(clock_, "watch", request);
  auto watch = watching->StartWatch(request, &sink);
  ASSERT_TRUE(sink.WaitFor(first, kPatience));
  (*proxy)->SetMode(FaultyProxy::Mode::kRefuse);
  (*proxy)->CutConnections();
  for (int i = 2; i <= 10; i++) Put(*writing, "/k", std::to_string(i));
  Result<store::Revision> now = Current(*writing);
  ASSERT_TRUE(now) << now.error().message();
  ASSERT_TRUE(Compact(*writing, *now));
  (*proxy)->SetMode(FaultyProxy::Mode::kForward);
  ASSERT_TRUE(sink.WaitForEnd(kPatience)) << "came to " << sink.reached().value;
  EXPECT_EQ(sink.end()->reason(), StatusReason::kExpired) << sink.end()->message();
  EXPECT_EQ(sink.reached(), first);
}

TEST_F(EtcdCompactionFaultsTest, ADeletionCompactedWhileTheWatchWasCutOffIsSeenOrTheWatchExpires) {
  Begin({.members = 1});
  if (IsSkipped() || HasFatalFailure()) return;
  auto proxy = FaultyProxy::Start(cluster().client_address(0), cluster().client_port(0));
  ASSERT_TRUE(proxy) << proxy.error().message();
  auto watching = Open({(*proxy)->url()});
  auto writing = Open(cluster().endpoints());
  store::Revision put = Put(*writing, "/k", "1");
  store::WatchRequest request{.range = store::KeyRange::Prefix("/"), .from = put};
  LoggingSink sink(clock_, "watch", request);
  auto watch = watching->StartWatch(request, &sink);
  ASSERT_TRUE(sink.WaitFor(put, kPatience));
  (*proxy)->SetMode(FaultyProxy::Mode::kRefuse);
  (*proxy)->CutConnections();
  Result<store::CommitReply> deleted =
      store::CommitAndWait(*writing, store::Transaction::DeleteIfRevision("/k", put));
  ASSERT_TRUE(deleted) << deleted.error().message();
  // The watch will go on from exactly this revision.
  ASSERT_TRUE(Compact(*writing, deleted->revision));
  (*proxy)->SetMode(FaultyProxy::Mode::kForward);
  store::Revision mark = Put(*writing, "/mark", "mark");
  ASSERT_TRUE(sink.WaitFor(mark, kPatience));
  std::vector<WrittenChange> changes = {{put.value, 0, "/k", false, "1"},
                                        {deleted->revision.value, 0, "/k", true, ""},
                                        {mark.value, 0, "/mark", false, "mark"}};
  std::vector<WatchLog> logs = {sink.log()};
  EXPECT_EQ(Describe(CheckWatches(logs, Truth(changes, logs, mark), deleted->revision)), "");
}

TEST_F(EtcdCompactionFaultsTest, RevisionsDoNotDecreaseWhenTheMemberIsKilledWhileCompacting) {
  Begin({.members = 1});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  TamperingStore sound(*store, Tampering::kNone);
  SceneFindings findings = KillWhileCompacting(sound, 5 * FaultRounds());
  // Watches that were behind may have expired; none may have skipped or gone back.
  EXPECT_TRUE(findings.clean()) << findings.Describe();
  TamperingStore planted(*store, Tampering::kRevisionsGoBack);
  EXPECT_FALSE(KillWhileCompacting(planted, 1).linearizable.legal());
}

}  // namespace
}  // namespace skiff::testing

// The kinds of bug that etcd's own ledger lists, each as a named test on every engine. Each test
// runs twice: on the store as it is, where nothing may be found, and with the fault planted between
// the store and its users, where the same check must find it.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "store/blocking.h"
#include "tests/store/fault_scene.h"
#include "tests/store/store_under_test.h"
#include "tests/store/tampering_store.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

constexpr Duration kLedgerPatience = std::chrono::seconds(60);
// A load that writes nothing for so long has most likely ended.
constexpr Duration kStep = std::chrono::milliseconds(100);

class StoreLedgerTest : public ::testing::TestWithParam<const StoreKind*> {
 protected:
  void SetUp() override {
    if (GetParam()->missing != nullptr)
      if (auto why = GetParam()->missing()) GTEST_SKIP() << *why;
    under_test_ = GetParam()->make();
    Result<void> opened = under_test_->Open();
    ASSERT_TRUE(opened) << opened.error().message();
  }

  // Keys of its own for every run: one etcd serves all tests.
  std::string Prefix() {
    return Text("/ledger/", ::testing::UnitTest::GetInstance()->current_test_info()->name(), "/",
                runs_++, "/");
  }
  StoreLoadOptions Load(size_t value_bytes = 40) {
    return {.prefix = Prefix(), .value_bytes = value_bytes, .operations_per_writer = 100};
  }
  store::Store& store() { return under_test_->store(); }

  using Body = std::function<void(FaultScene&, store::Store&)>;
  // A scene with the fault planted; it strikes as soon as it can.
  SceneFindings Run(Tampering fault, StoreLoadOptions load, const Body& body, int watchers = 2) {
    TamperingStore tampered(store(), fault);
    tampered.LetLoose();
    FaultScene scene(clock_, {&tampered}, std::move(load), watchers);
    if (body) body(scene, tampered);
    scene.load().Finish();
    SceneFindings findings = scene.Finish();
    EXPECT_EQ(tampered.happened(), fault != Tampering::kNone) << "the fault was not planted";
    return findings;
  }
  store::Revision Put(store::Store& on, const std::string& key, std::string_view value) {
    store::Transaction transaction;
    transaction.writes.push_back(
        {.kind = store::Write::Kind::kPut, .key = key, .value = SharedBytes(value), .lease = {}});
    return MustCommit(on, std::move(transaction));
  }
  store::Revision Delete(store::Store& on, const std::string& key) {
    store::Transaction transaction;
    transaction.writes.push_back(
        {.kind = store::Write::Kind::kDelete, .key = key, .value = {}, .lease = {}});
    return MustCommit(on, std::move(transaction));
  }
  store::Revision MustCommit(store::Store& on, store::Transaction transaction) {
    Result<store::CommitReply> reply = store::CommitAndWait(on, std::move(transaction));
    EXPECT_TRUE(reply) << reply.error().message();
    return reply ? reply->revision : store::Revision{};
  }
  store::Revision Current(store::Store& on) {
    Result<store::Revision> now =
        store::Await<store::Revision>([&](auto done) { on.CurrentRevision(std::move(done)); });
    EXPECT_TRUE(now) << now.error().message();
    return now ? *now : store::Revision{};
  }
  Result<store::Revision> Compact(store::Store& on, store::Revision revision) {
    return store::Await<store::Revision>([&](auto done) { on.Compact(revision, std::move(done)); });
  }

  // A key is written at `first` and deleted at the revision that is then compacted. One watch sees
  // it live, another is begun at the very revision of the deletion after the compaction: it must
  // tell of the deletion or say that it has expired.
  std::vector<WatchFinding> WatchADeletionThroughCompaction(Tampering fault) {
    TamperingStore tampered(store(), fault);
    tampered.LetLoose();
    std::string prefix = Prefix();
    std::string key = prefix + "key";
    store::Revision put = Put(tampered, key, "value");
    store::WatchRequest early{.range = store::KeyRange::Prefix(prefix), .from = put};
    LoggingSink early_sink(clock_, "begun before the compaction", early);
    auto early_watch = tampered.StartWatch(early, &early_sink);
    EXPECT_TRUE(early_sink.WaitFor(put, kLedgerPatience));
    store::Revision deletion = Delete(tampered, key);
    Result<store::Revision> compacted = Compact(tampered, deletion);
    EXPECT_TRUE(compacted) << compacted.error().message();
    store::WatchRequest late{.range = store::KeyRange::Prefix(prefix), .from = deletion};
    LoggingSink late_sink(clock_, "begun at the compacted revision", late);
    auto late_watch = tampered.StartWatch(late, &late_sink);
    store::Revision mark = Put(tampered, prefix + "mark", "mark");
    EXPECT_TRUE(early_sink.WaitFor(mark, kLedgerPatience));
    EXPECT_TRUE(late_sink.WaitFor(mark, kLedgerPatience));

    Result<store::RangeReply> left =
        store::RangeAndWait(tampered, {.range = late.range, .at = deletion});
    EXPECT_TRUE(left) << left.error().message();
    EXPECT_TRUE(left && left->entries.empty()) << "the deleted key is back";

    std::vector<WrittenChange> changes = {{put.value, 0, key, false, "value"},
                                          {deletion.value, 0, key, true, ""},
                                          {mark.value, 0, prefix + "mark", false, "mark"}};
    std::vector<WatchLog> logs = {early_sink.log(), late_sink.log()};
    return CheckWatches(logs, Truth(changes, logs, mark), deletion);
  }

  SystemClock clock_;
  std::unique_ptr<StoreUnderTest> under_test_;
  int runs_ = 0;
};

TEST_P(StoreLedgerTest, NoWatchEventIsLost) {
  // Many watchers of large values, more of them all the time: the stream is never idle.
  Body more_watches = [&](FaultScene& scene, store::Store& on) {
    for (int i = 0; i < 10; i++) {
      scene.AddWatch(on, Text("late watch ", i),
                     {.range = scene.load().range(), .from = scene.first()});
      if (!scene.load().WaitForWrites(5, kStep)) break;
    }
  };
  SceneFindings sound = Run(Tampering::kNone, Load(8000), more_watches, 10);
  EXPECT_TRUE(sound.clean()) << sound.Describe();
  SceneFindings planted = Run(Tampering::kLoseEvent, Load(), nullptr);
  EXPECT_TRUE(Has(planted.watches, WatchFault::kLostEvent)) << planted.Describe();
}

TEST_P(StoreLedgerTest, NoWatchEventIsDuplicated) {
  SceneFindings sound = Run(Tampering::kNone, Load(), nullptr, 6);
  EXPECT_TRUE(sound.clean()) << sound.Describe();
  SceneFindings planted = Run(Tampering::kDuplicateEvent, Load(), nullptr);
  EXPECT_TRUE(Has(planted.watches, WatchFault::kDuplicatedEvent)) << planted.Describe();
}

TEST_P(StoreLedgerTest, NoDeletionIsLostAtCompaction) {
  std::vector<WatchFinding> sound = WatchADeletionThroughCompaction(Tampering::kNone);
  EXPECT_EQ(Describe(sound), "");
  std::vector<WatchFinding> planted = WatchADeletionThroughCompaction(Tampering::kLoseDeletion);
  EXPECT_TRUE(Has(planted, WatchFault::kLostDeletion)) << Describe(planted);
}

TEST_P(StoreLedgerTest, ProgressNeverRunsAheadOfEvents) {
  Body ask_for_progress = [&](FaultScene& scene, store::Store& on) {
    for (int i = 0; i < 30; i++) {
      for (size_t watch = 0; watch < scene.watches(); watch++) scene.watch(watch).RequestProgress();
      if (!scene.load().WaitForWrites(5, kStep)) break;
    }
    if (!on.HasReliableProgress()) return;
    for (size_t watch = 0; watch < scene.watches(); watch++)
      EXPECT_TRUE(WaitUntilTrue(clock_, kLedgerPatience, [&] {
        const WatchLog log = scene.sink(watch).log();
        return std::any_of(log.calls.begin(), log.calls.end(), [](const WatchCall& call) {
          return call.kind == WatchCall::Kind::kProgress;
        });
      })) << "no progress was told";
  };
  SceneFindings sound = Run(Tampering::kNone, Load(), ask_for_progress);
  EXPECT_TRUE(sound.clean()) << sound.Describe();
  SceneFindings planted = Run(Tampering::kProgressAhead, Load(), ask_for_progress);
  EXPECT_TRUE(Has(planted.watches, WatchFault::kProgressAhead)) << planted.Describe();
}

TEST_P(StoreLedgerTest, RevisionsNeverDecreaseThroughCompactionAndRestart) {
  for (Tampering fault : {Tampering::kNone, Tampering::kRevisionsGoBack}) {
    std::vector<Operation> history;
    for (int life = 0; life < 3; life++) {
      TamperingStore tampered(store(), fault);
      if (life == 1) tampered.LetLoose();
      StoreLoad load(clock_, {&tampered}, Load());
      // Compacting everything, again and again, up to the very end.
      while (load.WaitForWrites(20, kStep)) (void)Compact(store(), Current(store()));
      load.Finish();
      (void)Compact(store(), Current(store()));
      for (const Operation& operation : load.history()) history.push_back(operation);
      under_test_->Close();
      Result<void> opened = under_test_->Open();
      ASSERT_TRUE(opened) << opened.error().message();
    }
    Verdict verdict = CheckRevisions(history);
    EXPECT_EQ(verdict.legal(), fault == Tampering::kNone) << verdict.why;
  }
}

TEST_P(StoreLedgerTest, NoEventComesFromTheFutureOrThePast) {
  // Watches of revisions that are still to come must begin with these, not with what comes first.
  Body watch_the_future = [&](FaultScene& scene, store::Store& on) {
    store::Revision now = Current(on);
    for (int64_t ahead : {1, 10, 50})
      scene.AddWatch(on, Text("watch from ", ahead, " ahead"),
                     {.range = scene.load().range(), .from = {now.value + ahead}});
    // The load may have ended already.
    while (Current(on).value < now.value + 60) ASSERT_TRUE(scene.load().Mark(on, kLedgerPatience));
  };
  SceneFindings sound = Run(Tampering::kNone, Load(), watch_the_future);
  EXPECT_TRUE(sound.clean()) << sound.Describe();
  SceneFindings future = Run(Tampering::kEventFromTheFuture, Load(), nullptr);
  EXPECT_TRUE(Has(future.watches, WatchFault::kFromTheFuture)) << future.Describe();
  SceneFindings past = Run(Tampering::kEventFromThePast, Load(), nullptr);
  EXPECT_TRUE(Has(past.watches, WatchFault::kBeforeStart)) << past.Describe();
}

TEST_P(StoreLedgerTest, NoAcknowledgedWriteIsLost) {
  SceneFindings sound = Run(Tampering::kNone, Load(), nullptr);
  EXPECT_TRUE(sound.clean()) << sound.Describe();
  SceneFindings planted = Run(Tampering::kLoseWrite, Load(), nullptr);
  EXPECT_FALSE(planted.clean()) << "a lost write was not noticed";
}

INSTANTIATE_TEST_SUITE_P(Store, StoreLedgerTest, ::testing::ValuesIn(StoreKinds()),
                         [](const ::testing::TestParamInfo<const StoreKind*>& kind) {
                           return std::string(kind.param->name);
                         });

}  // namespace
}  // namespace skiff::testing

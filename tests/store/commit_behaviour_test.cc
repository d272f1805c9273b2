// Transactions: conditions, revisions, versions, bad input.
#include <atomic>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

class CommitBehaviourTest : public StoreFixture {
 protected:
  // Whatever was refused has changed nothing.
  void ExpectRefused(store::Transaction transaction, StatusReason reason) {
    const store::Revision before = Current();
    EXPECT_EQ(ReasonOf(store::CommitAndWait(store(), std::move(transaction))), reason);
    EXPECT_EQ(Current(), before);
  }
};

TEST_P(CommitBehaviourTest, RevisionsBeginAtOneAndTheFirstWriteIsTwo) {
  if (!kind().fresh) GTEST_SKIP() << "the store was used before";
  EXPECT_EQ(Current(), store::Revision{1});
  EXPECT_EQ(Range({.range = store::KeyRange::All()}).revision, store::Revision{1});
  EXPECT_EQ(Put("a", "1"), store::Revision{2});
  EXPECT_EQ(Put("b", "1"), store::Revision{3});
}

TEST_P(CommitBehaviourTest, EveryChangeGetsAGreaterRevision) {
  store::Revision last = Current();
  for (int i = 0; i < 20; ++i) {
    const store::Revision next = i % 3 == 2 ? Delete(Text(i - 1)) : Put(Text(i), "same");
    if (kind().fresh) {
      EXPECT_EQ(next.value, last.value + 1);
    }
    EXPECT_GT(next, last);
    EXPECT_EQ(Current(), next);
    last = next;
  }
}

TEST_P(CommitBehaviourTest, WritingTheSameValueIsAChange) {
  const store::Revision first = Put("a", "same");
  const store::Revision second = Put("a", "same");
  EXPECT_GT(second, first);
  EXPECT_EQ(Get("a")->mod_revision, second);
}

TEST_P(CommitBehaviourTest, CreateIfAbsentCreatesOnce) {
  const store::CommitReply created =
      Commit(store::Transaction::CreateIfAbsent(Key("a"), SharedBytes("1")));
  EXPECT_TRUE(created.succeeded);
  EXPECT_TRUE(created.current.empty());
  const store::CommitReply again =
      Commit(store::Transaction::CreateIfAbsent(Key("a"), SharedBytes("2")));
  EXPECT_FALSE(again.succeeded);
  EXPECT_EQ(again.revision, created.revision);
  ASSERT_EQ(again.current.size(), 1u);
  EXPECT_EQ(again.current[0], Get("a"));
  EXPECT_EQ(again.current[0]->value.view(), "1");
}

TEST_P(CommitBehaviourTest, UpdateIfRevisionNeedsTheLastOne) {
  const store::Revision first = Put("a", "1");
  const store::Revision second =
      MustCommit(store::Transaction::UpdateIfRevision(Key("a"), first, SharedBytes("2")));
  EXPECT_GT(second, first);
  for (const store::Revision wrong :
       {first, store::Revision{second.value + 1}, store::Revision{second.value + 100}}) {
    const store::CommitReply late =
        Commit(store::Transaction::UpdateIfRevision(Key("a"), wrong, SharedBytes("3")));
    EXPECT_FALSE(late.succeeded);
    EXPECT_EQ(late.revision, second);
    ASSERT_EQ(late.current.size(), 1u);
    EXPECT_EQ(late.current[0], Get("a"));
  }
  EXPECT_EQ(Get("a")->value.view(), "2");
}

TEST_P(CommitBehaviourTest, UpdateIfRevisionOfAnAbsentKeyFails) {
  const store::Revision revision = Put("other", "");
  const store::CommitReply reply =
      Commit(store::Transaction::UpdateIfRevision(Key("a"), revision, SharedBytes("1")));
  EXPECT_FALSE(reply.succeeded);
  ASSERT_EQ(reply.current.size(), 1u);
  EXPECT_FALSE(reply.current[0]);
  EXPECT_FALSE(Get("a"));
}

TEST_P(CommitBehaviourTest, DeleteIfRevisionNeedsTheLastOne) {
  const store::Revision first = Put("a", "1");
  const store::Revision second = Put("a", "2");
  const store::CommitReply late = Commit(store::Transaction::DeleteIfRevision(Key("a"), first));
  EXPECT_FALSE(late.succeeded);
  ASSERT_EQ(late.current.size(), 1u);
  EXPECT_EQ(late.current[0]->mod_revision, second);
  const store::Revision third = MustCommit(store::Transaction::DeleteIfRevision(Key("a"), second));
  EXPECT_GT(third, second);
  EXPECT_FALSE(Get("a"));
  const store::CommitReply gone = Commit(store::Transaction::DeleteIfRevision(Key("a"), second));
  EXPECT_FALSE(gone.succeeded);
  EXPECT_FALSE(gone.current.at(0));
  EXPECT_EQ(gone.revision, third);
}

TEST_P(CommitBehaviourTest, AKeyThatWasDeletedIsAbsent) {
  Put("a", "1");
  Delete("a");
  EXPECT_TRUE(Commit(store::Transaction::CreateIfAbsent(Key("a"), SharedBytes("2"))).succeeded);
}

TEST_P(CommitBehaviourTest, VersionsCountWritesSinceTheCreation) {
  const store::Revision created = Put("a", "1");
  for (int64_t version = 2; version < 5; ++version) {
    const store::Revision revision = Put("a", Text(version));
    const std::optional<store::KeyValue> entry = Get("a");
    EXPECT_EQ(entry->version, version);
    EXPECT_EQ(entry->create_revision, created);
    EXPECT_EQ(entry->mod_revision, revision);
  }
  Delete("a");
  const store::Revision anew = Put("a", "new");
  EXPECT_EQ(Get("a")->version, 1);
  EXPECT_EQ(Get("a")->create_revision, anew);
}

TEST_P(CommitBehaviourTest, AllWritesOfATransactionHaveOneRevision) {
  Put("b", "old");
  Put("c", "old");
  const store::Revision revision = MustCommit(
      {{}, {PutOf(Key("a"), "1"), DeleteOf(Key("b")), PutOf(Key("c"), "2"), PutOf(Key("d"), "3")}});
  EXPECT_EQ(Current(), revision);
  const store::RangeReply reply = Range({.range = All()});
  EXPECT_EQ(Listed(reply), (std::vector<std::string>{"a=1", "c=2", "d=3"}));
  for (const store::KeyValue& entry : reply.entries) EXPECT_EQ(entry.mod_revision, revision);
  EXPECT_EQ(reply.entries[1].version, 2);
  // And before it, none of them is there.
  EXPECT_EQ(Listed(Range({.range = All(), .at = store::Revision{revision.value - 1}})),
            (std::vector<std::string>{"b=old", "c=old"}));
}

TEST_P(CommitBehaviourTest, OneFailedConditionStopsAllWrites) {
  const store::Revision a = Put("a", "1");
  const store::Revision b = Put("b", "1");
  store::Transaction transaction;
  transaction.conditions = {
      {Key("a"), a}, {Key("c"), {}}, {Key("b"), a}, {Key("d"), b}, {Key("a"), b}};
  transaction.writes = {PutOf(Key("a"), "2"), PutOf(Key("c"), "2"), DeleteOf(Key("b"))};
  const store::CommitReply reply = Commit(transaction);
  EXPECT_FALSE(reply.succeeded);
  EXPECT_EQ(reply.revision, b);
  // One answer for each condition, in their order, also for those that held.
  ASSERT_EQ(reply.current.size(), 5u);
  EXPECT_EQ(reply.current[0], Get("a"));
  EXPECT_FALSE(reply.current[1]);
  EXPECT_EQ(reply.current[2], Get("b"));
  EXPECT_FALSE(reply.current[3]);
  EXPECT_EQ(reply.current[4], Get("a"));
  EXPECT_EQ(Listed(Range({.range = All()})), (std::vector<std::string>{"a=1", "b=1"}));
}

TEST_P(CommitBehaviourTest, ConditionsMayBeAboutOtherKeysThanTheWrites) {
  const store::Revision guard = Put("guard", "");
  store::Transaction transaction{{{Key("guard"), guard}, {Key("none"), {}}},
                                 {PutOf(Key("a"), "1")}};
  EXPECT_TRUE(Commit(transaction).succeeded);
  Put("guard", "moved");
  EXPECT_FALSE(Commit(transaction).succeeded);
}

TEST_P(CommitBehaviourTest, WithoutWritesItOnlyCompares) {
  const store::Revision revision = Put("a", "1");
  const store::CommitReply holds = Commit({{{Key("a"), revision}}, {}});
  EXPECT_TRUE(holds.succeeded);
  EXPECT_EQ(holds.revision, revision);
  const store::CommitReply fails = Commit({{{Key("a"), {}}}, {}});
  EXPECT_FALSE(fails.succeeded);
  EXPECT_EQ(fails.current.at(0)->mod_revision, revision);
  EXPECT_EQ(Current(), revision);
}

TEST_P(CommitBehaviourTest, DeletingAnAbsentKeySucceedsAndChangesNothing) {
  const store::Revision before = Put("a", "1");
  const store::CommitReply reply = Commit({{}, {DeleteOf(Key("b")), DeleteOf(Key("c"))}});
  EXPECT_TRUE(reply.succeeded);
  EXPECT_EQ(reply.revision, before);
  EXPECT_EQ(Current(), before);
}

TEST_P(CommitBehaviourTest, DeletingAnAbsentKeyBesideAChangeIsFine) {
  const store::Revision before = Current();
  const store::Revision revision = MustCommit({{}, {DeleteOf(Key("b")), PutOf(Key("a"), "1")}});
  EXPECT_GT(revision, before);
  EXPECT_EQ(Get("a")->mod_revision, revision);
  EXPECT_FALSE(Get("b"));
}

TEST_P(CommitBehaviourTest, ConcurrentCreationsHaveOneWinner) {
  constexpr int kRounds = 20;
  constexpr int kClients = 8;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> winners = 0;
    std::vector<std::unique_ptr<Thread>> clients;
    for (int client = 0; client < kClients; ++client) {
      clients.push_back(std::make_unique<Thread>("client", [&, client] {
        const auto reply = store::CommitAndWait(
            store(),
            store::Transaction::CreateIfAbsent(Key(Text(round)), SharedBytes(Text(client))));
        ASSERT_TRUE(reply);
        if (reply->succeeded)
          ++winners;
        else
          EXPECT_TRUE(reply->current.at(0));
      }));
    }
    clients.clear();
    EXPECT_EQ(winners, 1);
  }
}

TEST_P(CommitBehaviourTest, ConcurrentCountersLoseNothing) {
  constexpr int kClients = 6;
  constexpr int kIncrements = 25;
  Put("counter", "0");
  std::vector<std::unique_ptr<Thread>> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.push_back(std::make_unique<Thread>("client", [&] {
      std::optional<store::KeyValue> now = Get("counter");
      for (int done = 0; done < kIncrements;) {
        const int next = std::stoi(std::string(now->value.view())) + 1;
        store::CommitReply reply = Commit(store::Transaction::UpdateIfRevision(
            Key("counter"), now->mod_revision, SharedBytes(Text(next))));
        if (reply.succeeded) {
          ++done;
          now->value = SharedBytes(Text(next));
          now->mod_revision = reply.revision;
        } else {
          now = reply.current.at(0);
        }
      }
    }));
  }
  clients.clear();
  EXPECT_EQ(Get("counter")->value.view(), Text(kClients * kIncrements));
  EXPECT_EQ(Get("counter")->version, kClients * kIncrements + 1);
}

TEST_P(CommitBehaviourTest, ManyConcurrentCommitsGetRevisionsOfTheirOwn) {
  constexpr int kCommits = 500;
  std::mutex mutex;
  std::condition_variable all_done;
  std::set<store::Revision> revisions;
  int answers = 0;
  const store::Revision before = Current();
  for (int i = 0; i < kCommits; ++i) {
    store().Commit(PutTransaction(Key(Text(i % 7)), Text(i)),
                   [&](Result<store::CommitReply> reply) {
                     const std::lock_guard lock(mutex);
                     EXPECT_TRUE(reply);
                     if (reply) revisions.insert(reply->revision);
                     if (++answers == kCommits) all_done.notify_all();
                   });
  }
  std::unique_lock lock(mutex);
  all_done.wait(lock, [&] { return answers == kCommits; });
  EXPECT_EQ(revisions.size(), static_cast<size_t>(kCommits));
  EXPECT_GT(*revisions.begin(), before);
  lock.unlock();
  EXPECT_EQ(Current(), *revisions.rbegin());
}

// ---- Bad input

TEST_P(CommitBehaviourTest, WritingAKeyTwiceIsRefused) {
  ExpectRefused({{}, {PutOf(Key("a"), "1"), PutOf(Key("b"), "1"), PutOf(Key("a"), "2")}},
                StatusReason::kBadRequest);
  ExpectRefused({{}, {PutOf(Key("a"), "1"), DeleteOf(Key("a"))}}, StatusReason::kBadRequest);
  ExpectRefused({{}, {DeleteOf(Key("a")), DeleteOf(Key("a"))}}, StatusReason::kBadRequest);
  EXPECT_FALSE(Get("a"));
}

TEST_P(CommitBehaviourTest, AnEmptyKeyIsRefused) {
  ExpectRefused(PutTransaction("", "1"), StatusReason::kBadRequest);
  ExpectRefused({{}, {DeleteOf("")}}, StatusReason::kBadRequest);
  ExpectRefused({{{"", {}}}, {PutOf(Key("a"), "1")}}, StatusReason::kBadRequest);
}

TEST_P(CommitBehaviourTest, ANegativeRevisionIsRefused) {
  ExpectRefused(
      store::Transaction::UpdateIfRevision(Key("a"), store::Revision{-1}, SharedBytes("1")),
      StatusReason::kBadRequest);
}

TEST_P(CommitBehaviourTest, KeysHaveABound) {
  // Alone, a key may be nearly as long as all of a transaction; some is left for the frame.
  std::string longest = Key("");
  longest.append(limits::kMaxStoreTransactionBytes - 1024 - longest.size(), 'k');
  MustCommit(PutTransaction(longest, "1"));
  EXPECT_EQ(Range({.range = store::KeyRange::Single(longest)}).entries.size(), 1u);
  const std::string too_long = Key(std::string(limits::kMaxStoreKeyBytes, 'k'));
  ExpectRefused(PutTransaction(too_long, "1"), StatusReason::kRequestEntityTooLarge);
  ExpectRefused({{{too_long, {}}}, {PutOf(Key("a"), "1")}}, StatusReason::kRequestEntityTooLarge);
}

TEST_P(CommitBehaviourTest, TransactionsHaveABoundInBytes) {
  // A server counts the frame of a request as well: a kilobyte is left for that.
  const std::string largest(limits::kMaxStoreTransactionBytes - 1024, 'x');
  Put("large", largest);
  EXPECT_EQ(Get("large")->value.view(), largest);
  const std::string half(limits::kMaxStoreTransactionBytes / 2, 'x');
  ExpectRefused({{}, {PutOf(Key("a"), half), PutOf(Key("b"), half)}},
                StatusReason::kRequestEntityTooLarge);
  ExpectRefused(PutTransaction(Key("a"), std::string(limits::kMaxStoreTransactionBytes, 'x')),
                StatusReason::kRequestEntityTooLarge);
  ExpectRefused(PutTransaction(Key("a"), std::string(16 * 1024 * 1024, 'x')),
                StatusReason::kRequestEntityTooLarge);
  EXPECT_FALSE(Get("a"));
}

TEST_P(CommitBehaviourTest, TransactionsHaveABoundInWrites) {
  store::Transaction most;
  for (size_t i = 0; i < limits::kMaxStoreTransactionWrites; ++i)
    most.writes.push_back(PutOf(Key(Text("w", i)), "1"));
  MustCommit(most);
  EXPECT_EQ(Range({.range = All(), .count_only = true}).count,
            static_cast<int64_t>(limits::kMaxStoreTransactionWrites));
  most.writes.push_back(PutOf(Key("one more"), "1"));
  ExpectRefused(most, StatusReason::kRequestEntityTooLarge);
}

TEST_P(CommitBehaviourTest, ErrorsSayWhatIsWrong) {
  const auto refused = store::CommitAndWait(store(), PutTransaction("", "1"));
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().message().empty());
}

SKIFF_ON_EVERY_STORE(CommitBehaviourTest);

}  // namespace
}  // namespace skiff::testing

#include "tests/store/linearizability.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

using Kind = Operation::Kind;
using Outcome = Operation::Outcome;

// Histories are written as one line per operation: when it began and ended, then what it was.
Operation Made(Kind kind, int64_t invoked, int64_t returned, std::string key) {
  Operation out;
  out.kind = kind;
  out.invoked = invoked;
  out.returned = returned;
  out.key = std::move(key);
  out.outcome = Outcome::kOk;
  return out;
}

Operation Create(int64_t invoked, int64_t returned, std::string value, int64_t revision) {
  Operation out = Made(Kind::kCreate, invoked, returned, "k");
  out.value = std::move(value);
  out.revision = revision;
  return out;
}

Operation Update(int64_t invoked, int64_t returned, int64_t expected, std::string value,
                 int64_t revision) {
  Operation out = Made(Kind::kUpdate, invoked, returned, "k");
  out.expected = expected;
  out.value = std::move(value);
  out.revision = revision;
  return out;
}

Operation Delete(int64_t invoked, int64_t returned, int64_t expected, int64_t revision) {
  Operation out = Made(Kind::kDelete, invoked, returned, "k");
  out.expected = expected;
  out.revision = revision;
  return out;
}

Operation Read(int64_t invoked, int64_t returned, std::string value, int64_t revision,
               int64_t store_revision) {
  Operation out = Made(Kind::kRead, invoked, returned, "k");
  out.seen = SeenValue{std::move(value), revision};
  out.revision = store_revision;
  return out;
}

Operation ReadAbsent(int64_t invoked, int64_t returned, int64_t store_revision) {
  Operation out = Made(Kind::kRead, invoked, returned, "k");
  out.revision = store_revision;
  return out;
}

Operation Failed(Operation out, std::optional<SeenValue> seen, int64_t store_revision) {
  out.outcome = Outcome::kFailed;
  out.seen = std::move(seen);
  out.revision = store_revision;
  return out;
}

Operation Unknown(Operation out) {
  out.outcome = Outcome::kUnknown;
  out.revision = 0;
  return out;
}

Operation On(std::string key, Operation out) {
  out.key = std::move(key);
  return out;
}

void ExpectLegal(const std::vector<Operation>& history) {
  const Verdict verdict = CheckLinearizable(history);
  EXPECT_TRUE(verdict.legal()) << verdict.why;
}

void ExpectIllegal(const std::vector<Operation>& history) {
  EXPECT_EQ(CheckLinearizable(history).kind, Verdict::Kind::kIllegal);
}

// What the search alone must find, without help from the store's revisions.
void ExpectIllegalByKey(const std::vector<Operation>& history) {
  EXPECT_EQ(CheckEachKey(history, kDefaultSearchBudget).kind, Verdict::Kind::kIllegal);
  ExpectIllegal(history);
}

TEST(LinearizabilityTest, AcceptsNothingAtAll) { ExpectLegal({}); }

TEST(LinearizabilityTest, AcceptsOneOperationAfterAnother) {
  ExpectLegal({
      ReadAbsent(1, 2, 1),
      Create(3, 4, "a", 2),
      Read(5, 6, "a", 2, 2),
      Update(7, 8, 2, "b", 3),
      Failed(Update(9, 10, 2, "c", 0), SeenValue{"b", 3}, 3),
      Failed(Create(11, 12, "d", 0), SeenValue{"b", 3}, 3),
      Delete(13, 14, 3, 4),
      ReadAbsent(15, 16, 4),
      Failed(Delete(17, 18, 3, 0), std::nullopt, 4),
      Create(19, 20, "e", 5),
  });
}

TEST(LinearizabilityTest, AcceptsConcurrentReadsOnEitherSideOfAWrite) {
  ExpectLegal({
      Create(1, 10, "a", 2),
      ReadAbsent(2, 5, 1),
      Read(3, 6, "a", 2, 2),
      ReadAbsent(4, 7, 1),
      Read(8, 9, "a", 2, 2),
  });
}

TEST(LinearizabilityTest, AcceptsAWriteThatTakesEffectLongAfterItsInvocation) {
  ExpectLegal({
      Create(1, 20, "a", 3),
      On("other", Create(2, 3, "x", 2)),
      ReadAbsent(4, 5, 2),
      Read(6, 7, "a", 3, 3),
  });
}

TEST(LinearizabilityTest, RejectsAStaleRead) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Update(3, 4, 2, "b", 3),
      Read(5, 6, "a", 2, 2),
  });
}

TEST(LinearizabilityTest, RejectsAStaleReadThatClaimsToBeFresh) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Update(3, 4, 2, "b", 3),
      Read(5, 6, "a", 2, 3),
  });
}

TEST(LinearizabilityTest, RejectsReadsThatGoBack) {
  ExpectIllegalByKey({
      Create(1, 20, "a", 2),
      Read(2, 3, "a", 2, 2),
      ReadAbsent(4, 5, 1),
  });
}

TEST(LinearizabilityTest, RejectsALostUpdate) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2), Update(3, 8, 2, "b", 3),
      Update(4, 9, 2, "c", 4),  // both saw revision 2
  });
}

TEST(LinearizabilityTest, RejectsADuplicatedRevision) {
  ExpectIllegal({
      On("x", Create(1, 4, "a", 2)),
      On("y", Create(2, 3, "b", 2)),
  });
}

TEST(LinearizabilityTest, RejectsARevisionThatGoesBackInTime) {
  ExpectIllegal({
      On("x", Create(1, 2, "a", 7)),
      On("y", Create(3, 4, "b", 6)),
  });
}

TEST(LinearizabilityTest, RejectsARevisionThatGoesBackOnOneKey) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 5),
      Delete(3, 4, 5, 4),
  });
}

TEST(LinearizabilityTest, RejectsAStoreRevisionThatGoesBack) {
  ExpectIllegal({
      On("x", Create(1, 2, "a", 7)),
      On("y", ReadAbsent(3, 4, 6)),
  });
}

TEST(LinearizabilityTest, RejectsAnAcknowledgedWriteThatIsAbsent) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      ReadAbsent(3, 4, 2),
  });
}

TEST(LinearizabilityTest, RejectsAnAcknowledgedDeletionThatIsUndone) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Delete(3, 4, 2, 3),
      Read(5, 6, "a", 2, 3),
  });
}

TEST(LinearizabilityTest, RejectsAReadFromTheFuture) {
  ExpectIllegalByKey({
      Read(1, 2, "a", 2, 2),
      Create(3, 4, "a", 2),
  });
  ExpectIllegal({
      Create(1, 10, "a", 2), Read(2, 3, "a", 2, 1),  // the store was at 1 when it saw what is of 2
  });
}

TEST(LinearizabilityTest, RejectsAValueThatNobodyWrote) {
  ExpectIllegalByKey({Read(1, 2, "a", 2, 2)});
}

TEST(LinearizabilityTest, RejectsTheRightValueAtTheWrongRevision) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Read(3, 4, "a", 3, 3),
  });
}

TEST(LinearizabilityTest, RejectsAConditionThatFailedThoughItHeld) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Failed(Update(3, 4, 2, "b", 0), SeenValue{"a", 2}, 2),
  });
}

TEST(LinearizabilityTest, RejectsAConditionThatHeldThoughItDidNot) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Create(3, 4, "b", 3),
  });
}

TEST(LinearizabilityTest, RejectsASnapshotThatMixesTwoRevisions) {
  // A read of two keys at revision 3 that saw x of 3 but y as it was before 2.
  ExpectIllegal({
      On("y", Create(1, 20, "b", 2)),
      On("x", Create(2, 19, "a", 3)),
      On("x", Read(3, 4, "a", 3, 3)),
      On("y", ReadAbsent(3, 4, 3)),
  });
}

TEST(LinearizabilityTest, AcceptsAnUnknownWriteThatHappened) {
  ExpectLegal({
      Unknown(Create(1, Operation::kNever, "a", 0)),
      Read(5, 6, "a", 2, 2),
      Update(7, 8, 2, "b", 3),
  });
}

TEST(LinearizabilityTest, AcceptsAnUnknownWriteThatDidNotHappen) {
  ExpectLegal({
      Unknown(Create(1, Operation::kNever, "a", 0)),
      ReadAbsent(5, 6, 1),
      Create(7, 8, "b", 2),
      Read(9, 10, "b", 2, 2),
  });
}

TEST(LinearizabilityTest, AcceptsAnUnknownWriteThatHappensAfterItsError) {
  ExpectLegal({
      Unknown(Create(1, 2, "a", 0)),
      ReadAbsent(3, 4, 1),
      Read(5, 6, "a", 2, 2),
  });
}

TEST(LinearizabilityTest, AcceptsAnUnknownDeletionThatHappened) {
  ExpectLegal({
      Create(1, 2, "a", 2),
      Unknown(Delete(3, Operation::kNever, 2, 0)),
      ReadAbsent(5, 6, 3),
      Create(7, 8, "b", 4),
  });
}

TEST(LinearizabilityTest, RejectsAnUnknownWriteThatComesAndGoes) {
  ExpectIllegalByKey({
      Unknown(Create(1, Operation::kNever, "a", 0)),
      Read(3, 4, "a", 2, 2),
      ReadAbsent(5, 6, 2),
  });
}

TEST(LinearizabilityTest, RejectsAnUnknownWriteThatHappensTwice) {
  ExpectIllegalByKey({
      Unknown(Create(1, Operation::kNever, "a", 0)),
      Read(3, 4, "a", 2, 2),
      Delete(5, 6, 2, 3),
      Read(7, 8, "a", 4, 4),
  });
}

TEST(LinearizabilityTest, RejectsAnUnknownWriteBeforeItsInvocation) {
  ExpectIllegalByKey({
      Read(1, 2, "a", 2, 2),
      Unknown(Create(3, Operation::kNever, "a", 0)),
  });
  // Here only the revisions tell: that of the write is one that had passed when it began.
  ExpectIllegal({
      On("other", Create(1, 2, "x", 9)),
      Unknown(Create(3, Operation::kNever, "a", 0)),
      Read(5, 6, "a", 8, 9),
  });
}

TEST(LinearizabilityTest, RejectsAnUnknownUpdateThatOverwroteWhatItDidNotExpect) {
  ExpectIllegalByKey({
      Create(1, 2, "a", 2),
      Unknown(Update(3, Operation::kNever, 2, "b", 0)),
      Update(4, 5, 2, "c", 3),
      Read(6, 7, "b", 4, 4),
  });
}

TEST(LinearizabilityTest, RejectsAWriteThatReportedNothingHappened) {
  // Operations that ended in an error which promises that are left out of the history.
  ExpectIllegal({
      Create(1, 2, "a", 2),
      Read(5, 6, "b", 3, 3),
  });
}

TEST(LinearizabilityTest, UsesUpItsBudgetRatherThanAllTime) {
  // Creations of one value that may all have happened, and a read that none explains.
  std::vector<Operation> history;
  for (int i = 0; i < 40; ++i) {
    history.push_back(Unknown(Create(1, Operation::kNever, Text("v", i), 0)));
    history.push_back(Unknown(Delete(1, Operation::kNever, i + 2, 0)));
  }
  history.push_back(Read(2, 3, "none", 50, 50));
  EXPECT_EQ(CheckEachKey(history, 1000).kind, Verdict::Kind::kUndecided);
}

// ---- Events

SeenEvent Put(int64_t revision, std::string value) { return {revision, "k", false, value}; }
SeenEvent Deletion(int64_t revision) { return {revision, "k", true, ""}; }

const std::vector<Operation>& ShortHistory() {
  static const std::vector<Operation> history = {
      Create(1, 2, "a", 2),
      Update(3, 4, 2, "b", 3),
      Unknown(Delete(5, Operation::kNever, 3, 0)),
      Unknown(Update(6, Operation::kNever, 3, "c", 0)),
  };
  return history;
}

bool EventsAreRight(const std::vector<SeenEvent>& events, int64_t first = 2) {
  return CheckEvents(ShortHistory(), events, first, 10).legal();
}

TEST(EventCheckTest, AcceptsEveryWriteOnceWithUnknownOnesEitherWay) {
  EXPECT_TRUE(EventsAreRight({Put(2, "a"), Put(3, "b")}));
  EXPECT_TRUE(EventsAreRight({Put(2, "a"), Put(3, "b"), Deletion(4)}));
  EXPECT_TRUE(EventsAreRight({Put(2, "a"), Put(3, "b"), Put(4, "c")}));
  EXPECT_TRUE(EventsAreRight({Put(3, "b")}, 3));
}

TEST(EventCheckTest, RejectsALostEvent) {
  EXPECT_FALSE(EventsAreRight({Put(2, "a")}));
  EXPECT_FALSE(EventsAreRight({Put(3, "b")}));
}

TEST(EventCheckTest, RejectsARepeatedEvent) {
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(2, "a"), Put(3, "b")}));
}

TEST(EventCheckTest, RejectsEventsOutOfOrder) {
  EXPECT_FALSE(EventsAreRight({Put(3, "b"), Put(2, "a")}));
}

TEST(EventCheckTest, RejectsEventsOutsideOfTheRevisionsAskedFor) {
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(3, "b")}, 3));
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(3, "b"), Put(11, "c")}));
}

TEST(EventCheckTest, RejectsWhatNobodyWrote) {
  EXPECT_FALSE(EventsAreRight({Put(2, "x"), Put(3, "b")}));
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(3, "b"), Put(4, "x")}));
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(3, "b"), Put(4, "c"), Put(5, "c")}));
}

TEST(EventCheckTest, RejectsAnUnknownWriteWhoseConditionDidNotHold) {
  EXPECT_FALSE(EventsAreRight({Put(2, "a"), Put(3, "b"), Deletion(4), Put(5, "c")}));
}

TEST(ResolveTest, KeepsWhatHappenedAndDropsWhatDidNot) {
  const std::vector<SeenEvent> events = {Put(2, "a"), Put(3, "b"), Put(4, "c")};
  const std::vector<Operation> resolved = Resolve(ShortHistory(), events);
  ASSERT_EQ(resolved.size(), 3u);
  EXPECT_EQ(resolved[2].value, "c");
  EXPECT_EQ(resolved[2].outcome, Outcome::kOk);
  EXPECT_EQ(resolved[2].revision, 4);
}

// Two runs each try to delete the key and are killed; between them it is read and still there.
TEST(ResolveTest, ADeletionThatEndedBeforeTheKeyWasSeenIsNotTheOneThatHappened) {
  Operation create;
  create.kind = Kind::kCreate;
  create.outcome = Outcome::kOk;
  create.key = "k";
  create.value = "a";
  create.invoked = 1;
  create.returned = 2;
  create.revision = 2;
  Operation first;
  first.kind = Kind::kDelete;
  first.key = "k";
  first.expected = 2;
  first.invoked = 3;
  first.returned = 4;
  Operation read;
  read.outcome = Outcome::kOk;
  read.key = "k";
  read.invoked = 5;
  read.returned = 6;
  read.revision = 2;
  read.seen = SeenValue{"a", 2};
  Operation second = first;
  second.invoked = 7;
  second.returned = 8;
  const std::vector<Operation> history = {create, first, read, second};
  const std::vector<SeenEvent> events = {{2, "k", false, "a"}, {3, "k", true, ""}};
  const std::vector<Operation> resolved = Resolve(history, events);
  ASSERT_EQ(resolved.size(), 3u);
  EXPECT_EQ(resolved[2].invoked, second.invoked);
  EXPECT_TRUE(CheckLinearizable(resolved).legal());
}

// ---- Mutations: a fault planted anywhere in a legal history is found

// Plays clients against a model in which each operation takes effect at one moment between its
// invocation and its return.
std::vector<Operation> LegalHistory(uint64_t seed, int operations, int clients, int keys) {
  SeededRandom random(seed);
  struct Entry {
    std::string value;
    int64_t revision;
  };
  std::map<std::string, Entry> store;
  std::vector<std::map<std::string, int64_t>> known(clients);  // revisions that clients have seen
  std::vector<Operation> out;
  std::vector<int> running(clients, -1);
  int64_t now = 0;
  int64_t revision = 1;
  int begun = 0;
  const auto take_effect = [&](Operation& op, int client) {
    const auto at = store.find(op.key);
    const int64_t current = at == store.end() ? 0 : at->second.revision;
    op.outcome = Outcome::kOk;
    const bool holds = op.kind == Kind::kRead || current == op.expected;
    if (!holds || op.kind == Kind::kRead) {
      if (!holds) op.outcome = Outcome::kFailed;
      if (current != 0) op.seen = SeenValue{at->second.value, current};
      op.revision = revision;
      known[client][op.key] = current;
      return;
    }
    op.revision = ++revision;
    if (op.kind == Kind::kDelete)
      store.erase(op.key);
    else
      store[op.key] = {op.value, revision};
    known[client][op.key] = op.kind == Kind::kDelete ? 0 : revision;
  };
  std::vector<bool> done_effect;
  const auto begin = [&](int client) {
    Operation op;
    op.key = Text("k", random.Uniform(keys));
    op.value = Text("v", begun);
    op.expected = known[client][op.key];
    const bool mutate = random.Uniform(3) != 0;
    if (mutate && op.expected == 0)
      op.kind = Kind::kCreate;
    else if (mutate)
      op.kind = random.Uniform(4) == 0 ? Kind::kDelete : Kind::kUpdate;
    op.invoked = ++now;
    out.push_back(op);
    done_effect.push_back(false);
    running[client] = begun++;
  };
  while (true) {
    const int client = static_cast<int>(random.Uniform(clients));
    if (running[client] < 0) {
      if (begun < operations)
        begin(client);
      else if (std::ranges::all_of(running, [](int r) { return r < 0; }))
        return out;
      continue;
    }
    const int index = running[client];
    if (!done_effect[index]) {
      take_effect(out[index], client);
      done_effect[index] = true;
    } else {
      out[index].returned = ++now;
      running[client] = -1;
    }
  }
}

class MutationTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  // Applies `plant` to each operation that it takes, one at a time, and expects every result to be
  // rejected. plant(history, index) tells whether it changed something.
  template <typename Plant>
  void ExpectAllRejected(Plant plant) {
    int planted = 0;
    for (size_t i = 0; i < history_.size(); ++i) {
      std::vector<Operation> faulty = history_;
      if (!plant(faulty, i)) continue;
      ++planted;
      EXPECT_EQ(CheckLinearizable(faulty).kind, Verdict::Kind::kIllegal)
          << "seed " << GetParam() << ": not found in " << faulty[i].ToString();
    }
    EXPECT_GT(planted, 5) << "seed " << GetParam();
  }

  std::vector<Operation> history_ = LegalHistory(GetParam(), 300, 6, 4);
};

TEST_P(MutationTest, TheHistoryItselfIsAccepted) { ExpectLegal(history_); }

TEST_P(MutationTest, WritesOfForgottenOutcomeAreAccepted) {
  for (size_t i = 0; i < history_.size(); i += 7)
    if (history_[i].is_write() && history_[i].outcome == Outcome::kOk)
      history_[i] = Unknown(history_[i]);
  ExpectLegal(history_);
}

TEST_P(MutationTest, AReadOfTheValueBeforeIsRejected) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    Operation& read = history[at];
    if (read.kind != Kind::kRead || !read.seen) return false;
    const auto writer = std::ranges::find_if(history, [&](const Operation& op) {
      return op.is_write() && op.outcome == Outcome::kOk && op.revision == read.seen->revision;
    });
    if (writer->kind != Kind::kUpdate || writer->returned > read.invoked) return false;
    const auto older = std::ranges::find_if(history, [&](const Operation& op) {
      return op.is_write() && op.outcome == Outcome::kOk && op.revision == writer->expected;
    });
    read.seen = SeenValue{older->value, older->revision};
    return true;
  });
}

TEST_P(MutationTest, ALostWriteIsRejectedIfAnybodyLooked) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    const Operation lost = history[at];
    if (lost.kind == Kind::kDelete || !lost.is_write() || lost.outcome != Outcome::kOk)
      return false;
    const bool seen = std::ranges::any_of(history, [&](const Operation& op) {
      return op.seen && op.seen->revision == lost.revision && op.key == lost.key;
    });
    if (!seen) return false;
    // The store forgot it: those who saw it now see nothing.
    for (Operation& op : history)
      if (op.key == lost.key && op.seen && op.seen->revision == lost.revision &&
          op.invoked > lost.returned)
        op.seen.reset();
    return std::ranges::any_of(history, [&](const Operation& op) {
      return op.key == lost.key && op.invoked > lost.returned && !op.is_write() && !op.seen &&
             op.revision == lost.revision;
    });
  });
}

TEST_P(MutationTest, ARevisionOfAnotherWriteIsRejected) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    if (!history[at].is_write() || history[at].outcome != Outcome::kOk) return false;
    const auto other = std::ranges::find_if(history, [&](const Operation& op) {
      return op.is_write() && op.outcome == Outcome::kOk && op.key != history[at].key;
    });
    if (other == history.end()) return false;
    history[at].revision = other->revision;
    return true;
  });
}

TEST_P(MutationTest, SwappedRevisionsOfSuccessiveWritesAreRejected) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    Operation& first = history[at];
    if (!first.is_write() || first.outcome != Outcome::kOk) return false;
    const auto next = std::ranges::find_if(history, [&](const Operation& op) {
      return op.is_write() && op.outcome == Outcome::kOk && op.invoked > first.returned;
    });
    if (next == history.end()) return false;
    std::swap(first.revision, next->revision);
    return true;
  });
}

TEST_P(MutationTest, AFailureThatWasASuccessIsRejected) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    Operation& op = history[at];
    if (!op.is_write() || op.outcome != Outcome::kOk || op.kind != Kind::kUpdate) return false;
    op.outcome = Outcome::kFailed;
    op.seen = SeenValue{"nobody's", op.expected};
    return true;
  });
}

TEST_P(MutationTest, AnAbsenceThatWasAPresenceIsRejected) {
  ExpectAllRejected([](std::vector<Operation>& history, size_t at) {
    if (!history[at].seen || history[at].kind != Kind::kRead) return false;
    history[at].seen.reset();
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, MutationTest, ::testing::Range<uint64_t>(1, 6));

TEST(LinearizabilityTest, ChecksTensOfThousandsOfOperationsInASecond) {
  ExpectLegal(LegalHistory(42, 20'000, 16, 50));
}

}  // namespace
}  // namespace skiff::testing

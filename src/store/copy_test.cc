#include "store/copy.h"

#include <algorithm>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/blocking.h"

namespace skiff::store {
namespace {

// As much of a store as a copy needs, in memory, with hooks for what goes wrong.
class SmallStore final : public Store {
 public:
  void Range(RangeRequest request, StoreCallback<RangeReply> done) override {
    RangeReply reply;
    reply.revision = revision;
    for (const auto& [key, entry] : entries) {
      if (!request.range.Contains(key)) continue;
      ++reply.count;
      if (reply.count <= request.limit) reply.entries.push_back(entry);
    }
    done(std::move(reply));
  }
  void Commit(Transaction transaction, StoreCallback<CommitReply> done) override {
    ++commits;
    if (before_commit) before_commit();
    CommitReply reply;
    reply.succeeded = true;
    for (const Condition& condition : transaction.conditions) {
      const auto found = entries.find(condition.key);
      const Revision now = found == entries.end() ? Revision() : found->second.mod_revision;
      if (now != condition.expected) reply.succeeded = false;
    }
    if (reply.succeeded) {
      ++revision.value;
      for (const Write& write : transaction.writes) Apply(write);
    } else {
      for (const Condition& condition : transaction.conditions) {
        const auto found = entries.find(condition.key);
        reply.current.push_back(found == entries.end() ? std::nullopt
                                                       : std::optional(found->second));
      }
    }
    reply.revision = revision;
    if (lost_answers > 0) {
      --lost_answers;
      return done(Fail(StatusReason::kServerTimeout, "the connection was lost"));
    }
    done(std::move(reply));
  }
  void Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) override {
    for (const auto& [key, entry] : entries) {
      if (range.Contains(key)) sink->OnEntries({entry});
    }
    done(revision);
  }
  void GrantLease(std::chrono::seconds ttl, LeaseId, StoreCallback<LeaseInfo> done) override {
    const LeaseInfo lease{{1000 + static_cast<int64_t>(leases.size())}, ttl, ttl};
    leases[lease.id] = lease;
    done(lease);
  }
  void FindLease(LeaseId id, StoreCallback<LeaseInfo> done) override {
    if (!leases.contains(id)) return done(Fail(StatusReason::kNotFound, "no such lease"));
    done(leases[id]);
  }
  void CurrentRevision(StoreCallback<Revision> done) override { done(revision); }

  std::unique_ptr<Watch> StartWatch(WatchRequest, WatchSink*) override { return nullptr; }
  void RenewLease(LeaseId, StoreCallback<LeaseInfo> done) override { done(Unused()); }
  void RevokeLease(LeaseId, StoreCallback<Revision> done) override { done(Unused()); }
  void Compact(Revision, StoreCallback<Revision> done) override { done(Unused()); }
  bool HasReliableProgress() override { return true; }
  StoreHealth Health() override { return {}; }
  void Figures(StoreCallback<StoreFigures> done) override { done(Unused()); }

  void Put(const std::string& key, std::string_view value, LeaseId lease = {}) {
    ++revision.value;
    Apply({Write::Kind::kPut, key, SharedBytes(value), lease});
  }

  std::map<std::string, KeyValue> entries;
  std::map<LeaseId, LeaseInfo> leases;
  Revision revision{1};
  int commits = 0;
  int lost_answers = 0;
  std::function<void()> before_commit;

 private:
  static std::unexpected<Status> Unused() {
    return Fail(StatusReason::kInternalError, "a copy has no use for this");
  }
  void Apply(const Write& write) {
    if (write.kind == Write::Kind::kDelete) {
      entries.erase(write.key);
      return;
    }
    KeyValue& entry = entries[write.key];
    if (entry.version == 0) entry.create_revision = revision;
    entry.key = write.key;
    entry.value = write.value;
    entry.mod_revision = revision;
    entry.lease = write.lease;
    ++entry.version;
  }
};

class StringSink final : public ByteSink {
 public:
  Result<void> Append(std::string_view bytes) override {
    text += bytes;
    return {};
  }
  std::string text;
};

// A store, a backup of it, and another store to copy to.
class CopyTest : public testing::Test {
 protected:
  const BackupIndex& Backup() {
    StoreSource source(from_);
    EXPECT_TRUE(TakeBackup(source, {.prefix = "/r/"}, sink_, {}));
    bytes_ = std::make_unique<MemorySource>(sink_.text);
    Result<BackupReader> reader = BackupReader::Open(*bytes_);
    Result<BackupIndex> index = BackupIndex::Build(*bytes_, *reader);
    EXPECT_TRUE(index) << index.error().message();
    index_ = std::move(*index);
    return index_;
  }
  // The error, or "".
  std::string Compare(Duration elapsed = {}) {
    StoreSource copied(to_);
    const auto report = CompareWithBackup(index_, copied, "/r/", elapsed, {});
    return report ? "" : report.error().message();
  }

  SmallStore from_, to_;
  StringSink sink_;
  std::unique_ptr<MemorySource> bytes_;
  BackupIndex index_;
};

TEST_F(CopyTest, CopiesEverythingUnderThePrefixAndNothingElse) {
  from_.Put("/r/b", "1");
  from_.Put("/r/a", "2");
  from_.Put("/x", "3");
  const auto report = LoadBackup(Backup(), to_, {.prefix = "/r/"});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 2u);
  EXPECT_EQ(report->bytes, 10u);
  EXPECT_EQ(to_.entries.size(), 2u);
  EXPECT_EQ(to_.entries["/r/a"].value.view(), "2");
  EXPECT_EQ(Compare(), "");
}

TEST_F(CopyTest, WhatWasWrittenLaterNeverGetsTheSmallerRevision) {
  for (int i = 0; i < 1000; ++i) from_.Put("/r/" + std::to_string((i * 7919) % 1000), "v");
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  std::vector<std::pair<int64_t, int64_t>> revisions;
  for (const auto& [key, entry] : from_.entries) {
    revisions.emplace_back(entry.mod_revision.value, to_.entries[key].mod_revision.value);
  }
  std::ranges::sort(revisions);
  EXPECT_TRUE(std::ranges::is_sorted(revisions, {}, [](const auto& p) { return p.second; }));
  EXPECT_LT(to_.commits, 20);
}

TEST_F(CopyTest, TransactionsStayWithinTheirBounds) {
  const std::string big(limits::kMaxStoreTransactionBytes / 3, 'x');
  for (int i = 0; i < 5; ++i) from_.Put("/r/" + std::to_string(i), big);
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  EXPECT_GE(to_.commits, 3);
  EXPECT_EQ(Compare(), "");
}

TEST_F(CopyTest, ATargetThatIsNotEmptyIsLeftAlone) {
  from_.Put("/r/a", "1");
  to_.Put("/r/z", "kept");
  to_.Put("/x", "of others");
  const auto report = LoadBackup(Backup(), to_, {.prefix = "/r/"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message(),
            "the target is not empty: it has 1 key, the first of them \"/r/z\"; nothing was "
            "changed");
  EXPECT_EQ(to_.commits, 0);
}

TEST_F(CopyTest, OverwritingMakesTheTargetEqual) {
  for (int i = 0; i < 300; ++i) from_.Put("/r/" + std::to_string(i), "new");
  for (int i = 200; i < 600; ++i) to_.Put("/r/" + std::to_string(i), "old");
  to_.Put("/x", "of others");
  const auto report = LoadBackup(Backup(), to_, {.prefix = "/r/", .overwrite = true});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->removed, 300u);
  EXPECT_EQ(Compare(), "");
  EXPECT_TRUE(to_.entries.contains("/x"));
}

TEST_F(CopyTest, ALostAnswerIsNoObstacle) {
  for (int i = 0; i < 300; ++i) from_.Put("/r/" + std::to_string(i), "v");
  to_.lost_answers = 2;
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  EXPECT_EQ(Compare(), "");
}

TEST_F(CopyTest, AnotherWriterInTheTargetIsNoticed) {
  for (int i = 0; i < 300; ++i) from_.Put("/r/" + std::to_string(i), "v");
  to_.before_commit = [this] {
    if (to_.commits == 2) to_.Put("/r/299", "theirs");
  };
  const auto report = LoadBackup(Backup(), to_, {.prefix = "/r/"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().reason(), StatusReason::kConflict);
  EXPECT_NE(report.error().message().find("\"/r/299\""), std::string::npos);
  EXPECT_EQ(to_.entries["/r/299"].value.view(), "theirs");
}

TEST_F(CopyTest, LeasesAreGrantedAnewAndShared) {
  from_.leases = {{{5}, {{5}, std::chrono::seconds(3600), std::chrono::seconds(100)}},
                  {{6}, {{6}, std::chrono::seconds(3600), std::chrono::seconds(0)}}};
  from_.Put("/r/a", "1", {5});
  from_.Put("/r/b", "2", {5});
  from_.Put("/r/c", "3", {6});
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  EXPECT_EQ(to_.leases.size(), 2u);
  EXPECT_EQ(to_.entries["/r/a"].lease, to_.entries["/r/b"].lease);
  EXPECT_EQ(to_.leases[to_.entries["/r/a"].lease].granted, std::chrono::seconds(100));
  EXPECT_EQ(to_.leases[to_.entries["/r/c"].lease].granted, std::chrono::seconds(1));
  EXPECT_EQ(Compare(), "");
}

TEST_F(CopyTest, EntriesMayExpireWhileTheyAreCopied) {
  from_.leases = {{{5}, {{5}, std::chrono::seconds(3600), std::chrono::seconds(10)}}};
  from_.Put("/r/a", "1", {5});
  from_.Put("/r/b", "2");
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  to_.entries.erase("/r/a");
  EXPECT_EQ(Compare(std::chrono::seconds(9)),
            "the copy differs from its source in 1 key: \"/r/a\" is missing");
  EXPECT_EQ(Compare(std::chrono::seconds(10)), "");
}

TEST_F(CopyTest, EveryKindOfDifferenceIsFound) {
  for (int i = 0; i < 20; ++i) from_.Put("/r/" + std::to_string(i), "v");
  ASSERT_TRUE(LoadBackup(Backup(), to_, {.prefix = "/r/"}));
  ASSERT_EQ(Compare(), "");
  const auto good = to_.entries;
  to_.Put("/r/3", "w");
  EXPECT_NE(Compare().find("\"/r/3\" has other bytes"), std::string::npos);
  to_.entries = good;
  to_.Put("/r/new", "w");
  EXPECT_NE(Compare().find("\"/r/new\" is not in the source"), std::string::npos);
  to_.entries = good;
  to_.entries["/r/4"].lease = {9};
  EXPECT_NE(Compare().find("\"/r/4\" has a lease"), std::string::npos);
  to_.entries.clear();
  EXPECT_NE(Compare().find("differs from its source in 20 keys"), std::string::npos);
}

TEST_F(CopyTest, ChangesOfTheSourceAreNoticedButNotThoseOfOthers) {
  from_.Put("/r/a", "1");
  from_.Put("/r/b", "2");
  Backup();
  StoreSource source(from_);
  EXPECT_FALSE(HasChangedSince(index_, source, "/r/", {}).value());
  from_.Put("/x", "3");
  EXPECT_FALSE(HasChangedSince(index_, source, "/r/", {}).value());
  const auto before = from_.entries;
  from_.Put("/r/a", "4");
  EXPECT_TRUE(HasChangedSince(index_, source, "/r/", {}).value());
  from_.entries = before;
  from_.entries.erase("/r/b");
  EXPECT_TRUE(HasChangedSince(index_, source, "/r/", {}).value());
}

}  // namespace
}  // namespace skiff::store

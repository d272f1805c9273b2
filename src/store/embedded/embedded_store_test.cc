#include "store/embedded/embedded_store.h"

#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/embedded/record.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using Lines = std::vector<std::string>;

class EmbeddedStoreTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override { Open(); }
};

TEST_F(EmbeddedStoreTest, RevisionsStartAtOneAndTheFirstWriteIsTwo) {
  EXPECT_EQ(Now(), 1);
  EXPECT_EQ(Put("a", "1"), 2);
  EXPECT_EQ(Put("b", "2"), 3);
  EXPECT_EQ(Now(), 3);
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(EmbeddedStoreTest, EntriesCarryCreationVersionAndLastWrite) {
  Put("a", "1");
  Put("a", "2");
  Put("b", "x");
  Put("a", "3");
  const KeyValue a = *Get("a");
  EXPECT_EQ(a.create_revision.value, 2);
  EXPECT_EQ(a.mod_revision.value, 5);
  EXPECT_EQ(a.version, 3);
  Delete("a");
  EXPECT_EQ(Get("a"), std::nullopt);
  Put("a", "4");
  EXPECT_EQ(Get("a")->create_revision.value, 7);
  EXPECT_EQ(Get("a")->version, 1);
}

TEST_F(EmbeddedStoreTest, AnyOldRevisionCanBeRead) {
  Put("a", "1");
  Put("b", "1");
  Put("a", "2");
  Delete("a");
  Put("a", "3");
  EXPECT_EQ(Contents(1), "");
  EXPECT_EQ(Contents(2), "a=1");
  EXPECT_EQ(Contents(3), "a=1 b=1");
  EXPECT_EQ(Contents(4), "a=2 b=1");
  EXPECT_EQ(Contents(5), "b=1");
  EXPECT_EQ(Contents(6), "a=3 b=1");
  EXPECT_EQ(Get("a", 4)->value.view(), "2");
  EXPECT_EQ(Get("a", 5), std::nullopt);
}

TEST_F(EmbeddedStoreTest, AFutureRevisionIsATimeoutThatNamesBoth) {
  const auto reply = TryRange({KeyRange::All(), {7}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kTimeout);
  EXPECT_NE(reply.error().message().find("revision 1"), std::string::npos);
  EXPECT_NE(reply.error().message().find("7"), std::string::npos);
}

TEST_F(EmbeddedStoreTest, ATransactionWritesSeveralKeysAtOneRevision) {
  const CommitReply reply = Do({PutOf("a", "1"), PutOf("b", "2"), DeleteOf("absent")});
  EXPECT_EQ(reply.revision.value, 2);
  EXPECT_EQ(Get("a")->mod_revision.value, 2);
  EXPECT_EQ(Get("b")->mod_revision.value, 2);
}

TEST_F(EmbeddedStoreTest, DeletingAbsentKeysChangesNothing) {
  Put("a", "1");
  const CommitReply reply = Do({DeleteOf("x"), DeleteOf("y")});
  EXPECT_TRUE(reply.succeeded);
  EXPECT_EQ(reply.revision.value, 2);
  EXPECT_EQ(Now(), 2);
}

TEST_F(EmbeddedStoreTest, AFailedConditionTellsWhatTheKeysHold) {
  Put("a", "1");
  Transaction transaction;
  transaction.conditions = {{"a", {7}}, {"b", {0}}, {"a", {2}}};
  transaction.writes = {PutOf("a", "2")};
  const CommitReply reply = *Try(transaction);
  EXPECT_FALSE(reply.succeeded);
  EXPECT_EQ(reply.revision.value, 2);
  ASSERT_EQ(reply.current.size(), 3u);
  EXPECT_EQ(reply.current[0]->value.view(), "1");
  EXPECT_EQ(reply.current[1], std::nullopt);
  EXPECT_EQ(reply.current[2]->mod_revision.value, 2);
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(EmbeddedStoreTest, ConditionsCreateUpdateAndDelete) {
  EXPECT_TRUE(Try(Transaction::CreateIfAbsent("a", SharedBytes("1")))->succeeded);
  EXPECT_FALSE(Try(Transaction::CreateIfAbsent("a", SharedBytes("1")))->succeeded);
  EXPECT_FALSE(Try(Transaction::UpdateIfRevision("a", {9}, SharedBytes("2")))->succeeded);
  EXPECT_TRUE(Try(Transaction::UpdateIfRevision("a", {2}, SharedBytes("2")))->succeeded);
  EXPECT_FALSE(Try(Transaction::DeleteIfRevision("a", {2}))->succeeded);
  EXPECT_TRUE(Try(Transaction::DeleteIfRevision("a", {3}))->succeeded);
  EXPECT_TRUE(Try(Transaction::CreateIfAbsent("a", SharedBytes("3")))->succeeded);
  EXPECT_EQ(Contents(), "a=3");
}

TEST_F(EmbeddedStoreTest, BadTransactionsAreRefusedByName) {
  const auto reason = [&](std::vector<Write> writes) {
    return Try({{}, std::move(writes)}).error().reason();
  };
  EXPECT_EQ(reason({PutOf("", "1")}), StatusReason::kBadRequest);
  EXPECT_EQ(reason({PutOf("a", "1"), DeleteOf("a")}), StatusReason::kBadRequest);
  EXPECT_EQ(reason({PutOf("a", "1", {77})}), StatusReason::kNotFound);
  EXPECT_EQ(reason({PutOf(std::string(limits::kMaxStoreKeyBytes + 1, 'k'), "1")}),
            StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(reason({PutOf("a", std::string(limits::kMaxStoreTransactionBytes, 'v'))}),
            StatusReason::kRequestEntityTooLarge);
  std::vector<Write> many;
  for (size_t i = 0; i <= limits::kMaxStoreTransactionWrites; ++i) {
    many.push_back(PutOf("k" + std::to_string(i), ""));
  }
  EXPECT_EQ(reason(std::move(many)), StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(Now(), 1);
}

TEST_F(EmbeddedStoreTest, RangesHonourLimitCountAndKeysOnly) {
  for (const char* key : {"a", "b1", "b2", "b3", "c"}) Put(key, "v");
  RangeRequest request;
  request.range = KeyRange::Prefix("b");
  request.limit = 2;
  RangeReply reply = *TryRange(request);
  EXPECT_EQ(reply.entries.size(), 2u);
  EXPECT_EQ(reply.count, 3);
  EXPECT_TRUE(reply.more);
  EXPECT_EQ(reply.revision.value, 6);
  request.limit = 3;
  EXPECT_FALSE(TryRange(request)->more);
  request.keys_only = true;
  reply = *TryRange(request);
  EXPECT_EQ(reply.entries[1].key, "b2");
  EXPECT_EQ(reply.entries[1].mod_revision.value, 4);
  EXPECT_EQ(reply.entries[1].version, 1);
  EXPECT_TRUE(reply.entries[1].value.empty());
  request.count_only = true;
  reply = *TryRange(request);
  EXPECT_EQ(reply.count, 3);
  EXPECT_TRUE(reply.entries.empty());
  EXPECT_EQ(Read({"b2", ""}).count, 3);
}

TEST_F(EmbeddedStoreTest, AScanGivesEverythingOfOneRevisionInPieces) {
  const std::string value(3000, 'v');
  for (int i = 0; i < 2000; ++i) Put("k" + std::to_string(i % 1500), value);
  Delete("k7");
  CollectingScan scan;
  const auto revision = Await<Revision>(
      [&](auto done) { store_->Scan(KeyRange::Prefix("k"), &scan, std::move(done)); });
  ASSERT_TRUE(revision);
  EXPECT_EQ(revision->value, 2002);
  EXPECT_GT(scan.pieces_, 3);
  std::ranges::sort(scan.entries_, {}, &KeyValue::key);
  EXPECT_EQ(scan.entries_, Read(KeyRange::All()).entries);
}

TEST_F(EmbeddedStoreTest, EverythingIsThereAfterReopening) {
  Put("a", "1");
  Put("b", "2");
  Delete("a");
  const int64_t cluster = store_->cluster();
  Reopen();
  EXPECT_EQ(store_->cluster(), cluster);
  EXPECT_EQ(Now(), 4);
  EXPECT_EQ(Contents(), "b=2");
  EXPECT_EQ(Contents(3), "a=1 b=2");
  EXPECT_EQ(Put("c", "3"), 5);
  EXPECT_EQ(Figures().keys, 2);
}

TEST_F(EmbeddedStoreTest, TransactionsThatWaitTogetherShareASync) {
  std::promise<void> held;
  std::promise<void> go_on;
  auto wait = go_on.get_future().share();
  std::once_flag once;
  disk_->OnWrite([&] { std::call_once(once, [&] { held.set_value(), wait.wait(); }); });
  std::vector<std::future<Result<CommitReply>>> replies;
  const auto commit = [&](Transaction transaction) {
    auto promise = std::make_shared<std::promise<Result<CommitReply>>>();
    replies.push_back(promise->get_future());
    store_->Commit(std::move(transaction),
                   [promise](Result<CommitReply> reply) { promise->set_value(std::move(reply)); });
  };
  const uint64_t before = disk_->writes();
  commit({{}, {PutOf("first", "0")}});
  held.get_future().wait();
  for (int i = 0; i < 60; ++i) {
    commit(Transaction::CreateIfAbsent("k" + std::to_string(i / 2), SharedBytes("v")));
  }
  go_on.set_value();
  for (size_t i = 1; i <= 60; ++i) {
    const CommitReply reply = *replies[i].get();
    EXPECT_EQ(reply.succeeded, i % 2 == 1) << i;
    EXPECT_EQ(reply.revision.value, 2 + static_cast<int64_t>(i + 1) / 2) << i;
    if (!reply.succeeded) {
      EXPECT_EQ(reply.current[0]->value.view(), "v");
    }
  }
  EXPECT_EQ(disk_->writes(), before + 2);
  disk_->OnWrite(nullptr);  // the store outlives what it refers to
}

TEST_F(EmbeddedStoreTest, ClosingAnswersWhatIsStillQueued) {
  std::promise<void> held;
  std::promise<void> go_on;
  auto wait = go_on.get_future().share();
  std::once_flag once;
  disk_->OnWrite([&] { std::call_once(once, [&] { held.set_value(), wait.wait(); }); });
  std::optional<Result<CommitReply>> first;
  std::optional<Result<CommitReply>> second;
  store_->Commit({{}, {PutOf("a", "1")}}, [&](auto reply) { first = std::move(reply); });
  held.get_future().wait();
  store_->Commit({{}, {PutOf("b", "1")}}, [&](auto reply) { second = std::move(reply); });
  Thread closer("closer", [&] { store_.reset(); });
  // The second may be answered either way, depending on who is first, but both are answered.
  go_on.set_value();
  closer.Join();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first);
  if (!*second) {
    EXPECT_EQ(second->error().reason(), StatusReason::kServiceUnavailable);
  }
}

TEST_F(EmbeddedStoreTest, ANewerFormatIsRefusedByName) {
  store_.reset();
  disk_->Put(Family::kMeta, kMetaFormat, EncodeMeta(kMetaFormat, 9));
  const auto opened = EmbeddedStore::Open(Options());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("format version 9"), std::string::npos);
  EXPECT_NE(opened.error().message().find("format version 1"), std::string::npos);
}

TEST_F(EmbeddedStoreTest, ACorruptRecordIsAnErrorThatNamesItAndNeverServed) {
  Put("a", "1");
  Put("b", "2");
  std::string bytes = *disk_->Get(Family::kLog, LogKey({2, 0}));
  bytes[bytes.size() - 5] ^= 1;
  disk_->Put(Family::kLog, LogKey({2, 0}), bytes);
  const auto reply = TryRange({KeyRange::Single("a"), {}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kInternalError);
  EXPECT_NE(reply.error().message().find("\"a\" at revision 2"), std::string::npos);
  EXPECT_NE(store_->Health().damage.find("\"a\" at revision 2"), std::string::npos);
  EXPECT_EQ(Get("b")->value.view(), "2");
}

}  // namespace
}  // namespace skiff::store

#include "tests/store/store_fixture.h"

#include <algorithm>
#include <utility>

#include "tests/store/text.h"

namespace skiff::testing {

void StoreFixture::SetUp() {
  if (kind().missing != nullptr) {
    if (const std::optional<std::string> why = kind().missing()) GTEST_SKIP() << *why;
  }
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  prefix_ = Text("/", test->test_suite_name(), "/", test->name(), "/");
  under_test_ = kind().make();
  const Result<void> opened = under_test_->Open();
  ASSERT_TRUE(opened) << opened.error().ToString();
}

void StoreFixture::TearDown() { under_test_.reset(); }

CommitReply StoreFixture::Commit(Transaction transaction) {
  Result<CommitReply> reply = CommitAndWait(store(), std::move(transaction));
  EXPECT_TRUE(reply) << reply.error().ToString();
  return reply ? std::move(*reply) : CommitReply();
}

Revision StoreFixture::MustCommit(Transaction transaction) {
  const CommitReply reply = Commit(std::move(transaction));
  EXPECT_TRUE(reply.succeeded);
  return reply.revision;
}

Revision StoreFixture::Put(std::string_view name, std::string_view value, LeaseId lease) {
  return MustCommit(PutTransaction(Key(name), value, lease));
}

Revision StoreFixture::Delete(std::string_view name) {
  return MustCommit({{}, {DeleteOf(Key(name))}});
}

RangeReply StoreFixture::Range(RangeRequest request) {
  Result<RangeReply> reply = RangeAndWait(store(), std::move(request));
  EXPECT_TRUE(reply) << reply.error().ToString();
  return reply ? std::move(*reply) : RangeReply();
}

std::optional<KeyValue> StoreFixture::Get(std::string_view name, Revision at) {
  RangeReply reply = Range({.range = KeyRange::Single(Key(name)), .at = at});
  EXPECT_LE(reply.entries.size(), 1u);
  if (reply.entries.empty()) return std::nullopt;
  return std::move(reply.entries[0]);
}

Revision StoreFixture::Current() {
  const auto revision =
      Await<Revision>([&](auto done) { store().CurrentRevision(std::move(done)); });
  EXPECT_TRUE(revision) << revision.error().ToString();
  return revision.value_or(Revision());
}

Revision StoreFixture::Compact(Revision revision) {
  const Result<Revision> compacted = CompactAndWait(store(), revision);
  EXPECT_TRUE(compacted) << compacted.error().ToString();
  return compacted.value_or(Revision());
}

LeaseInfo StoreFixture::Grant(std::chrono::seconds ttl) {
  const Result<LeaseInfo> lease = GrantAndWait(store(), ttl);
  EXPECT_TRUE(lease) << lease.error().ToString();
  return lease.value_or(LeaseInfo());
}

std::unique_ptr<Watch> StoreFixture::StartWatch(RecordingSink& sink, KeyRange range, Revision from,
                                                bool previous_values) {
  return store().StartWatch({std::move(range), from, previous_values}, &sink);
}

std::vector<std::string> StoreFixture::Listed(const RangeReply& reply) const {
  std::vector<std::string> out;
  for (const KeyValue& entry : reply.entries) {
    EXPECT_TRUE(entry.key.starts_with(prefix_)) << entry.key;
    out.push_back(Text(entry.key.substr(prefix_.size()), "=", entry.value.view()));
  }
  return out;
}

std::vector<std::string> StoreFixture::Told(const std::vector<Event>& events) const {
  std::vector<std::pair<Revision, std::string>> told;
  for (const Event& event : events) {
    EXPECT_TRUE(event.entry.key.starts_with(prefix_)) << event.entry.key;
    const std::string name =
        event.entry.key.substr(std::min(prefix_.size(), event.entry.key.size()));
    told.emplace_back(event.revision(), event.kind == Event::Kind::kDelete
                                            ? Text("-", name)
                                            : Text("+", name, "=", event.entry.value.view()));
  }
  std::ranges::stable_sort(told);
  std::vector<std::string> out;
  for (auto& [revision, text] : told) out.push_back(std::move(text));
  return out;
}

Write PutOf(std::string key, std::string_view value, LeaseId lease) {
  return {Write::Kind::kPut, std::move(key), SharedBytes(value), lease};
}

Write DeleteOf(std::string key) { return {Write::Kind::kDelete, std::move(key), {}, {}}; }

Transaction PutTransaction(std::string key, std::string_view value, LeaseId lease) {
  return {{}, {PutOf(std::move(key), value, lease)}};
}

Result<Revision> CompactAndWait(Store& store, Revision revision) {
  return Await<Revision>([&](auto done) { store.Compact(revision, std::move(done)); });
}

Result<LeaseInfo> GrantAndWait(Store& store, std::chrono::seconds ttl, LeaseId id) {
  return Await<LeaseInfo>([&](auto done) { store.GrantLease(ttl, id, std::move(done)); });
}

Result<LeaseInfo> RenewAndWait(Store& store, LeaseId id) {
  return Await<LeaseInfo>([&](auto done) { store.RenewLease(id, std::move(done)); });
}

Result<Revision> RevokeAndWait(Store& store, LeaseId id) {
  return Await<Revision>([&](auto done) { store.RevokeLease(id, std::move(done)); });
}

Result<LeaseInfo> FindAndWait(Store& store, LeaseId id) {
  return Await<LeaseInfo>([&](auto done) { store.FindLease(id, std::move(done)); });
}

Result<StoreFigures> FiguresAndWait(Store& store) {
  return Await<StoreFigures>([&](auto done) { store.Figures(std::move(done)); });
}

}  // namespace skiff::testing

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

store::CommitReply StoreFixture::Commit(store::Transaction transaction) {
  Result<store::CommitReply> reply = store::CommitAndWait(store(), std::move(transaction));
  EXPECT_TRUE(reply) << reply.error().ToString();
  return reply ? std::move(*reply) : store::CommitReply();
}

store::Revision StoreFixture::MustCommit(store::Transaction transaction) {
  const store::CommitReply reply = Commit(std::move(transaction));
  EXPECT_TRUE(reply.succeeded);
  return reply.revision;
}

store::Revision StoreFixture::Put(std::string_view name, std::string_view value,
                                  store::LeaseId lease) {
  return MustCommit(PutTransaction(Key(name), value, lease));
}

store::Revision StoreFixture::Delete(std::string_view name) {
  return MustCommit({{}, {DeleteOf(Key(name))}});
}

store::RangeReply StoreFixture::Range(store::RangeRequest request) {
  Result<store::RangeReply> reply = store::RangeAndWait(store(), std::move(request));
  EXPECT_TRUE(reply) << reply.error().ToString();
  return reply ? std::move(*reply) : store::RangeReply();
}

std::optional<store::KeyValue> StoreFixture::Get(std::string_view name, store::Revision at) {
  store::RangeReply reply = Range({.range = store::KeyRange::Single(Key(name)), .at = at});
  EXPECT_LE(reply.entries.size(), 1u);
  if (reply.entries.empty()) return std::nullopt;
  return std::move(reply.entries[0]);
}

store::Revision StoreFixture::Current() {
  const auto revision =
      store::Await<store::Revision>([&](auto done) { store().CurrentRevision(std::move(done)); });
  EXPECT_TRUE(revision) << revision.error().ToString();
  return revision.value_or(store::Revision());
}

store::Revision StoreFixture::Compact(store::Revision revision) {
  const Result<store::Revision> compacted = CompactAndWait(store(), revision);
  EXPECT_TRUE(compacted) << compacted.error().ToString();
  return compacted.value_or(store::Revision());
}

store::LeaseInfo StoreFixture::Grant(std::chrono::seconds ttl) {
  const Result<store::LeaseInfo> lease = GrantAndWait(store(), ttl);
  EXPECT_TRUE(lease) << lease.error().ToString();
  return lease.value_or(store::LeaseInfo());
}

std::unique_ptr<store::Watch> StoreFixture::StartWatch(RecordingSink& sink, store::KeyRange range,
                                                       store::Revision from, bool previous_values) {
  return store().StartWatch({std::move(range), from, previous_values}, &sink);
}

std::vector<std::string> StoreFixture::Listed(const store::RangeReply& reply) const {
  std::vector<std::string> out;
  for (const store::KeyValue& entry : reply.entries) {
    EXPECT_TRUE(entry.key.starts_with(prefix_)) << entry.key;
    out.push_back(Text(entry.key.substr(prefix_.size()), "=", entry.value.view()));
  }
  return out;
}

std::vector<std::string> StoreFixture::Told(const std::vector<store::Event>& events) const {
  std::vector<std::pair<store::Revision, std::string>> told;
  for (const store::Event& event : events) {
    EXPECT_TRUE(event.entry.key.starts_with(prefix_)) << event.entry.key;
    const std::string name =
        event.entry.key.substr(std::min(prefix_.size(), event.entry.key.size()));
    told.emplace_back(event.revision(), event.kind == store::Event::Kind::kDelete
                                            ? Text("-", name)
                                            : Text("+", name, "=", event.entry.value.view()));
  }
  std::ranges::stable_sort(told);
  std::vector<std::string> out;
  for (auto& [revision, text] : told) out.push_back(std::move(text));
  return out;
}

store::Write PutOf(std::string key, std::string_view value, store::LeaseId lease) {
  return {store::Write::Kind::kPut, std::move(key), SharedBytes(value), lease};
}

store::Write DeleteOf(std::string key) {
  return {store::Write::Kind::kDelete, std::move(key), {}, {}};
}

store::Transaction PutTransaction(std::string key, std::string_view value, store::LeaseId lease) {
  return {{}, {PutOf(std::move(key), value, lease)}};
}

Result<store::Revision> CompactAndWait(store::Store& store, store::Revision revision) {
  return store::Await<store::Revision>(
      [&](auto done) { store.Compact(revision, std::move(done)); });
}

Result<store::LeaseInfo> GrantAndWait(store::Store& store, std::chrono::seconds ttl,
                                      store::LeaseId id) {
  return store::Await<store::LeaseInfo>(
      [&](auto done) { store.GrantLease(ttl, id, std::move(done)); });
}

Result<store::LeaseInfo> RenewAndWait(store::Store& store, store::LeaseId id) {
  return store::Await<store::LeaseInfo>([&](auto done) { store.RenewLease(id, std::move(done)); });
}

Result<store::Revision> RevokeAndWait(store::Store& store, store::LeaseId id) {
  return store::Await<store::Revision>([&](auto done) { store.RevokeLease(id, std::move(done)); });
}

Result<store::LeaseInfo> FindAndWait(store::Store& store, store::LeaseId id) {
  return store::Await<store::LeaseInfo>([&](auto done) { store.FindLease(id, std::move(done)); });
}

Result<store::StoreFigures> FiguresAndWait(store::Store& store) {
  return store::Await<store::StoreFigures>([&](auto done) { store.Figures(std::move(done)); });
}

}  // namespace skiff::testing

// Objects that are completed when they are read, and objects that cannot be read.
#include "store/cache/stored_form.h"

#include <string>

#include <gtest/gtest.h>

#include "store/cache/testing.h"

namespace skiff::store {
namespace {

// Puts pods that have no node on one, and cannot read what begins with a question mark.
Result<SharedBytes> ReadPod(const SharedBytes& stored) {
  std::string text(stored.view());
  if (text.starts_with('?')) return Fail(StatusReason::kInternalError, "who knows");
  const size_t at = text.find(R"("nodeName":"")");
  if (at == std::string::npos) return stored;
  text.replace(at, 13, R"("nodeName":"somewhere")");
  return SharedBytes(text);
}

class StoredFormTest : public CacheTestBase {
 protected:
  void Start() {
    CacheOptions options = Options();
    options.read = ReadPod;
    CacheTestBase::Start(std::move(options));
  }
  int64_t PutUnreadable(std::string_view key) {
    return store_.Put(std::string(kPodsPrefix) + std::string(key), "?");
  }
  EntryRef Entry(std::string_view key) {
    EntryRef out;
    const size_t slash = key.find('/');
    cache_->Get({std::string(key.substr(0, slash)), std::string(key.substr(slash + 1)), "0"},
                [&](Result<CacheGetReply> reply) { out = std::move(reply->entry); });
    return out;
  }
  std::string Unreadable(CacheListRequest request) {
    std::string out;
    cache_->List(std::move(request), [&](Result<ListReply> reply) {
      for (const CacheEntry* entry : reply->Unreadable(10)) {
        out += std::string(entry->key()) + ": " + std::string(entry->value().view()) + " ";
      }
    });
    return out;
  }
  static SelectionRequest OnNode(std::string_view node) {
    SelectionRequest out;
    out.fields = object::FieldSelector::Parse("spec.nodeName=" + std::string(node)).value();
    return out;
  }
};

TEST_F(StoredFormTest, IsServedAndFoundAsItWasCompleted) {
  Put("ns/a");
  Put("ns/b", "", "n1");
  Start();
  Put("ns/c");
  EXPECT_EQ(List({.selection = OnNode("somewhere"), .resource_version = "0"}),
            "ns/a@2 ns/c@4, rv 4");
  EXPECT_EQ(Entry("ns/a")->form(), StoredForm::kCompleted);
  EXPECT_EQ(Entry("ns/b")->form(), StoredForm::kComplete);
  EXPECT_NE(Entry("ns/a")->value().view().find("somewhere"), std::string_view::npos);
}

TEST_F(StoredFormTest, BytesThatLackNothingAreSharedWithTheStore) {
  Put("ns/b", "", "n1");
  Start();
  RangeRequest request;
  request.range = KeyRange::Single(std::string(kPodsPrefix) + "ns/b");
  SharedBytes stored;
  store_.Range(std::move(request),
               [&](Result<RangeReply> reply) { stored = reply->entries.at(0).value; });
  EXPECT_TRUE(Entry("ns/b")->value().SharesWith(stored));
}

TEST_F(StoredFormTest, WhatCannotBeReadIsInEveryListThatItMayBelongTo) {
  PutUnreadable("bad/a");
  Put("good/a", "app=web", "n1");
  Start();
  EXPECT_FALSE(Entry("bad/a")->readable());
  SelectionRequest labels;
  labels.labels = object::LabelSelector::Parse("app=web").value();
  EXPECT_EQ(Unreadable({.resource_version = "0"}), "bad/a: who knows ");
  EXPECT_EQ(Unreadable({.selection = labels, .resource_version = "0"}), "bad/a: who knows ");
  EXPECT_EQ(Unreadable({.selection = OnNode("n1"), .resource_version = "0"}), "bad/a: who knows ");
  EXPECT_EQ(Unreadable({.selection = {.name_space = "good"}, .resource_version = "0"}), "");
  EXPECT_EQ(Unreadable({.selection = {.name_space = "bad", .name = "b"}, .resource_version = "0"}),
            "");
}

TEST_F(StoredFormTest, WhatCannotBeReadIsToldToEveryWatchThatItMayConcern) {
  Start();
  Put("ns/a", "", "n1");
  const auto watch = [&](SelectionRequest selection) {
    CacheWatchRequest request;
    request.selection = std::move(selection);
    request.resource_version = "2";
    request.wake = [] {};
    std::unique_ptr<Watcher> watcher;
    cache_->Watch(std::move(request), [&](Result<std::unique_ptr<Watcher>> made) {
      ASSERT_TRUE(made);
      watcher = std::move(*made);
    });
    return watcher;
  };
  const auto all = watch({});
  const auto same_node = watch(OnNode("n1"));
  const auto other_node = watch(OnNode("n2"));
  const auto other_name = watch({.name_space = "ns", .name = "b"});
  PutUnreadable("ns/a");
  const auto events = [](Watcher& watcher) {
    std::vector<WatchItem> items;
    for (int i = 0; i < 3; ++i) watcher.Take(10, items);
    std::string out;
    for (const WatchItem& item : items) {
      const CacheEntry* entry = item.event->Object(item.type);
      out += entry != nullptr && !entry->readable() ? "unreadable " : "other ";
    }
    return out;
  };
  EXPECT_EQ(events(*all), "unreadable ");
  EXPECT_EQ(events(*same_node), "unreadable ");
  EXPECT_EQ(events(*other_node), "unreadable ");
  EXPECT_EQ(events(*other_name), "");
}

TEST_F(StoredFormTest, OnceItIsGoneListsAreWholeAgain) {
  PutUnreadable("ns/a");
  Start();
  EXPECT_EQ(Unreadable({.resource_version = "0"}), "ns/a: who knows ");
  Delete("ns/a");
  EXPECT_EQ(Unreadable({.resource_version = "0"}), "");
}

}  // namespace
}  // namespace skiff::store

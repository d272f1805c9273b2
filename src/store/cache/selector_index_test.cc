// What is looked up is what a walk over everything would have found.
#include "store/cache/selector_index.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/cache/list_reply.h"
#include "store/cache/testing.h"

namespace skiff::store {
namespace {

constexpr Duration kNow = std::chrono::hours(1);
constexpr size_t kLongWalk = 1'000'000;  // so that every lookup is worth it

class SelectorIndexTest : public ::testing::Test {
 protected:
  SelectorIndexTest() {
    shape_.find_field = [](std::string_view name) {
      return name == "spec.nodeName" ? std::optional<size_t>(0) : std::nullopt;
    };
  }

  void Put(const std::string& key, std::vector<object::LabelSet::Label> labels,
           std::string_view node) {
    const std::string_view fields[] = {node};
    const EntryRef entry = CacheEntry::Make(key, Revision{++revision_}, SharedBytes(),
                                            object::LabelSet(symbols_, labels), fields);
    const EntryRef previous = index_.Put(entry);
    lookups_.Change(entry, previous);
  }
  void Erase(const std::string& key) {
    const EntryRef previous = index_.Erase(key);
    lookups_.Change({}, previous);
  }

  std::shared_ptr<const Selection> Select(std::string_view labels, std::string_view fields = "",
                                          std::string name_space = "") {
    SelectionRequest request;
    request.name_space = std::move(name_space);
    request.labels = object::LabelSelector::Parse(labels).value();
    request.fields = object::FieldSelector::Parse(fields).value();
    return std::make_shared<const Selection>(
        Selection::Bind(std::move(request), shape_, symbols_).value());
  }
  NarrowedEntries Narrow(const Selection& selection, Duration now = kNow) {
    return lookups_.Narrow(selection, kLongWalk, index_.size(), now);
  }
  void BuildAll() {
    while (lookups_.incomplete()) lookups_.Build(index_, 100);
  }
  // Asks for it, so that it is at hand from now on.
  void Want(std::string_view labels, std::string_view fields = "") {
    Narrow(*Select(labels, fields));
    BuildAll();
  }

  std::string List(const std::shared_ptr<const Selection>& selection, NarrowedEntries narrowed,
                   std::string start = "", int64_t limit = 0) {
    ListReply reply(index_.Snapshot(), Revision{revision_}, selection, std::move(start), limit,
                    std::move(narrowed));
    return TextOf(reply) + " " + reply.page().continue_token;
  }
  // How many entries a list looks at.
  size_t Walked(const std::shared_ptr<const Selection>& selection, NarrowedEntries narrowed) {
    const ListReply reply(index_.Snapshot(), Revision{revision_}, selection, "", 0,
                          std::move(narrowed));
    size_t budget = kLongWalk;
    for (ListCursor at = reply.Entries(); at.NextWithin(budget) != nullptr;) continue;
    return kLongWalk - budget;
  }

  object::SymbolTable symbols_;
  EntryShape shape_;
  OrderedIndex index_;
  SelectorIndex lookups_;
  int64_t revision_ = 1;
};

TEST_F(SelectorIndexTest, IsMadeForWhatListsHaveWalkedAsManyEntriesForAsThereAre) {
  for (int i = 0; i < 3000; ++i) Put("ns/" + std::to_string(i), {{"app", "web"}}, "");
  const auto selection = Select("app=none");
  EXPECT_EQ(lookups_.Narrow(*selection, 500, 3000, kNow), nullptr);
  EXPECT_EQ(lookups_.Narrow(*selection, 2000, 3000, kNow), nullptr);
  EXPECT_EQ(lookups_.facet_count(), 0u) << "short walks do not count, and 2000 are not 3000";
  EXPECT_EQ(lookups_.Narrow(*selection, 2000, 3000, kNow), nullptr);
  EXPECT_EQ(lookups_.facet_count(), 1u);
  EXPECT_EQ(lookups_.Narrow(*selection, 3000, 3000, kNow), nullptr) << "it has not been made yet";
  BuildAll();
  const NarrowedEntries narrowed = lookups_.Narrow(*selection, 3000, 3000, kNow);
  ASSERT_NE(narrowed, nullptr);
  EXPECT_TRUE(narrowed->empty());
}

TEST_F(SelectorIndexTest, AListWalksTheFewestThatItsSelectorAllows) {
  for (int i = 0; i < 2000; ++i) {
    Put("ns/" + std::to_string(i), {{"app", i % 2 == 0 ? "web" : "db"}, {"shard", "all"}},
        "node-" + std::to_string(i % 100));
  }
  Want("app=web");
  Want("shard=all");
  Want("", "spec.nodeName=node-2");
  const auto walked = [&](std::string_view labels, std::string_view fields) {
    const auto selection = Select(labels, fields);
    return Walked(selection, Narrow(*selection));
  };
  EXPECT_EQ(walked("app=web", ""), 1000u);
  EXPECT_EQ(walked("app=web,shard=all", ""), 1000u);
  EXPECT_EQ(walked("shard=all,app=web", "spec.nodeName=node-2"), 20u);
  EXPECT_EQ(walked("app=db", "spec.nodeName=node-2"), 20u);
  EXPECT_EQ(walked("app=none", "spec.nodeName=node-2"), 0u);
  EXPECT_EQ(walked("app!=web", ""), 2000u) << "what most entries are true of is not looked up";
}

TEST_F(SelectorIndexTest, ANarrowedListKeepsItsStateWhileTheIndexGoesOn) {
  for (int i = 0; i < 10; ++i) Put("ns/" + std::to_string(i), {{"app", "web"}}, "");
  Want("app=web");
  const auto selection = Select("app=web");
  const NarrowedEntries narrowed = Narrow(*selection);
  const IndexSnapshot state = index_.Snapshot();
  for (int i = 0; i < 10; ++i) Erase("ns/" + std::to_string(i));
  ListReply reply(state, Revision{1}, selection, "", 0, narrowed);
  size_t count = 0;
  for (ListCursor at = reply.Entries(); at.Next() != nullptr;) ++count;
  EXPECT_EQ(count, 10u);
  EXPECT_EQ(List(selection, Narrow(*selection)), List(selection, nullptr));
}

TEST_F(SelectorIndexTest, DropsWhatNobodyUses) {
  Put("ns/a", {{"app", "web"}}, "");
  Want("app=web");
  EXPECT_EQ(lookups_.complete_count(), 1u);
  Narrow(*Select("app=none"), kNow + std::chrono::minutes(1));
  EXPECT_TRUE(lookups_.Expire(kNow + limits::kSelectorFacetAge + std::chrono::seconds(1)).empty());
  EXPECT_EQ(lookups_.Expire(kNow + limits::kSelectorFacetAge + std::chrono::minutes(2)).size(), 1u);
  EXPECT_EQ(lookups_.facet_count(), 0u);
}

TEST_F(SelectorIndexTest, HasAFewFacetsAtMost) {
  Put("ns/a", {{"app", "web"}}, "");
  for (size_t i = 0; i < 3 * limits::kMaxSelectorFacets; ++i) {
    Want("label-" + std::to_string(i) + "=x");
  }
  EXPECT_EQ(lookups_.facet_count(), limits::kMaxSelectorFacets);
}

TEST_F(SelectorIndexTest, StartsAgainWithOtherEntries) {
  Put("ns/a", {{"app", "web"}}, "");
  Want("app=web");
  EXPECT_EQ(lookups_.Restart().size(), 1u);
  EXPECT_EQ(Narrow(*Select("app=web")), nullptr);
  BuildAll();
  const auto selection = Select("app=web");
  EXPECT_EQ(List(selection, Narrow(*selection)), List(selection, nullptr));
}

// Objects come, change and go while the facets are being made, and lists of every kind in between
// give what they would give without.
class SelectorIndexPropertyTest : public SelectorIndexTest,
                                  public ::testing::WithParamInterface<uint64_t> {
 protected:
  std::string Pick(std::initializer_list<const char*> texts) {
    return texts.begin()[random_.Uniform(texts.size())];
  }
  std::string RandomKey() {
    return Pick({"a", "b", "c"}) + "/" + std::to_string(random_.Uniform(300));
  }
  void ChangeSomething() {
    const std::string key = RandomKey();
    if (random_.Uniform(4) == 0) return Erase(key);
    const std::string app = Pick({"web", "db", "cache", ""});
    const std::string number = std::to_string(random_.Uniform(40));
    std::vector<object::LabelSet::Label> labels;
    if (random_.Uniform(5) != 0) labels.push_back({"app", app});
    if (random_.Uniform(3) != 0) labels.push_back({"number", number});
    if (random_.Uniform(20) == 0) labels.push_back({"rare", "yes"});
    Put(key, labels, Pick({"", "node-1", "node-2", "node-3"}));
  }
  std::string RandomLabels() {
    std::string out;
    for (uint64_t terms = random_.Uniform(3); terms > 0; --terms) {
      out += (out.empty() ? "" : ",") +
             Pick({"app=web", "app==db", "app in (web,cache)", "app in (none)", "app", "rare",
                   "number in (1,2,3,4,5,39)", "number=7", "number>20", "number<3", "app!=web",
                   "app notin (db)", "!rare", "nobody=has", "app=", "rare in (yes,yes)"});
    }
    return out;
  }
  std::string RandomFields() {
    return Pick({"", "", "spec.nodeName=node-1", "spec.nodeName=", "spec.nodeName!=node-2",
                 "metadata.name=17", "metadata.name!=17,spec.nodeName=node-3",
                 "metadata.name=17,metadata.namespace=a", "spec.nodeName=nowhere"});
  }
  void Compare() {
    const std::string labels = RandomLabels(), fields = RandomFields();
    const auto selection = Select(labels, fields, Pick({"", "", "a", "c"}));
    const NarrowedEntries narrowed = Narrow(*selection);
    narrowed_ += narrowed != nullptr ? 1 : 0;
    const std::string start = random_.Uniform(3) == 0 ? RandomKey() : "";
    const auto limit = static_cast<int64_t>(random_.Uniform(3) == 0 ? random_.Uniform(50) : 0);
    ASSERT_EQ(List(selection, narrowed, start, limit), List(selection, nullptr, start, limit))
        << labels << " " << fields << " from " << start << " limit " << limit;
  }

  SeededRandom random_{GetParam()};
  int narrowed_ = 0;
};

TEST_P(SelectorIndexPropertyTest, GivesWhatAWalkOverEverythingGives) {
  for (int step = 0; step < 3000; ++step) {
    ChangeSomething();
    if (random_.Uniform(4) == 0) lookups_.Build(index_, random_.Uniform(60));
    if (random_.Uniform(500) == 0) lookups_.Restart();
    if (random_.Uniform(2) == 0) Compare();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(narrowed_, 200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SelectorIndexPropertyTest, ::testing::Range<uint64_t>(1, 9));

// --- in the cache

class CacheSelectorTest : public CacheTestBase {
 protected:
  void StartWithMany() {
    std::vector<std::pair<std::string, SharedBytes>> writes;
    for (int i = 0; i < kPods; ++i) {
      const std::string key = "ns/" + std::to_string(100'000 + i);
      const std::string bytes = PodBytes(key, i % 100 == 0 ? "app=rare" : "app=web");
      writes.emplace_back(std::string(kPodsPrefix) + key, SharedBytes(bytes));
    }
    store_.Write(std::move(writes));  // revision 2
    Start();
  }
  // How many entries the list looks at.
  size_t Walked(CacheListRequest request) {
    const ListAnswer answer = StartList(std::move(request));
    size_t budget = kLongWalk;
    for (ListCursor at = (**answer)->Entries(); at.NextWithin(budget) != nullptr;) continue;
    return kLongWalk - budget;
  }
  static constexpr int kPods = 2000;
};

TEST_F(CacheSelectorTest, ALongListWithASelectorMakesTheNextOneShort) {
  StartWithMany();
  const std::string first = List({.selection = Labels("app=rare")});
  EXPECT_EQ(Walked({.selection = Labels("app=rare")}), size_t{kPods});
  Tick();
  EXPECT_EQ(Walked({.selection = Labels("app=rare")}), 20u);
  EXPECT_EQ(List({.selection = Labels("app=rare")}), first);
  EXPECT_EQ(Walked({.selection = Labels("app=none")}), 0u);
  Put("ns/100001", "app=none");
  EXPECT_EQ(Walked({.selection = Labels("app=none")}), 1u);
  WatchClient client;
  CacheWatchRequest watch;
  watch.selection = Labels("app=none");
  watch.resource_version = "0";
  EXPECT_EQ(Watch(std::move(watch), client), "");
  EXPECT_EQ(client.Drain(), "ADDED ns/100001@3");
}

TEST_F(CacheSelectorTest, PagesWalkNoMoreThanTheFirstAndShowItsState) {
  StartWithMany();
  List({.selection = Labels("app=rare")});
  Tick();
  std::string token;
  const std::string page = ListPage({.selection = Labels("app=rare"), .limit = 19}, &token);
  EXPECT_TRUE(page.ends_with(", rv 2, more")) << page;
  Delete("ns/101900");
  EXPECT_LE(Walked({.selection = Labels("app=rare"), .continue_token = token, .limit = 1}), 1u);
  EXPECT_EQ(
      ListPage({.selection = Labels("app=rare"), .continue_token = token, .limit = 1}, &token),
      "ns/101900@2, rv 2, more")
      << "others follow, though none of them matches";
  EXPECT_EQ(
      ListPage({.selection = Labels("app=rare"), .continue_token = token, .limit = 1}, &token),
      "rv 2");
}

TEST_F(CacheSelectorTest, WhatCannotBeReadIsStillFoundByEverySelector) {
  StartWithMany();
  List({.selection = Labels("app=none")});
  Tick();
  EXPECT_EQ(List({.selection = Labels("app=none")}), "rv 2");
  store_.Put(std::string(kPodsPrefix) + "ns/broken", "{");
  EXPECT_EQ(List({.selection = Labels("app=none")}), "ns/broken@3, rv 3");
}

TEST_F(CacheSelectorTest, AStateThatIsLoadedAnewIsIndexedAnew) {
  StartWithMany();
  List({.selection = Labels("app=rare")});
  Tick();
  Put("ns/100001", "app=rare");
  store_.EndWatches(Status(StatusReason::kServiceUnavailable, "gone"));
  Pass(std::chrono::seconds(2));
  EXPECT_EQ(Walked({.selection = Labels("app=rare")}), 21u);
}

}  // namespace
}  // namespace skiff::store

// Lists from the cache: every kind of resourceVersion, pages, selectors.
#include <string>

#include <gtest/gtest.h>

#include "store/cache/continue_token.h"
#include "store/cache/testing.h"

namespace skiff::store {
namespace {

class CacheListTest : public CacheTestBase {
 protected:
  // a and b in ns, c in other: revisions 2 to 4.
  void StartWithThree() {
    Put("ns/a", "app=web", "node-1");
    Put("ns/b", "app=db", "node-2");
    Put("other/c", "app=web", "node-1");
    Start();
  }
};

// --- resourceVersion

TEST_F(CacheListTest, GivesWhatResourceVersionMatchAndLimitAskFor) {
  struct Case {
    std::string_view resource_version;
    std::string_view match;
    int64_t limit;
    std::string_view expected;
  };
  const std::string required =
      "422 ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
      "Forbidden: resourceVersionMatch is forbidden unless "
      "resourceVersion is provided";
  // ns/a was written at 2 and 4, ns/b at 3; the store is at 5 and compacted to 3.
  const Case cases[] = {
      {"", "", 0, "ns/a@4 ns/b@3, rv 5"},
      {"", "", 1, "ns/a@4, rv 5, more (1)"},
      {"", "", 2, "ns/a@4 ns/b@3, rv 5"},
      {"0", "", 0, "ns/a@4 ns/b@3, rv 5"},
      {"0", "", 1, "ns/a@4 ns/b@3, rv 5"},
      {"1", "", 0, "ns/a@4 ns/b@3, rv 5"},
      {"1", "", 1, "410 The resourceVersion for the provided list is too old."},
      {"3", "", 0, "ns/a@4 ns/b@3, rv 5"},
      {"3", "", 1, "ns/a@2, rv 3, more (1)"},
      {"5", "", 1, "ns/a@4, rv 5, more (1)"},
      {"6", "", 0, "waits"},
      {"6", "", 1, "waits"},
      {"", "NotOlderThan", 0, required},
      {"0", "NotOlderThan", 1, "ns/a@4 ns/b@3, rv 5"},
      {"1", "NotOlderThan", 0, "ns/a@4 ns/b@3, rv 5"},
      {"1", "NotOlderThan", 1, "ns/a@4, rv 5, more (1)"},
      {"5", "NotOlderThan", 1, "ns/a@4, rv 5, more (1)"},
      {"6", "NotOlderThan", 0, "waits"},
      {"", "Exact", 0, required},
      {"1", "Exact", 0, "410 The resourceVersion for the provided list is too old."},
      {"2", "Exact", 0, "410 The resourceVersion for the provided list is too old."},
      {"3", "Exact", 0, "ns/a@2 ns/b@3, rv 3"},
      {"3", "Exact", 1, "ns/a@2, rv 3, more (1)"},
      {"4", "Exact", 0, "ns/a@4 ns/b@3, rv 4"},
      {"5", "Exact", 0, "ns/a@4 ns/b@3, rv 5"},
      {"6", "Exact", 0, "waits"},
  };
  Put("ns/a");
  Put("ns/b");
  Put("ns/a");
  PutOther();
  store_.CompactTo(3);
  Start();
  for (const Case& c : cases) {
    EXPECT_EQ(List({.resource_version = std::string(c.resource_version),
                    .resource_version_match = std::string(c.match),
                    .limit = c.limit}),
              c.expected)
        << "resourceVersion=" << c.resource_version << " match=" << c.match << " limit=" << c.limit;
  }
}

TEST_F(CacheListTest, AnExactRevisionAtHandIsNotReadFromTheStore) {
  Put("ns/a");
  Start();
  PutOther();
  PutOther();
  store_.TellProgress(4);
  EXPECT_EQ(List({.resource_version = "3", .resource_version_match = "Exact"}), "ns/a@2, rv 3");
  EXPECT_EQ(store_.ranges, 0);
  Put("ns/b");
  EXPECT_EQ(List({.resource_version = "3", .resource_version_match = "Exact"}), "ns/a@2, rv 3");
  EXPECT_EQ(store_.ranges, 1);
}

// --- pages

TEST_F(CacheListTest, AllPagesShowTheStateOfTheFirst) {
  Put("ns/a");
  Put("ns/b");
  Put("ns/c");
  Put("ns/d");
  Start();
  std::string token;
  EXPECT_EQ(ListPage({.limit = 2}, &token), "ns/a@2 ns/b@3, rv 5, more (2)");
  Delete("ns/c");
  Put("ns/d");
  Put("ns/bb");
  const std::string second = token;
  EXPECT_EQ(ListPage({.continue_token = token, .limit = 1}, &token), "ns/c@4, rv 5, more (1)");
  EXPECT_EQ(ListPage({.continue_token = token, .limit = 1}, &token), "ns/d@5, rv 5");
  EXPECT_EQ(token, "");
  EXPECT_EQ(ListPage({.continue_token = second}, &token), "ns/c@4 ns/d@5, rv 5");
  EXPECT_EQ(store_.ranges, 0) << "the state is kept while pages are being read";
}

TEST_F(CacheListTest, AStateThatIsKeptNoLongerIsReadFromTheStore) {
  Put("ns/a");
  Put("ns/b");
  Start();
  std::string token;
  EXPECT_EQ(ListPage({.limit = 1}, &token), "ns/a@2, rv 3, more (1)");
  Put("ns/b");
  Tick(limits::kKeptSnapshotAge + std::chrono::seconds(1));
  EXPECT_EQ(ListPage({.continue_token = token, .limit = 1}, &token), "ns/b@3, rv 3");
  EXPECT_EQ(store_.ranges, 1);
}

TEST_F(CacheListTest, StatesAreKeptInBoundedNumber) {
  Put("ns/a");
  Put("ns/b");
  Start();
  std::string first;
  ListPage({.limit = 1}, &first);
  std::string token;
  for (size_t i = 0; i < limits::kMaxKeptSnapshots; ++i) {
    Put("ns/b");
    ListPage({.limit = 1}, &token);
  }
  EXPECT_EQ(ListPage({.continue_token = first}, &first), "ns/b@3, rv 3");
  EXPECT_EQ(store_.ranges, 1) << "the oldest has made room";
}

TEST_F(CacheListTest, ACompactedPageComesWithATokenForTheRestAsItIsNow) {
  Put("ns/a");
  Put("ns/b");
  Put("ns/c");
  Start();
  std::string token;
  ListPage({.limit = 1}, &token);
  Put("ns/b");
  Tick(limits::kKeptSnapshotAge + std::chrono::seconds(1));
  store_.CompactTo(5);
  const auto answer = StartList({.continue_token = token, .limit = 1});
  ASSERT_TRUE(answer->has_value() && !(*answer)->has_value());
  const Status& error = (*answer)->error();
  EXPECT_EQ(error.code(), 410);
  EXPECT_TRUE(
      error.message().starts_with("The provided continue parameter is too old to display "
                                  "a consistent list result."))
      << error.message();
  EXPECT_EQ(List({.continue_token = error.continue_token(), .limit = 1}), "ns/b@5, rv 5, more (1)");
}

TEST_F(CacheListTest, TokensOfANamespaceAreRelativeToIt) {
  Put("ns/a");
  Put("ns/b");
  Put("ns/c");
  Put("nsx/d");
  Start();
  std::string token;
  EXPECT_EQ(ListPage({.selection = Namespace("ns"), .limit = 2}, &token),
            "ns/a@2 ns/b@3, rv 5, more (1)");
  EXPECT_EQ(DecodeContinueToken(token)->start_key, std::string("b\0", 2));
  EXPECT_EQ(List({.selection = Namespace("ns"), .continue_token = token, .limit = 2}),
            "ns/c@4, rv 5");
}

TEST_F(CacheListTest, ATokenCannotLeaveWhatIsListed) {
  StartWithThree();
  const std::string before = EncodeContinueToken({.revision = 4, .start_key = "a"});
  const std::string behind = EncodeContinueToken({.revision = 4, .start_key = "zzz"});
  EXPECT_EQ(List({.selection = Namespace("ns"), .continue_token = before}), "ns/a@2 ns/b@3, rv 4");
  EXPECT_EQ(List({.selection = Namespace("ns"), .continue_token = behind}), "rv 4");
  EXPECT_EQ(List({.continue_token = behind}), "rv 4");
}

TEST_F(CacheListTest, PagesOfASelectorHoldOnlyWhatMatches) {
  for (const char* key : {"ns/a", "ns/b", "ns/c", "ns/d", "ns/e", "ns/f"}) {
    Put(key, key[3] % 2 == 1 ? "odd=yes" : "odd=no");
  }
  Start();
  std::string token;
  EXPECT_EQ(ListPage({.selection = Labels("odd=yes"), .limit = 2}, &token),
            "ns/a@2 ns/c@4, rv 7, more");
  EXPECT_EQ(ListPage({.selection = Labels("odd=yes"), .continue_token = token, .limit = 1}, &token),
            "ns/e@6, rv 7, more")
      << "there is more, though it does not match, as in Kubernetes";
  EXPECT_EQ(ListPage({.selection = Labels("odd=yes"), .continue_token = token, .limit = 1}, &token),
            "rv 7");
}

TEST_F(CacheListTest, PagesFromTheStoreAreThoseFromTheCache) {
  for (const char* key : {"ns/a", "ns/b", "ns/c", "ns/d", "ns/e"}) {
    Put(key, key[3] % 2 == 1 ? "odd=yes" : "odd=no");
  }
  Put("other/x", "odd=yes");
  Start();
  for (const bool from_store : {false, true}) {
    store_.reliable = !from_store;
    std::string token;
    EXPECT_EQ(ListPage({.selection = Namespace("ns"), .limit = 2}, &token),
              "ns/a@2 ns/b@3, rv 7, more (3)");
    EXPECT_EQ(ListPage({.selection = Labels("odd=yes"), .limit = 2}, &token),
              "ns/a@2 ns/c@4, rv 7, more");
    EXPECT_EQ(ListPage({.selection = Labels("odd=yes"), .continue_token = token}, &token),
              "ns/e@6 other/x@7, rv 7");
    EXPECT_EQ(store_.ranges > 0, from_store);
  }
}

// --- scopes and selectors

TEST_F(CacheListTest, ScopesAndSelectorsFindTheSameFromCacheAndStore) {
  struct Case {
    std::string_view name_space;
    std::string_view labels;
    std::string_view fields;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"", "", "", "ns/a@2 ns/b@3 other/a@5 other/c@4, rv 5"},
      {"ns", "", "", "ns/a@2 ns/b@3, rv 5"},
      {"n", "", "", "rv 5"},
      {"", "app=web", "", "ns/a@2 other/c@4, rv 5"},
      {"ns", "app=web", "", "ns/a@2, rv 5"},
      {"", "app!=web", "", "ns/b@3 other/a@5, rv 5"},
      {"", "app", "spec.nodeName=node-1", "ns/a@2 other/c@4, rv 5"},
      {"", "", "spec.nodeName=node-1", "ns/a@2 other/c@4, rv 5"},
      {"", "", "spec.host=node-1", "ns/a@2 other/c@4, rv 5"},
      {"ns", "", "spec.nodeName=node-1", "ns/a@2, rv 5"},
      {"", "", "spec.nodeName!=node-1", "ns/b@3 other/a@5, rv 5"},
      {"", "", "spec.nodeName=", "other/a@5, rv 5"},
      {"", "", "spec.nodeName=node-9", "rv 5"},
      {"", "", "spec.nodeName=node-1,spec.nodeName=node-2", "rv 5"},
      {"", "", "metadata.name=a", "ns/a@2 other/a@5, rv 5"},
      {"", "", "metadata.name!=a", "ns/b@3 other/c@4, rv 5"},
      {"ns", "", "metadata.name=a", "ns/a@2, rv 5"},
      {"ns", "", "metadata.name=a,spec.nodeName=node-1", "ns/a@2, rv 5"},
      {"ns", "", "metadata.name=a,spec.nodeName=node-2", "rv 5"},
      {"", "", "metadata.namespace=ns", "ns/a@2 ns/b@3, rv 5"},
      {"", "", "metadata.namespace!=ns", "other/a@5 other/c@4, rv 5"},
      {"ns", "", "metadata.namespace=other", "rv 5"},
      {"", "", "metadata.name=a,metadata.name=b", "rv 5"},
      {"", "", "metadata.name=", "rv 5"},
      {"", "", "spec.nowhere=1", "400 field label not supported: spec.nowhere"},
  };
  Put("ns/a", "app=web", "node-1");
  Put("ns/b", "app=db", "node-2");
  Put("other/c", "app=web", "node-1");
  Put("other/a");
  Start();
  for (const bool from_store : {false, true}) {
    store_.reliable = !from_store;
    for (const Case& c : kCases) {
      SelectionRequest selection;
      selection.name_space = c.name_space;
      selection.labels = object::LabelSelector::Parse(c.labels).value();
      selection.fields = object::FieldSelector::Parse(c.fields).value();
      EXPECT_EQ(List({.selection = std::move(selection)}), c.expected)
          << c.name_space << " " << c.labels << " " << c.fields << " " << from_store;
    }
  }
  EXPECT_GT(store_.ranges, 0);
}

TEST_F(CacheListTest, AnIndexedFieldFollowsItsObjects) {
  StartWithThree();
  Put("ns/a", "", "node-2");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=node-1")}), "other/c@4, rv 5");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=node-2")}), "ns/a@5 ns/b@3, rv 5");
  Put("ns/a", "", "node-2");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=node-2")}), "ns/a@6 ns/b@3, rv 6");
  Delete("other/c");
  EXPECT_EQ(List({.selection = Fields("spec.nodeName=node-1")}), "rv 7");
}

TEST_F(CacheListTest, AListByAnIndexedFieldLooksAtNothingElse) {
  Put("ns/mine", "", "node-1");
  for (int i = 0; i < 200; ++i) Put("ns/other" + std::to_string(i), "", "node-2");
  Start();
  const auto answer = StartList({.selection = Fields("spec.nodeName=node-1")});
  ASSERT_TRUE(answer->has_value() && (*answer)->has_value());
  EXPECT_EQ((**answer)->RangeSize(), 1u);
}

TEST_F(CacheListTest, AReplyDoesNotChangeWhileItIsBeingRead) {
  StartWithThree();
  const auto answer = StartList({});
  const auto by_field = StartList({.selection = Fields("spec.nodeName=node-1")});
  Put("ns/a");
  Delete("ns/b");
  Put("ns/new", "", "node-1");
  EXPECT_EQ(TextOf(answer), "ns/a@2 ns/b@3 other/c@4, rv 4");
  EXPECT_EQ(TextOf(by_field), "ns/a@2 other/c@4, rv 4");
}

}  // namespace
}  // namespace skiff::store

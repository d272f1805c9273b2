#include "store/cache/freshness.h"

#include <string>

#include <gtest/gtest.h>

#include "store/cache/continue_token.h"

namespace skiff::store {
namespace {

// "newest", "any", "not older than 5", "exactly 5".
std::string Text(const Freshness& freshness) {
  switch (freshness.kind) {
    case Freshness::Kind::kNewest:
      return "newest";
    case Freshness::Kind::kAny:
      return "any";
    case Freshness::Kind::kNotOlderThan:
      return "not older than " + std::to_string(freshness.revision.value);
    case Freshness::Kind::kExact:
      return "exactly " + std::to_string(freshness.revision.value);
  }
  return "?";
}

// "400 what is wrong".
std::string Text(const Status& error) {
  return std::to_string(error.code()) + " " + error.message();
}

std::string Text(const Result<ListPlan>& plan) {
  if (!plan) return Text(plan.error());
  std::string out = Text(plan->freshness);
  if (plan->limit > 0) out += ", " + std::to_string(plan->limit) + " at most";
  if (plan->continues) out += ", from " + plan->start_key;
  return out;
}

std::string Text(const Result<WatchPlan>& plan) {
  if (!plan) return Text(plan.error());
  std::string out = plan->initial_state ? "state " : "changes after ";
  out += Text(plan->freshness);
  if (plan->best_effort && plan->initial_state) out += " if can be";
  if (plan->initial_end) out += ", bookmark";
  return out;
}

constexpr std::string_view kInvalid = "422 ListOptions.meta.k8s.io \"\" is invalid: ";
constexpr std::string_view kForbidden = "resourceVersionMatch: Forbidden: ";

TEST(FreshnessTest, GetFollowsTheDocumentedTable) {
  struct Case {
    std::string_view resource_version;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"", "newest"},
      {"0", "any"},
      {"00", "any"},
      {"5", "not older than 5"},
      {"18446744073709551615", "not older than 9223372036854775807"},
      {"x",
       "400 invalid resource version: resourceVersion: Invalid value: \"x\": "
       "strconv.ParseUint: parsing \"x\": invalid syntax"},
      {"-1",
       "400 invalid resource version: resourceVersion: Invalid value: \"-1\": "
       "strconv.ParseUint: parsing \"-1\": invalid syntax"},
      {"5x",
       "400 invalid resource version: resourceVersion: Invalid value: \"5x\": "
       "strconv.ParseUint: parsing \"5x\": invalid syntax"},
      {"18446744073709551616",
       "400 invalid resource version: resourceVersion: Invalid value: "
       "\"18446744073709551616\": strconv.ParseUint: parsing \"18446744073709551616\": value out "
       "of "
       "range"},
  };
  for (const Case& c : kCases) {
    const auto freshness = PlanGet(c.resource_version);
    EXPECT_EQ(freshness ? Text(*freshness) : Text(freshness.error()), c.expected)
        << c.resource_version;
  }
}

TEST(FreshnessTest, ListFollowsTheDocumentedTable) {
  const std::string token = EncodeContinueToken({.revision = 9, .start_key = "ns/a"});
  const std::string newest = EncodeContinueToken({.revision = -1, .start_key = "ns/a"});
  const std::string invalid(kInvalid);
  const std::string forbidden = invalid + std::string(kForbidden);
  const std::string unsupported =
      "resourceVersionMatch: Unsupported value: \"Newer\": supported "
      "values: \"Exact\", \"NotOlderThan\", \"\"";
  struct Case {
    std::string_view resource_version;
    std::string_view match;
    int64_t limit;
    std::string_view continue_token;
    std::string expected;
  };
  const Case cases[] = {
      // paging: resourceVersionMatch unset
      {"", "", 0, "", "newest"},
      {"", "", 10, "", "newest, 10 at most"},
      {"0", "", 0, "", "any"},
      {"0", "", 10, "", "any"},
      {"5", "", 0, "", "not older than 5"},
      {"5", "", 10, "", "exactly 5, 10 at most"},
      // NotOlderThan
      {"", "NotOlderThan", 0, "",
       forbidden + "resourceVersionMatch is forbidden unless resourceVersion is provided"},
      {"0", "NotOlderThan", 0, "", "any"},
      {"0", "NotOlderThan", 10, "", "any"},
      {"5", "NotOlderThan", 0, "", "not older than 5"},
      {"5", "NotOlderThan", 10, "", "not older than 5, 10 at most"},
      // Exact
      {"", "Exact", 0, "",
       forbidden + "resourceVersionMatch is forbidden unless resourceVersion is provided"},
      {"0", "Exact", 0, "",
       forbidden + "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""},
      {"5", "Exact", 0, "", "exactly 5"},
      {"5", "Exact", 10, "", "exactly 5, 10 at most"},
      // continue
      {"", "", 0, token, "exactly 9, from ns/a"},
      {"", "", 10, token, "exactly 9, 10 at most, from ns/a"},
      {"0", "", 10, token, "exactly 9, 10 at most, from ns/a"},
      {"", "", 10, newest, "newest, 10 at most, from ns/a"},
      {"5", "", 10, token, "400 specifying resource version is not allowed when using continue"},
      {"5", "Exact", 10, token,
       forbidden + "resourceVersionMatch is forbidden when continue is provided"},
      {"", "", 10, "AAAA",
       "400 invalid continue token: continue key is not valid: not a JSON object"},
      // nonsense
      {"5", "Newer", 0, "", invalid + unsupported},
      {"", "Newer", 0, "",
       invalid + "[" + std::string(kForbidden) +
           "resourceVersionMatch is forbidden unless resourceVersion is provided, " + unsupported +
           "]"},
      {"x", "", 0, "",
       "400 invalid resource version: resourceVersion: Invalid value: \"x\": "
       "strconv.ParseUint: parsing \"x\": invalid syntax"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Text(PlanList({.resource_version = c.resource_version,
                             .match = c.match,
                             .continue_token = c.continue_token,
                             .limit = c.limit})),
              c.expected)
        << "resourceVersion=" << c.resource_version << " match=" << c.match << " limit=" << c.limit
        << " continue=" << c.continue_token;
  }
}

TEST(FreshnessTest, ListOfOneNameHasNoPages) {
  EXPECT_EQ(Text(PlanList({.resource_version = "5", .limit = 10, .single = true})),
            "not older than 5");
  EXPECT_EQ(
      Text(PlanList({.resource_version = "5", .match = "Exact", .limit = 10, .single = true})),
      "exactly 5");
}

TEST(FreshnessTest, WatchFollowsTheDocumentedTable) {
  const std::string invalid(kInvalid);
  const std::string forbidden(kForbidden);
  constexpr std::string_view kMatch = "NotOlderThan";
  struct Case {
    std::string_view resource_version;
    std::string_view match;
    std::optional<bool> initial;
    bool bookmarks;
    std::string expected;
  };
  const Case cases[] = {
      {"", "", {}, false, "state newest if can be"},
      {"0", "", {}, true, "state any if can be"},
      {"5", "", {}, true, "changes after exactly 5"},
      {"", kMatch, true, true, "state newest, bookmark"},
      {"", kMatch, true, false, "state newest"},
      {"0", kMatch, true, true, "state any, bookmark"},
      {"5", kMatch, true, true, "state not older than 5, bookmark"},
      {"", kMatch, false, true, "changes after newest"},
      {"0", kMatch, false, true, "changes after any"},
      {"5", kMatch, false, true, "changes after exactly 5"},
      {"5", "", true, true,
       invalid + forbidden +
           "sendInitialEvents requires setting resourceVersionMatch to "
           "NotOlderThan"},
      {"5",
       kMatch,
       {},
       true,
       invalid + forbidden +
           "resourceVersionMatch is forbidden for watch unless sendInitialEvents "
           "is provided"},
      {"5", "Exact", true, true,
       invalid + "[" + forbidden +
           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
           "resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
           "\"NotOlderThan\"]"},
      {"x",
       "",
       {},
       true,
       "400 invalid resource version: resourceVersion: Invalid value: \"x\": "
       "strconv.ParseUint: parsing \"x\": invalid syntax"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Text(PlanWatch({.resource_version = c.resource_version,
                              .match = c.match,
                              .continue_token = {},
                              .send_initial_events = c.initial,
                              .allow_bookmarks = c.bookmarks})),
              c.expected)
        << "resourceVersion=" << c.resource_version << " match=" << c.match;
  }
}

TEST(FreshnessTest, AFutureRevisionIsATimeoutWithItsCauseAndARetry) {
  const Status status = TooLargeResourceVersion({9}, {5});
  EXPECT_EQ(Text(status), "504 Timeout: Too large resource version: 9, current: 5");
  ASSERT_EQ(status.causes().size(), 1u);
  EXPECT_EQ(status.causes()[0].reason, "ResourceVersionTooLarge");
  EXPECT_EQ(status.causes()[0].message, "Too large resource version");
  EXPECT_EQ(status.retry_after_seconds(), 1);
}

TEST(FreshnessTest, TooOldToContinueComesWithATokenForTheRest) {
  const Status status = TooOldToContinue("ns/a");
  EXPECT_EQ(status.reason(), StatusReason::kExpired);
  const auto token = DecodeContinueToken(status.continue_token());
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision, ContinueToken::kNewest);
  EXPECT_EQ(token->start_key, "ns/a");
}

}  // namespace
}  // namespace skiff::store

#include "client/informer.h"

#include <map>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/random.h"
#include "client/testing.h"

namespace skiff::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const ApiResource& ConfigMaps() { return BuiltIn("", "v1", "configmaps"); }

std::string Named(std::string_view name, std::string_view value = "") {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"data":{"v":")" +
         std::string(value) + "\"}}";
}

// Holds what it is told to be there, and that no call contradicts the ones before.
struct Follower final : InformerHandler {
  void OnAdd(const ObjectPtr& object) override {
    EXPECT_FALSE(known.contains(NameOf(*object))) << "added twice";
    known[NameOf(*object)] = object;
    log.push_back("+" + NameOf(*object).name);
  }
  void OnUpdate(const ObjectPtr& old, const ObjectPtr& object) override {
    EXPECT_EQ(known[NameOf(*object)], old) << "the old state is not the one told before";
    EXPECT_LT(Version(old), Version(object)) << "older after newer";
    known[NameOf(*object)] = object;
    log.push_back("~" + NameOf(*object).name);
  }
  void OnDelete(const ObjectPtr& last) override {
    EXPECT_EQ(known.erase(NameOf(*last)), 1U) << "deleted what was not there";
    log.push_back("-" + NameOf(*last).name);
  }
  static int64_t Version(const ObjectPtr& object) {
    return std::stoll(std::string(ResourceVersionOf(*object)));
  }
  std::vector<std::string> TakeLog() { return std::exchange(log, {}); }

  std::map<ObjectName, ObjectPtr> known;
  std::vector<std::string> log;
};

class InformerTest : public ::testing::Test {
 protected:
  void Start() {
    informer.AddHandler(&follower);
    set->Start();
    executor.RunUntilIdle();
  }
  std::vector<std::string> Log() {
    executor.RunUntilIdle();
    return follower.TakeLog();
  }
  using Names = std::vector<std::string>;

  ManualExecutor executor;
  FakeApi api{executor};
  SeededRandom random{1};
  std::unique_ptr<InformerSet> set = MakeInformerSet(Client(api, "test"), random);
  Informer& informer = set->For(ConfigMaps());
  Follower follower;
};

TEST_F(InformerTest, TellsWhatIsThereAndThenEveryChange) {
  api.objects().Put(ConfigMaps(), Named("a"));
  EXPECT_FALSE(set->synced());
  Start();
  EXPECT_TRUE(set->synced());
  EXPECT_EQ(Log(), Names{"+a"});
  api.objects().Put(ConfigMaps(), Named("b"));
  api.objects().Put(ConfigMaps(), Named("a", "1"));
  api.objects().Remove(ConfigMaps(), {"default", "a"});
  EXPECT_EQ(Log(), (Names{"+b", "~a", "-a"}));
  EXPECT_EQ(informer.Find({"default", "a"}), nullptr);
  EXPECT_NE(informer.Find({"default", "b"}), nullptr);
  EXPECT_EQ(api.CountOf(ClientVerb::kList), 0U);
  EXPECT_EQ(api.watch_calls().size(), 1U);
}

Status TooLong() {
  Status why(StatusReason::kInternalError, "the answer is too long");
  why.AddCause({std::string(kAnswerTooLong), "", ""});
  return why;
}

TEST_F(InformerTest, ListsWhatTheServerHasAtHandWhereStreamsAreRefused) {
  api.SetStreamedLists(false);
  for (int i = 0; i < 1200; ++i) api.objects().Put(ConfigMaps(), Named("a" + std::to_string(i)));
  Start();
  executor.Advance(seconds(1));
  EXPECT_TRUE(informer.synced());
  ASSERT_EQ(api.CountOf(ClientVerb::kList), 1U);
  EXPECT_EQ(api.calls().back().resource_version, "0");
  EXPECT_EQ(api.calls().back().limit, limits::kInformerPageSize) << "should it have no cache";
  EXPECT_EQ(informer.List().size(), 1200U);
  api.objects().Put(ConfigMaps(), Named("b"));
  executor.RunUntilIdle();
  EXPECT_EQ(informer.List().size(), 1201U);
  api.BreakWatches(Status(StatusReason::kExpired, "too old"));
  executor.Advance(minutes(1));
  EXPECT_EQ(api.watch_calls().size(), 3U) << "a server that refused streams is not asked again";
  EXPECT_EQ(api.calls().back().resource_version_match, "NotOlderThan");
  EXPECT_EQ(api.calls().back().limit, 0);
}

TEST_F(InformerTest, AListThatWouldBeTooLongComesInPages) {
  api.SetStreamedLists(false);
  for (int i = 0; i < 1200; ++i) api.objects().Put(ConfigMaps(), Named("a" + std::to_string(i)));
  api.FailNext(ClientVerb::kList, 1, TooLong());
  Start();
  executor.Advance(minutes(1));
  EXPECT_TRUE(informer.synced());
  EXPECT_EQ(api.CountOf(ClientVerb::kList), 4U);
  EXPECT_EQ(api.calls().back().limit, limits::kInformerPageSize);
  EXPECT_EQ(informer.List().size(), 1200U);
}

TEST_F(InformerTest, AServerThatHasLostTheVersionIsAskedForItsNewestInPages) {
  api.SetStreamedLists(false);
  for (int i = 0; i < 600; ++i) api.objects().Put(ConfigMaps(), Named("a" + std::to_string(i)));
  Start();
  executor.Advance(seconds(1));
  ASSERT_EQ(api.CountOf(ClientVerb::kList), 1U);
  api.FailNext(ClientVerb::kList, 1, Status(StatusReason::kExpired, "too old"));
  api.BreakWatches(Status(StatusReason::kExpired, "too old"));
  executor.Advance(minutes(2));
  ASSERT_EQ(api.CountOf(ClientVerb::kList), 4U) << "the version, and then two pages of the newest";
  const ClientCall& first_page = api.calls()[api.calls().size() - 2];
  EXPECT_EQ(first_page.resource_version, "");
  EXPECT_EQ(first_page.limit, limits::kInformerPageSize);
  EXPECT_EQ(informer.List().size(), 600U);
}

TEST_F(InformerTest, AListWhosePagesExpireIsReadAgainAtOnce) {
  api.SetStreamedLists(false);
  for (int i = 0; i < 600; ++i) api.objects().Put(ConfigMaps(), Named("a" + std::to_string(i)));
  api.FailNext(ClientVerb::kList, 1, TooLong());
  api.SetDelay(seconds(2));
  informer.AddHandler(&follower);
  set->Start();
  EXPECT_TRUE(executor.AdvanceUntil([&] { return api.CountOf(ClientVerb::kList) == 3; }));
  api.objects().ExpireHistory();
  EXPECT_TRUE(executor.AdvanceUntil([&] { return informer.synced(); }));
  EXPECT_EQ(api.calls().back().limit, 0);
  EXPECT_EQ(informer.List().size(), 600U);
}

TEST_F(InformerTest, AWatchThatEndsGoesOnFromWhereItWas) {
  api.objects().Put(ConfigMaps(), Named("a"));
  Start();
  executor.Advance(minutes(5));
  api.objects().Put(ConfigMaps(), Named("b"));
  executor.RunUntilIdle();
  const std::string last(ResourceVersionOf(*informer.Find({"default", "b"})));
  api.BreakWatches();
  executor.RunUntilIdle();
  EXPECT_EQ(api.watch_calls().back().resource_version, last);
  EXPECT_FALSE(api.watch_calls().back().send_initial_events);
  api.objects().Put(ConfigMaps(), Named("c"));
  EXPECT_EQ(Log(), (Names{"+a", "+b", "+c"}));
}

TEST_F(InformerTest, ABookmarkMovesWhereAWatchGoesOnFrom) {
  Start();
  api.objects().Put(BuiltIn("", "v1", "secrets"), R"({"metadata":{"name":"s"}})");
  api.SendBookmarks();
  executor.RunUntilIdle();
  api.objects().ExpireHistory();
  const std::string now = std::to_string(api.objects().revision());
  api.SendBookmarks();
  executor.RunUntilIdle();
  executor.Advance(minutes(1));
  api.BreakWatches();
  executor.Advance(minutes(1));
  EXPECT_EQ(api.watch_calls().back().resource_version, now);
  EXPECT_FALSE(api.watch_calls().back().send_initial_events);
}

TEST_F(InformerTest, WhatHappenedWhileTheWatchWasDownIsToldAfterwards) {
  for (const char* name : {"a", "b", "c"}) api.objects().Put(ConfigMaps(), Named(name));
  Start();
  Log();
  api.BreakWatches(Status(StatusReason::kServiceUnavailable, "down"));
  api.objects().Remove(ConfigMaps(), {"default", "a"});
  api.objects().Put(ConfigMaps(), Named("b", "1"));
  api.objects().Put(ConfigMaps(), Named("d"));
  api.objects().ExpireHistory();
  executor.Advance(minutes(1));
  EXPECT_EQ(Log(), (Names{"-a", "~b", "+d"})) << "c did not change, so that nobody is told";
}

TEST_F(InformerTest, AnotherObjectOfTheSameNameIsAnUpdate) {
  api.objects().Put(ConfigMaps(), Named("a"));
  Start();
  Log();
  const ObjectPtr before = informer.Find({"default", "a"});
  api.HoldWatches(true);
  api.objects().Remove(ConfigMaps(), {"default", "a"});
  api.objects().Put(ConfigMaps(), Named("a"));
  api.objects().ExpireHistory();
  api.HoldWatches(false);
  executor.Advance(minutes(1));
  EXPECT_EQ(Log(), Names{"~a"});
  EXPECT_NE(UidOf(*informer.Find({"default", "a"})), UidOf(*before));
}

TEST_F(InformerTest, FailuresAreFollowedByPausesThatGrow) {
  api.FailWatches(-1, Status(StatusReason::kServiceUnavailable, "down"));
  Start();
  std::vector<Duration> times;
  size_t seen = api.watch_calls().size();
  for (Duration time{}; time < minutes(10); time += milliseconds(100)) {
    executor.Advance(milliseconds(100));
    if (api.watch_calls().size() == seen) continue;
    EXPECT_EQ(api.watch_calls().size(), ++seen) << "more than one attempt at a time";
    times.push_back(executor.clock().Monotonic());
  }
  ASSERT_GT(times.size(), 18U);
  EXPECT_LT(times.size(), 45U);
  EXPECT_GE(times[0], seconds(1) + milliseconds(800));
  EXPECT_LE(times[0], seconds(1) + milliseconds(1700));
  for (size_t i = 6; i < times.size(); ++i) {
    EXPECT_GE(times[i] - times[i - 1], seconds(29));
    EXPECT_LE(times[i] - times[i - 1], seconds(31));
  }
  EXPECT_FALSE(informer.synced());
}

TEST_F(InformerTest, AWatchThatEndsAtOnceAgainAndAgainIsNoBusyLoop) {
  Start();
  for (int i = 0; i < 100; ++i) {
    api.BreakWatches();
    executor.Advance(milliseconds(500));
  }
  EXPECT_LT(api.watch_calls().size(), 12U);
}

TEST_F(InformerTest, AServerThatAsksForPatienceGetsIt) {
  Status busy(StatusReason::kTooManyRequests, "busy");
  busy.SetRetryAfterSeconds(7);
  api.FailWatches(1, busy);
  Start();
  executor.Advance(seconds(6));
  EXPECT_EQ(api.watch_calls().size(), 1U);
  executor.Advance(seconds(2));
  EXPECT_EQ(api.watch_calls().size(), 2U);
}

TEST_F(InformerTest, AServerThatLostItsDataIsFollowedAllTheSame) {
  api.SetStreamedLists(false);
  api.objects().Put(ConfigMaps(), Named("a"));
  Start();
  ASSERT_TRUE(executor.AdvanceUntil([&] { return informer.synced(); }));
  ClientCall ahead;
  ahead.verb = ClientVerb::kList;
  ahead.resource = &ConfigMaps();
  ahead.resource_version = "1000";
  const Status too_large = api.objects().Do(ahead).error();
  api.FailNext(ClientVerb::kList, 1, too_large);
  api.BreakWatches(Status(StatusReason::kExpired, "too old"));
  api.ForgetCalls();
  executor.Advance(minutes(1));
  ASSERT_EQ(api.calls().size(), 2U);
  EXPECT_EQ(api.calls()[0].resource_version, ResourceVersionOf(*informer.Find({"default", "a"})));
  EXPECT_EQ(api.calls()[0].resource_version_match, "NotOlderThan");
  EXPECT_EQ(api.calls()[1].resource_version, "");
}

TEST_F(InformerTest, ALaterHandlerIsToldOfWhatIsThere) {
  api.objects().Put(ConfigMaps(), Named("a"));
  Start();
  Follower late;
  informer.AddHandler(&late);
  EXPECT_EQ(late.log, Names{"+a"});
  informer.RemoveHandler(&late);
  api.objects().Put(ConfigMaps(), Named("b"));
  executor.RunUntilIdle();
  EXPECT_EQ(late.log, Names{"+a"});
}

TEST_F(InformerTest, IndexesFollowTheObjects) {
  informer.AddIndex("value", [](const object::Document& object) -> std::vector<std::string> {
    const object::Value* value = object.root().FindPath({"data", "v"});
    if (value == nullptr) return {};
    return {std::string(value->AsText()), "any"};
  });
  api.objects().Put(ConfigMaps(), Named("a", "x"));
  api.objects().Put(ConfigMaps(), Named("b", "x"));
  Start();
  EXPECT_EQ(informer.ByIndex("value", "x").size(), 2U);
  api.objects().Put(ConfigMaps(), Named("a", "y"));
  api.objects().Remove(ConfigMaps(), {"default", "b"});
  executor.RunUntilIdle();
  EXPECT_TRUE(informer.ByIndex("value", "x").empty());
  ASSERT_EQ(informer.ByIndex("value", "any").size(), 1U);
  EXPECT_EQ(NameOf(*informer.ByIndex("value", "y")[0]).name, "a");
  EXPECT_TRUE(informer.ByIndex("other", "x").empty());
}

TEST_F(InformerTest, OneInformerForEachResourceAndItsOptions) {
  EXPECT_EQ(&set->For(ConfigMaps()), &informer);
  Informer& partial = set->For(ConfigMaps(), {.metadata_only = true});
  EXPECT_NE(&partial, &informer);
  Informer& selected = set->For(ConfigMaps(), {.label_selector = "x=y"});
  api.objects().Put(ConfigMaps(),
                    R"({"metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}})");
  api.objects().Put(ConfigMaps(), Named("b"));
  Start();
  EXPECT_TRUE(set->synced());
  EXPECT_EQ(selected.List().size(), 1U);
  ASSERT_EQ(partial.List("default").size(), 2U);
  EXPECT_EQ(partial.List("other").size(), 0U);
  EXPECT_EQ(partial.List()[0]->kind(), "PartialObjectMetadata");
  set->Drop(partial);
  EXPECT_EQ(api.open_watches(), 2U);
}

TEST_F(InformerTest, AnInformerThatGoesAwayWhileItListsIsNotCalled) {
  api.SetStreamedLists(false);
  api.SetDelay(seconds(1));
  Start();
  executor.Advance(milliseconds(1100));
  EXPECT_EQ(api.CountOf(ClientVerb::kList), 1U);
  set.reset();
  executor.Advance(minutes(1));
  EXPECT_EQ(executor.timers(), 0U);
}

// Writers, faults of all kinds and several informers, at random: once it is quiet, each informer
// holds what the store holds, and its handler was told so without a contradiction.
class InformerFaultTest : public ::testing::TestWithParam<uint64_t> {};

void DisturbOnce(FakeApi& api, Random& random) {
  switch (random.Uniform(9)) {
    case 0:
      return api.BreakWatches();
    case 1:
      return api.BreakWatches(Status(StatusReason::kServiceUnavailable, "down"));
    case 2:
      return api.BreakWatches(Status(StatusReason::kExpired, "too old"));
    case 3:
      return api.objects().ExpireHistory();
    case 4:
      return api.FailNext(ClientVerb::kList, 1 + static_cast<int>(random.Uniform(3)),
                          Status(StatusReason::kTimeout, "slow"));
    case 5:
      return api.FailWatches(1 + static_cast<int>(random.Uniform(3)),
                             Status(StatusReason::kInternalError, "broken"));
    case 6:
      return api.HoldWatches(random.Uniform(2) == 0);
    case 7:
      return api.SendBookmarks();
    default:
      return api.SetStreamedLists(random.Uniform(2) == 0);
  }
}

void WriteOnce(FakeObjects& objects, Random& random) {
  const std::string name = "o" + std::to_string(random.Uniform(40));
  if (random.Uniform(3) == 0) return objects.Remove(ConfigMaps(), {"default", name});
  const char* side = random.Uniform(2) == 0 ? "left" : "right";
  objects.Put(ConfigMaps(), R"({"metadata":{"name":")" + name + R"(","labels":{"side":")" + side +
                                R"("}},"data":{"v":")" + std::to_string(random.Uniform(1000)) +
                                "\"}}");
}

TEST_P(InformerFaultTest, EndsEqualToTheStore) {
  SeededRandom random(GetParam());
  ManualExecutor executor;
  FakeApi api(executor, GetParam());
  api.SetStreamedLists(random.Uniform(2) == 0);
  api.SetDelay(milliseconds(random.Uniform(50)));
  api.SetWatchDelay(milliseconds(random.Uniform(50)));
  const auto set = MakeInformerSet(Client(api, "test"), random);
  Informer& all = set->For(ConfigMaps());
  Informer& left = set->For(ConfigMaps(), {.label_selector = "side=left"});
  Follower all_follower, left_follower;
  all.AddHandler(&all_follower);
  left.AddHandler(&left_follower);
  set->Start();
  for (int step = 0; step < 400; ++step) {
    for (uint64_t writes = random.Uniform(5); writes > 0; --writes) {
      WriteOnce(api.objects(), random);
    }
    if (random.Uniform(10) == 0) DisturbOnce(api, random);
    executor.Advance(milliseconds(random.Uniform(1000)));
  }
  api.HoldWatches(false);
  executor.Advance(minutes(10));
  ASSERT_TRUE(set->synced());
  const auto expect = [&](const Informer& informer, const Follower& follower,
                          std::string_view selector) {
    const auto matches = FakeObjects::Matcher("", selector, "").value();
    std::map<ObjectName, std::string> stored, held, told;
    for (const ObjectPtr& object : api.objects().All(ConfigMaps())) {
      if (matches(*object)) stored[NameOf(*object)] = ResourceVersionOf(*object);
    }
    for (const ObjectPtr& object : informer.List()) {
      held[NameOf(*object)] = ResourceVersionOf(*object);
    }
    for (const auto& [name, object] : follower.known) told[name] = ResourceVersionOf(*object);
    EXPECT_EQ(held, stored);
    EXPECT_EQ(told, stored);
  };
  expect(all, all_follower, "");
  expect(left, left_follower, "side=left");
  api.Close();
}

INSTANTIATE_TEST_SUITE_P(Seeds, InformerFaultTest, ::testing::Range(uint64_t{1}, uint64_t{60}));

}  // namespace
}  // namespace skiff::client

#include "controllers/garbage_collector.h"

#include <algorithm>

#include "controllers/deletion_testing.h"

namespace skiff::controllers {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class GarbageCollectorTest : public DeletionTest {
 protected:
  GarbageCollectorTest() { api_.objects().AddCustom(Widgets()); }

  void Start() { Run(MakeGarbageCollector); }

  // A chain in which each owns the next.
  void PutChain(bool blocks) {
    const client::ObjectPtr top = Put(ConfigMaps(), {.name = "top"});
    const client::ObjectPtr middle =
        Put(Secrets(), {.name = "middle", .owners = {OwnerJson(ConfigMaps(), top, blocks)}});
    Put(Widgets(), {.name = "bottom", .owners = {OwnerJson(Secrets(), middle, blocks)}});
  }
};

TEST_F(GarbageCollectorTest, DependentsOfADeletedOwnerGoAllTheWayDown) {
  PutChain(false);
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Background"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "top"), nullptr);
  EXPECT_EQ(Find(Secrets(), "middle"), nullptr);
  EXPECT_EQ(Find(Widgets(), "bottom"), nullptr);
  EXPECT_TRUE(controller_->idle());
}

TEST_F(GarbageCollectorTest, ForegroundDeletionKeepsTheOwnerUntilBlockingDependentsAreGone) {
  const client::ObjectPtr top = Put(ConfigMaps(), {.name = "top"});
  Put(Secrets(), {.name = "held",
                  .owners = {OwnerJson(ConfigMaps(), top, true)},
                  .finalizer = "example.com/hold"});
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Foreground"));
  Pass(minutes(5));
  ASSERT_NE(Find(ConfigMaps(), "top"), nullptr);
  ASSERT_NE(Find(Secrets(), "held"), nullptr);
  EXPECT_TRUE(client::IsDeleting(*Find(Secrets(), "held")));

  api_.objects().Remove(Secrets(), {.name_space = "default", .name = "held"});
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "top"), nullptr);
}

TEST_F(GarbageCollectorTest, ForegroundDeletionDoesNotWaitForDependentsThatDoNotBlock) {
  const client::ObjectPtr top = Put(ConfigMaps(), {.name = "top"});
  Put(Secrets(),
      {.name = "held", .owners = {OwnerJson(ConfigMaps(), top)}, .finalizer = "example.com/hold"});
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Foreground"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "top"), nullptr);
  EXPECT_TRUE(client::IsDeleting(*Find(Secrets(), "held")));
}

TEST_F(GarbageCollectorTest, ForegroundDeletionGoesThroughAChainFromTheBottom) {
  PutChain(true);
  Start();
  std::vector<std::string> gone;
  const auto note = [&](const client::ApiResource& resource, const std::string& name) {
    const bool noted = std::ranges::find(gone, name) != gone.end();
    if (!noted && Find(resource, name) == nullptr) gone.push_back(name);
  };
  const uint64_t listener = api_.objects().Listen([&] {
    note(ConfigMaps(), "top");
    note(Secrets(), "middle");
    note(Widgets(), "bottom");
  });
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Foreground"));
  Pass(seconds(5));
  api_.objects().StopListening(listener);
  EXPECT_EQ(gone, (std::vector<std::string>{"bottom", "middle", "top"}));
}

TEST_F(GarbageCollectorTest, OrphanedDependentsStayWithoutTheirOwner) {
  const client::ObjectPtr top = Put(ConfigMaps(), {.name = "top"});
  const client::ObjectPtr other = Put(ConfigMaps(), {.name = "other"});
  for (int i = 0; i < 50; ++i) {
    Put(Secrets(), {.name = "s" + std::to_string(i), .owners = {OwnerJson(ConfigMaps(), top)}});
  }
  Put(Widgets(), {.name = "w",
                  .owners = {OwnerJson(ConfigMaps(), other), OwnerJson(ConfigMaps(), top, true)}});
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Orphan"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "top"), nullptr);
  EXPECT_EQ(api_.objects().All(Secrets()).size(), 50U);
  EXPECT_EQ(OwnerCount(Secrets(), "s7"), 0U);
  ASSERT_EQ(OwnerCount(Widgets(), "w"), 1U);
  EXPECT_EQ(OwnersOf(*Find(Widgets(), "w"))[0].name, "other");
}

TEST_F(GarbageCollectorTest, OrphaningGoesOnAfterFailures) {
  const client::ObjectPtr top = Put(ConfigMaps(), {.name = "top"});
  Put(Secrets(), {.name = "s", .owners = {OwnerJson(ConfigMaps(), top)}});
  Start();
  api_.FailNext(client::ClientVerb::kPatch, 3, Status(StatusReason::kInternalError, "injected"));
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Orphan"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "top"), nullptr);
  EXPECT_EQ(OwnerCount(Secrets(), "s"), 0U);
}

TEST_F(GarbageCollectorTest, AnObjectWithALivingOwnerLosesOnlyDeadReferences) {
  const client::ObjectPtr alive = Put(ConfigMaps(), {.name = "alive"});
  Put(Secrets(),
      {.name = "s",
       .owners = {OwnerJson(ConfigMaps(), "gone", "no-such-uid"), OwnerJson(ConfigMaps(), alive)}});
  Start();
  Pass(seconds(2));
  ASSERT_NE(Find(Secrets(), "s"), nullptr);
  ASSERT_EQ(OwnerCount(Secrets(), "s"), 1U);
  EXPECT_EQ(OwnersOf(*Find(Secrets(), "s"))[0].uid, client::UidOf(*alive));
}

TEST_F(GarbageCollectorTest, ReferencesToAnOwnerThatWaitsAreTakenFromWhoHasAnother) {
  const client::ObjectPtr waits = Put(ConfigMaps(), {.name = "waits"});
  const client::ObjectPtr alive = Put(ConfigMaps(), {.name = "alive"});
  Put(Widgets(),
      {.name = "w",
       .owners = {OwnerJson(ConfigMaps(), waits, true), OwnerJson(ConfigMaps(), alive)}});
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "waits", "Foreground"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "waits"), nullptr);
  ASSERT_NE(Find(Widgets(), "w"), nullptr);
  EXPECT_EQ(OwnerCount(Widgets(), "w"), 1U);
}

TEST_F(GarbageCollectorTest, ObjectsThatNeverHadAnOwnerStay) {
  Put(ConfigMaps(), {.name = "a"});
  Start();
  Pass(minutes(10));
  EXPECT_NE(Find(ConfigMaps(), "a"), nullptr);
}

TEST_F(GarbageCollectorTest, AnOwnerOfTheSameNameAndAnotherUidIsAnother) {
  Put(ConfigMaps(), {.name = "owner", .uid = "new"});
  Put(Secrets(), {.name = "of-the-old", .owners = {OwnerJson(ConfigMaps(), "owner", "old")}});
  Put(Secrets(), {.name = "of-the-new", .owners = {OwnerJson(ConfigMaps(), "owner", "new")}});
  Start();
  Pass(seconds(2));
  EXPECT_EQ(Find(Secrets(), "of-the-old"), nullptr);
  EXPECT_NE(Find(Secrets(), "of-the-new"), nullptr);
}

TEST_F(GarbageCollectorTest, AnOwnerThatIsReplacedWhileNobodyLooksLeavesGarbage) {
  Put(ConfigMaps(), {.name = "owner", .uid = "old"});
  Put(Secrets(), {.name = "s", .owners = {OwnerJson(ConfigMaps(), "owner", "old")}});
  Start();
  Pass(seconds(1));
  ASSERT_NE(Find(Secrets(), "s"), nullptr);
  api_.HoldWatches(true);
  api_.objects().Remove(ConfigMaps(), {.name_space = "default", .name = "owner"});
  Put(ConfigMaps(), {.name = "owner", .uid = "new"});
  api_.objects().ExpireHistory();
  api_.BreakWatches(Status(StatusReason::kExpired, "too old"));
  api_.HoldWatches(false);
  Pass(minutes(2));
  EXPECT_EQ(Find(Secrets(), "s"), nullptr);
  EXPECT_NE(Find(ConfigMaps(), "owner"), nullptr);
}

TEST_F(GarbageCollectorTest, OwnersOfAnotherNamespaceAreAbsentAndToldOf) {
  const client::ObjectPtr owner =
      Put(ConfigMaps(), {.name_space = "a", .name = "owner", .uid = "u"});
  Put(Secrets(), {.name_space = "a", .name = "good", .owners = {OwnerJson(ConfigMaps(), owner)}});
  Put(Secrets(), {.name_space = "b", .name = "bad", .owners = {OwnerJson(ConfigMaps(), owner)}});
  Start();
  Pass(minutes(1));
  EXPECT_NE(Find(Secrets(), "good", "a"), nullptr);
  EXPECT_EQ(Find(Secrets(), "bad", "b"), nullptr);
  ASSERT_EQ(events_.told.size(), 1U);
  EXPECT_EQ(events_.told[0],
            "Warning OwnerRefInvalidNamespace b/bad: ownerRef [v1/ConfigMap, namespace: b, name: "
            "owner, uid: u] does not exist in namespace \"b\"");
}

TEST_F(GarbageCollectorTest, ABadReferenceFromElsewhereDoesNotHarmTheGoodOnes) {
  // The bad ones are seen long before the owner and the good ones are.
  for (int i = 0; i < 5; ++i) {
    Put(Secrets(), {.name_space = "a",
                    .name = "bad" + std::to_string(i),
                    .owners = {OwnerJson(ConfigMaps(), "owner", "u")},
                    .finalizer = "example.com/hold"});
  }
  Start();
  Pass(seconds(10));
  Put(ConfigMaps(), {.name_space = "b", .name = "owner", .uid = "u"});
  Put(Secrets(),
      {.name_space = "b", .name = "good", .owners = {OwnerJson(ConfigMaps(), "owner", "u")}});
  Pass(minutes(20));
  EXPECT_NE(Find(Secrets(), "good", "b"), nullptr);
  EXPECT_TRUE(client::IsDeleting(*Find(Secrets(), "bad0", "a")));
}

TEST_F(GarbageCollectorTest, ClusterWideOwnersHaveDependentsInManyNamespaces) {
  const client::ObjectPtr owner = Put(Classes(), {.name = "owner"});
  for (const char* name_space : {"a", "b", "c"}) {
    Put(Secrets(),
        {.name_space = name_space, .name = "s", .owners = {OwnerJson(Classes(), owner)}});
  }
  Put(Classes(), {.name = "dependent", .owners = {OwnerJson(Classes(), owner)}});
  Start();
  Pass(minutes(1));
  EXPECT_EQ(api_.objects().All(Secrets()).size(), 3U);
  ASSERT_TRUE(Delete(Classes(), "owner", "Background"));
  Pass(seconds(2));
  EXPECT_EQ(api_.objects().All(Secrets()).size(), 0U);
  EXPECT_EQ(Find(Classes(), "dependent"), nullptr);
}

TEST_F(GarbageCollectorTest, MissingClusterWideOwnersLeaveNothingInAnyNamespace) {
  for (int i = 0; i < 30; ++i) {
    Put(Secrets(), {.name_space = "n" + std::to_string(i),
                    .name = "s",
                    .owners = {OwnerJson(Classes(), "owner", "gone")}});
  }
  Start();
  Pass(seconds(2));
  EXPECT_EQ(api_.objects().All(Secrets()).size(), 0U);
}

TEST_F(GarbageCollectorTest, ClusterWideObjectsWithAnOwnerInANamespaceAreLeftAlone) {
  Put(Classes(), {.name = "c", .owners = {OwnerJson(ConfigMaps(), "nowhere", "gone")}});
  Start();
  Pass(minutes(30));
  EXPECT_NE(Find(Classes(), "c"), nullptr);
}

TEST_F(GarbageCollectorTest, ReferencesFromOutsideTheNamespaceDoNotKeepTheOwnerWaiting) {
  const client::ObjectPtr owner = Put(ConfigMaps(), {.name = "owner"});
  Put(Classes(), {.name = "c", .owners = {OwnerJson(ConfigMaps(), owner, true)}});
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "owner", "Foreground"));
  Pass(seconds(2));
  EXPECT_EQ(Find(ConfigMaps(), "owner"), nullptr);
  EXPECT_NE(Find(Classes(), "c"), nullptr);
}

TEST_F(GarbageCollectorTest, AnObjectThatMustStayKeepsNoOwnerWaiting) {
  const client::ObjectPtr owner = Put(Classes(), {.name = "owner"});
  Put(Classes(), {.name = "c",
                  .owners = {OwnerJson(Classes(), owner, true),
                             OwnerJson(ConfigMaps(), "nowhere", "gone", true)}});
  Start();
  ASSERT_TRUE(Delete(Classes(), "owner", "Foreground"));
  Pass(seconds(2));
  EXPECT_EQ(Find(Classes(), "owner"), nullptr);
  EXPECT_EQ(OwnerCount(Classes(), "c"), 1U);
}

TEST_F(GarbageCollectorTest, WhoLosesTheOwnerThatKeptItIsJudgedAgain) {
  const std::string dangling = OwnerJson(Classes(), "missing", "gone");
  Put(Classes(), {.name = "c", .owners = {dangling, OwnerJson(ConfigMaps(), "nowhere", "x")}});
  Start();
  Pass(seconds(2));
  ASSERT_NE(Find(Classes(), "c"), nullptr);
  Put(Classes(), {.name = "c", .owners = {dangling}});
  Pass(seconds(2));
  EXPECT_EQ(Find(Classes(), "c"), nullptr);
}

TEST_F(GarbageCollectorTest, OwnersOfAKindThatIsNotServedKeepTheirDependents) {
  const client::ApiResource gadgets{
      .group = "example.com", .version = "v1", .name = "gadgets", .kind = "Gadget"};
  Put(Secrets(), {.name = "s", .owners = {OwnerJson(gadgets, "g", "gone")}});
  Start();
  Pass(minutes(30));
  EXPECT_NE(Find(Secrets(), "s"), nullptr);
  EXPECT_TRUE(controller_->idle());
  // It turns out that there is such a kind, and no such object.
  api_.objects().AddCustom(gadgets);
  Pass(minutes(1));
  EXPECT_EQ(Find(Secrets(), "s"), nullptr);
}

TEST_F(GarbageCollectorTest, NewKindsAreFoundAndTheirObjectsOwn) {
  const client::ApiResource gadgets{
      .group = "example.com", .version = "v1", .name = "gadgets", .kind = "Gadget"};
  Start();
  api_.objects().AddCustom(gadgets);
  const client::ObjectPtr owner = Put(gadgets, {.name = "g"});
  Put(gadgets, {.name = "dependent", .owners = {OwnerJson(gadgets, owner)}});
  Pass(minutes(1));
  EXPECT_NE(Find(gadgets, "dependent"), nullptr);
  ASSERT_TRUE(Delete(gadgets, "g", "Background"));
  Pass(seconds(2));
  EXPECT_EQ(Find(gadgets, "dependent"), nullptr);
}

TEST_F(GarbageCollectorTest, KindsThatGoAwayAreNoLongerWatched) {
  Put(Widgets(), {.name = "w"});
  Start();
  const size_t watches = api_.open_watches();
  api_.objects().RemoveCustom(Widgets());
  Pass(minutes(1));
  EXPECT_EQ(api_.open_watches(), watches - 1);
}

TEST_F(GarbageCollectorTest, AGroupThatDoesNotAnswerKeepsItsWatchAndItsDependents) {
  const client::ObjectPtr owner = Put(Widgets(), {.name = "w"});
  Put(Secrets(), {.name = "s", .owners = {OwnerJson(Widgets(), owner)}});
  Start();
  const size_t watches = api_.open_watches();
  api_.objects().SetUnavailable({"example.com/v1"});
  Pass(minutes(5));
  EXPECT_NE(Find(Secrets(), "s"), nullptr);
  EXPECT_EQ(api_.open_watches(), watches);
  api_.objects().SetUnavailable({});
  ASSERT_TRUE(Delete(Widgets(), "w", "Background"));
  Pass(minutes(2));
  EXPECT_EQ(Find(Secrets(), "s"), nullptr);
}

TEST_F(GarbageCollectorTest, FailuresAreTriedAgain) {
  PutChain(false);
  Start();
  api_.Fail({.verb = client::ClientVerb::kGet, .times = 8});
  api_.Fail({.verb = client::ClientVerb::kDelete, .times = 3});
  api_.Fail({.verb = client::ClientVerb::kDelete, .times = 1, .carried_out = true});
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Background"));
  Pass(minutes(10));
  EXPECT_EQ(Find(Widgets(), "bottom"), nullptr);
}

TEST_F(GarbageCollectorTest, DiscoveryThatFailsIsTriedAgain) {
  PutChain(false);
  api_.FailDiscovery(5, Status(StatusReason::kServiceUnavailable, "not yet"));
  Start();
  ASSERT_TRUE(Delete(ConfigMaps(), "top", "Background"));
  Pass(minutes(2));
  EXPECT_EQ(Find(Widgets(), "bottom"), nullptr);
  EXPECT_TRUE(registry_.Text().contains("garbagecollector_controller_resources_sync_error_total 5"))
      << registry_.Text();
}

TEST_F(GarbageCollectorTest, AnOwnerThatComesWhileTheDeletionIsDecidedSavesTheObject) {
  const client::ObjectPtr owner = Put(ConfigMaps(), {.name = "owner"});
  const client::ObjectPtr other = Put(ConfigMaps(), {.name = "other"});
  Put(Secrets(), {.name = "s", .owners = {OwnerJson(ConfigMaps(), owner)}});
  Start();
  api_.SetDelay(std::chrono::milliseconds(100));
  ASSERT_TRUE(Delete(ConfigMaps(), "owner", "Background"));
  // The object has been read when it gets another owner, but not yet deleted.
  Pass(std::chrono::milliseconds(120));
  ASSERT_NE(Find(Secrets(), "s"), nullptr);
  Put(Secrets(),
      {.name = "s", .owners = {OwnerJson(ConfigMaps(), owner), OwnerJson(ConfigMaps(), other)}});
  Pass(minutes(1));
  ASSERT_NE(Find(Secrets(), "s"), nullptr);
  EXPECT_EQ(OwnerCount(Secrets(), "s"), 1U);
}

TEST_F(GarbageCollectorTest, HowSomebodyElseDeletesAnObjectMeanwhileStands) {
  const client::ObjectPtr owner = Put(ConfigMaps(), {.name = "owner"});
  const client::ObjectPtr middle =
      Put(Secrets(), {.name = "middle", .owners = {OwnerJson(ConfigMaps(), owner)}});
  Put(ConfigMaps(), {.name = "leaf",
                     .owners = {OwnerJson(Secrets(), middle, true)},
                     .finalizer = "example.com/hold"});
  Start();
  api_.SetDelay(std::chrono::milliseconds(100));
  ASSERT_TRUE(Delete(ConfigMaps(), "owner", "Background"));
  // The object has been read when somebody deletes it, but its deletion is still on its way.
  Pass(std::chrono::milliseconds(120));
  ASSERT_TRUE(Delete(Secrets(), "middle", "Foreground"));
  Pass(minutes(1));
  EXPECT_NE(Find(ConfigMaps(), "leaf"), nullptr);
  EXPECT_NE(Find(Secrets(), "middle"), nullptr);
}

TEST_F(GarbageCollectorTest, ChangesThatDoNotConcernOwnersDoNotSaveTheObject) {
  const client::ObjectPtr owner = Put(ConfigMaps(), {.name = "owner"});
  const std::vector<std::string> owners = {OwnerJson(ConfigMaps(), owner)};
  Put(Secrets(), {.name = "s", .owners = owners});
  Start();
  api_.SetDelay(std::chrono::milliseconds(100));
  ASSERT_TRUE(Delete(ConfigMaps(), "owner", "Background"));
  for (int i = 0; i < 20 && Find(Secrets(), "s") != nullptr; ++i) {
    Put(Secrets(), {.name = "s", .owners = owners});
    Pass(std::chrono::milliseconds(130));
  }
  EXPECT_EQ(Find(Secrets(), "s"), nullptr);
}

struct Circle {
  const char* title;
  int size;
  bool all_at_once;
};

class CircleTest : public DeletionTest, public ::testing::WithParamInterface<Circle> {};

TEST_P(CircleTest, OwnersThatWaitForEachOtherInTheForegroundAllGo) {
  const auto [title, size, all_at_once] = GetParam();
  for (int i = 0; i < size; ++i) {
    const int owner = (i + 1) % size;
    Put(ConfigMaps(), {.name = "c" + std::to_string(i),
                       .owners = {OwnerJson(ConfigMaps(), "c" + std::to_string(owner),
                                            "uid-" + std::to_string(owner), true)},
                       .uid = "uid-" + std::to_string(i)});
  }
  Run(MakeGarbageCollector);
  Pass(minutes(1));
  EXPECT_EQ(api_.objects().All(ConfigMaps()).size(), static_cast<size_t>(size));
  for (int i = 0; i < (all_at_once ? size : 1); ++i) {
    ASSERT_TRUE(Delete(ConfigMaps(), "c" + std::to_string(i), "Foreground"));
  }
  Pass(minutes(5));
  EXPECT_EQ(api_.objects().All(ConfigMaps()).size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Circles, CircleTest,
                         ::testing::Values(Circle{"Alone", 1, false}, Circle{"Two", 2, false},
                                           Circle{"Three", 3, false}, Circle{"Nine", 9, false},
                                           Circle{"TwoAtOnce", 2, true},
                                           Circle{"FiveAtOnce", 5, true}),
                         [](const auto& circle) { return std::string(circle.param.title); });

TEST_F(GarbageCollectorTest, NothingIsAskedWhileNothingChanges) {
  PutChain(true);
  Start();
  Pass(minutes(1));
  api_.ForgetCalls();
  Pass(std::chrono::hours(1));
  EXPECT_EQ(api_.calls().size(), 0U);
}

TEST_F(GarbageCollectorTest, ThousandsOfDependentsGoQuickly) {
  const client::ObjectPtr owner = Put(ConfigMaps(), {.name = "owner"});
  for (int i = 0; i < 3000; ++i) {
    Put(Secrets(), {.name = "s" + std::to_string(i), .owners = {OwnerJson(ConfigMaps(), owner)}});
  }
  Start();
  api_.SetDelay(std::chrono::milliseconds(2));
  ASSERT_TRUE(Delete(ConfigMaps(), "owner", "Background"));
  Pass(seconds(10));
  EXPECT_EQ(api_.objects().All(Secrets()).size(), 0U);
}

}  // namespace
}  // namespace skiff::controllers

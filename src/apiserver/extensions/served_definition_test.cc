#include "apiserver/extensions/served_definition.h"

#include <gtest/gtest.h>

#include "apiserver/defaults/defaults.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/registry/use_kinds.h"
#include "base/feature_gates.h"
#include "store/cache/scripted_store.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kThings = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "things.example.com", "uid": "u"},
  "spec": {"group": "example.com", "scope": "Namespaced",
    "names": {"plural": "things", "kind": "Thing"},
    "versions": [{"name": "v1", "served": true, "storage": true,
      "selectableFields": [{"jsonPath": ".spec.color"}],
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"color": {"type": "string", "default": "red"}}}}}}}]},
  "status": {"acceptedNames": {"plural": "things", "singular": "thing", "kind": "Thing",
             "listKind": "ThingList"}}})";
constexpr std::string_view kThing =
    R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns"},)"
    R"("spec":{"color":"blue"}})";

class ServedDefinitionTest : public testing::Test {
 protected:
  void SetUp() override {
    UseKinds();
    auto storages = StorageSet::Make({}, environment_);
    ASSERT_TRUE(storages);
    storages_ = std::move(*storages);
    store_.Put("/registry/example.com/things/ns/a", kThing);
  }

  std::shared_ptr<const CustomDefinition> Definition() {
    const Result<object::Document> object = ReadDefinition(kThings);
    EXPECT_TRUE(object);
    auto made =
        CustomDefinition::Make(*object, SharedBytes(kThings), std::make_shared<PatternCache>());
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  CustomServing Serving() { return {*storages_, environment_, rest_}; }
  std::shared_ptr<ServedDefinition> Serve() {
    return std::make_shared<ServedDefinition>(Definition(), Serving());
  }

  SystemClock clock_;
  SystemRandom random_;
  store::ScriptedStore store_;
  store::LeasePool leases_{store_, clock_};
  const FeatureGates gates_;
  const KindSettings settings_{.gates = gates_, .allow_privileged = true};
  std::unique_ptr<const DefaultPlans> defaults_ = DefaultsOfKinds(gates_, &clock_);
  StorageEnvironment environment_{.store = store_,
                                  .clock = clock_,
                                  .random = random_,
                                  .leases = leases_,
                                  .defaults = *defaults_};
  Deadlines deadlines_{clock_};
  RestContext rest_{.clock = clock_,
                    .random = random_,
                    .deadlines = deadlines_,
                    .defaults = *defaults_,
                    .settings = settings_};
  std::unique_ptr<StorageSet> storages_;
};

TEST_F(ServedDefinitionTest, WhoeverWaitsForItsCacheGoesOnWhenItIsFilled) {
  store_.hold_scans = true;
  const auto served = Serve();
  int went_on = 0;
  served->WhenReady([&] { ++went_on; });
  served->WhenReady([&] { ++went_on; });
  EXPECT_EQ(went_on, 0);
  EXPECT_EQ(served->storage(), nullptr);
  store_.ReleaseScans();
  EXPECT_EQ(went_on, 2);
  ASSERT_NE(served->storage(), nullptr);
  EXPECT_EQ(store_.scans, 1);
}

// What the store still reads for it refers to its tables: a sanitized build would tell.
TEST_F(ServedDefinitionTest, ItMayGoWhileItsCacheIsBeingFilled) {
  store_.hold_scans = true;
  store_.hold_ranges = true;
  auto served = Serve();
  bool went_on = false;
  served->WhenReady([&] { went_on = true; });
  bool answered = false;
  served->Retire();
  EXPECT_TRUE(went_on);
  if (served->storage() != nullptr) {
    served->storage()->cache().Get({.name_space = "ns", .name = "a"},
                                   [&](const Result<store::CacheGetReply>&) { answered = true; });
  }
  served.reset();
  store_.ReleaseScans();
  store_.ReleaseRanges();
  EXPECT_TRUE(answered);
  EXPECT_EQ(store_.watch_count(), 0u);
}

TEST_F(ServedDefinitionTest, OneThatIsRetiredReadsNothingOfTheStore) {
  const auto served = Serve();
  served->Retire();
  bool went_on = false;
  served->WhenReady([&] { went_on = true; });
  EXPECT_TRUE(went_on);
  EXPECT_EQ(served->storage(), nullptr);
  EXPECT_EQ(store_.scans, 0);
}

TEST_F(ServedDefinitionTest, OneThatIsServedNoMoreIsCountedAsLongAsItIsHeld) {
  const FeatureGates gates;
  CustomResources resources(std::make_shared<const ServedResources>(RuntimeConfig(), gates),
                            Serving());
  auto first = resources.Publish(Definition());
  EXPECT_EQ(resources.retired(), 0u);
  auto second = resources.Publish(Definition());
  EXPECT_TRUE(first->retired());
  EXPECT_EQ(resources.retired(), 1u);
  resources.Withdraw("example.com", "things");
  EXPECT_EQ(resources.retired(), 2u);
  first.reset();
  EXPECT_EQ(resources.retired(), 1u);
  second.reset();
  resources.Tick();
  EXPECT_EQ(resources.retired(), 0u);
}

TEST_F(ServedDefinitionTest, OneThatIsBeingDeletedTakesNothingNewFromTheFirstMoment) {
  const FeatureGates gates;
  CustomResources resources(std::make_shared<const ServedResources>(RuntimeConfig(), gates),
                            Serving());
  EXPECT_TRUE(resources.Publish(Definition(), true)->terminating());
  EXPECT_FALSE(resources.Publish(Definition())->terminating());
  resources.Withdraw("example.com", "things");
  // Reached by who cleans up, and by nobody else.
  const auto unpublished = resources.MakeUnpublished(Definition());
  EXPECT_TRUE(unpublished->terminating());
  EXPECT_EQ(resources.Find("example.com", "things"), nullptr);
  bool ready = false;
  unpublished->WhenReady([&] { ready = true; });
  EXPECT_TRUE(ready);
  EXPECT_NE(unpublished->storage(), nullptr);
}

}  // namespace
}  // namespace skiff::apiserver

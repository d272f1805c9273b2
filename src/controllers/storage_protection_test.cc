// The three loops that keep storage while it is in use: claims, volumes, attribute classes.
#include "controllers/objects.h"
#include "controllers/queue_controller_testing.h"
#include "controllers/volume_attributes_class_protection.h"
#include "controllers/volume_claim_protection.h"
#include "controllers/volume_protection.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Pods() { return client::BuiltIn("", "v1", "pods"); }
const client::ApiResource& Claims() { return client::BuiltIn("", "v1", "persistentvolumeclaims"); }
const client::ApiResource& Volumes() { return client::BuiltIn("", "v1", "persistentvolumes"); }
const client::ApiResource& Classes() {
  return client::BuiltIn("storage.k8s.io", "v1", "volumeattributesclasses");
}

class VolumeClaimProtectionTest : public ControllerTest {
 protected:
  void PutClaim(const std::string& name, const std::string& metadata = {}) {
    Put(Claims(), "{\"metadata\":{\"name\":\"" + name +
                      "\",\"namespace\":\"a\",\"finalizers\":[\"kubernetes.io/pvc-protection\"]" +
                      metadata + "}}");
  }
  client::ObjectPtr PutPod(const std::string& name, const std::string& node,
                           const std::string& volume, const std::string& metadata = {}) {
    return Put(Pods(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"a\"" + metadata +
                           "},\"spec\":{\"nodeName\":\"" + node +
                           "\",\"volumes\":[{\"name\":\"v\"," + volume + "}]}}");
  }
  static std::string Volume(const std::string& claim) {
    return "\"persistentVolumeClaim\":{\"claimName\":\"" + claim + "\"}";
  }
  bool IsThere(const std::string& name) { return Find(Claims(), "a", name) != nullptr; }
};

TEST_F(VolumeClaimProtectionTest, AClaimGoesWhenNoPodUsesIt) {
  PutClaim("unused");
  PutClaim("used");
  PutClaim("kept");
  PutPod("p", "n", Volume("used"));
  PutPod("unscheduled", "", Volume("unused"));
  Run(MakeVolumeClaimProtectionController);
  Delete(Claims(), "a", "unused");
  Delete(Claims(), "a", "used");
  Settle();
  EXPECT_FALSE(IsThere("unused"));
  EXPECT_TRUE(IsThere("used"));
  ExpectQuiet();
  Remove(Pods(), "a", "p");
  Settle();
  EXPECT_FALSE(IsThere("used"));
  EXPECT_TRUE(IsThere("kept"));
}

TEST_F(VolumeClaimProtectionTest, AnEphemeralVolumesClaimBelongsToItsPod) {
  const client::ObjectPtr pod = PutPod("p", "n", "\"ephemeral\":{}");
  const std::string owner =
      ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\","
      "\"controller\":true,\"uid\":\"";
  PutClaim("p-v", owner + std::string(client::UidOf(*pod)) + "\"}]");
  Run(MakeVolumeClaimProtectionController);
  Delete(Claims(), "a", "p-v");
  Settle();
  EXPECT_TRUE(IsThere("p-v"));
  // Only finalizers keep the pod.
  PutPod("p", "n", "\"ephemeral\":{}",
         ",\"finalizers\":[\"x/y\"],\"deletionGracePeriodSeconds\":0,\"deletionTimestamp\":\"" +
             TimeFromNow({}) + "\"");
  Settle();
  EXPECT_FALSE(IsThere("p-v"));
}

TEST_F(VolumeClaimProtectionTest, APodThatIsNotSeenYetKeepsItsClaim) {
  PutClaim("c");
  Run(MakeVolumeClaimProtectionController);
  api_.HoldWatches(true);
  PutPod("p", "n", Volume("c"));
  api_.HoldWatches(false);
  api_.Fail({.verb = client::ClientVerb::kList, .resource = "pods", .times = 2});
  Delete(Claims(), "a", "c");
  Settle();
  EXPECT_TRUE(IsThere("c"));
}

TEST_F(VolumeClaimProtectionTest, PodsAreListedOnceForManyClaims) {
  for (int i = 0; i < 20; ++i) PutClaim("c" + std::to_string(i));
  Run(MakeVolumeClaimProtectionController);
  for (int i = 0; i < 20; ++i) Delete(Claims(), "a", "c" + std::to_string(i));
  api_.ForgetCalls();
  Settle();
  EXPECT_TRUE(api_.objects().All(Claims()).empty());
  EXPECT_LE(api_.CountOf(client::ClientVerb::kList, "pods"), 2U);
}

TEST_F(VolumeClaimProtectionTest, AClaimWithoutTheFinalizerGetsItAndFailuresAreTriedAgain) {
  Put(Claims(), R"({"metadata":{"name":"c","namespace":"a","finalizers":["x/y"]}})");
  api_.Fail({.verb = client::ClientVerb::kUpdate, .times = 3});
  Run(MakeVolumeClaimProtectionController);
  EXPECT_EQ(Json(Find(Claims(), "a", "c"), {"metadata", "finalizers"}),
            R"(["x/y","kubernetes.io/pvc-protection"])");
  ExpectQuiet();
}

class VolumeProtectionTest : public ControllerTest {
 protected:
  void PutVolume(const std::string& phase) {
    Put(Volumes(),
        "{\"metadata\":{\"name\":\"v\",\"finalizers\":[\"kubernetes.io/pv-protection\"]"
        "},\"status\":{\"phase\":\"" +
            phase + "\"}}");
  }
};

TEST_F(VolumeProtectionTest, AVolumeGoesOnceItIsNotBound) {
  PutVolume("Bound");
  Run(MakeVolumeProtectionController);
  Delete(Volumes(), "", "v");
  ExpectQuiet();
  const client::ObjectPtr volume = Find(Volumes(), "", "v");
  ASSERT_TRUE(volume);
  Put(Volumes(),
      "{\"metadata\":{\"name\":\"v\",\"finalizers\":[\"kubernetes.io/pv-protection\"],"
      "\"deletionTimestamp\":\"" +
          TimeFromNow({}) + "\"},\"status\":{\"phase\":\"Released\"}}");
  Settle();
  EXPECT_FALSE(Find(Volumes(), "", "v"));
}

TEST_F(VolumeProtectionTest, AVolumeWithoutTheFinalizerGetsIt) {
  Put(Volumes(), R"({"metadata":{"name":"v"}})");
  api_.Fail({.verb = client::ClientVerb::kUpdate, .times = 2});
  Run(MakeVolumeProtectionController);
  EXPECT_TRUE(HasFinalizer(*Find(Volumes(), "", "v"), "kubernetes.io/pv-protection"));
  ExpectQuiet();
}

using VolumeAttributesClassProtectionTest = ControllerTest;

TEST_F(VolumeAttributesClassProtectionTest, AClassGoesWhenNothingHasIt) {
  Put(Classes(), R"({"metadata":{"name":"gold"}})");
  Put(Claims(), R"({"metadata":{"name":"c","namespace":"a"},
      "spec":{"volumeAttributesClassName":"silver"},
      "status":{"currentVolumeAttributesClassName":"gold"}})");
  Put(Volumes(), R"({"metadata":{"name":"v"},"spec":{"volumeAttributesClassName":"gold"}})");
  Run(MakeVolumeAttributesClassProtectionController);
  EXPECT_TRUE(HasFinalizer(*Find(Classes(), "", "gold"), "kubernetes.io/vac-protection"));
  Delete(Classes(), "", "gold");
  Settle();
  EXPECT_TRUE(Find(Classes(), "", "gold"));
  Remove(Volumes(), "", "v");
  ExpectQuiet();
  EXPECT_TRUE(Find(Classes(), "", "gold"));
  Put(Claims(), R"({"metadata":{"name":"c","namespace":"a"},
      "spec":{"volumeAttributesClassName":"silver"}})");
  Settle();
  EXPECT_FALSE(Find(Classes(), "", "gold"));
}

}  // namespace
}  // namespace skiff::controllers

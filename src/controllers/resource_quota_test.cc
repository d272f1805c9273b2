#include "controllers/resource_quota.h"

#include <algorithm>

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const client::ApiResource& Quotas() { return client::BuiltIn("", "v1", "resourcequotas"); }
const client::ApiResource& Pods() { return client::BuiltIn("", "v1", "pods"); }
const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }

class ResourceQuotaTest : public ControllerTest {
 protected:
  void PutQuota(const std::string& hard, const std::string& spec = {},
                const std::string& status = "{}") {
    Put(Quotas(), "{\"metadata\":{\"name\":\"q\",\"namespace\":\"a\"},\"spec\":{\"hard\":{" + hard +
                      "}" + spec + "},\"status\":" + status + "}");
  }
  void PutPod(const std::string& name, const std::string& cpu, const std::string& phase = "Running",
              const std::string& name_space = "a") {
    Put(Pods(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" + name_space +
                    "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{"
                    "\"cpu\":\"" +
                    cpu + "\"}}}]},\"status\":{\"phase\":\"" + phase + "\"}}");
  }
  void PutMap(const std::string& name) {
    Put(ConfigMaps(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"a\"}}");
  }
  std::string Used() { return Json(Find(Quotas(), "a", "q"), {"status", "used"}); }
  std::string Hard() { return Json(Find(Quotas(), "a", "q"), {"status", "hard"}); }
  bool Watches(std::string_view resource) {
    return std::ranges::any_of(api_.watch_calls(), [&](const client::WatchCall& each) {
      return each.resource->name == resource;
    });
  }
};

TEST_F(ResourceQuotaTest, WhatANamespaceUsesIsCounted) {
  PutPod("a", "100m");
  PutPod("b", "300m");
  PutPod("ended", "1", "Succeeded");
  PutPod("elsewhere", "1", "Running", "b");
  PutMap("m");
  PutQuota(R"("requests.cpu":"2","pods":"10","configmaps":"5","count/configmaps":"5",)"
           R"("count/deployments.apps":"1","services.nodeports":"0","unheard.of":"1")");
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), R"({"configmaps":"1","count/configmaps":"1","count/deployments.apps":"0",)"
                    R"("pods":"2","requests.cpu":"400m","services.nodeports":"0"})");
  EXPECT_EQ(Hard(), Json(Find(Quotas(), "a", "q"), {"spec", "hard"}));
  ExpectQuiet();
}

TEST_F(ResourceQuotaTest, ScopesLimitWhatCounts) {
  PutPod("quick", "100m");
  Put(Pods(), R"({"metadata":{"name":"slow","namespace":"a"},"spec":{"activeDeadlineSeconds":5,
      "containers":[{"name":"c"}]},"status":{"phase":"Running"}})");
  PutQuota(R"("pods":"10")", R"(,"scopes":["Terminating"])");
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), R"({"pods":"1"})");
}

TEST_F(ResourceQuotaTest, WhatIsDeletedOrEndsIsGivenBackAtOnce) {
  PutPod("a", "100m");
  PutPod("b", "300m");
  PutMap("m");
  PutQuota(R"("requests.cpu":"2","count/configmaps":"5")");
  Run(MakeResourceQuotaController);
  Remove(Pods(), "a", "a");
  Remove(ConfigMaps(), "a", "m");
  Settle();
  EXPECT_EQ(Used(), R"({"count/configmaps":"0","requests.cpu":"300m"})");
  PutPod("b", "300m", "Failed");
  Settle();
  EXPECT_EQ(Used(), R"({"count/configmaps":"0","requests.cpu":"0"})");
}

TEST_F(ResourceQuotaTest, WhatIsMadeIsChargedByAdmissionAndFoundByTheNextRecountAtTheLatest) {
  PutQuota(R"("pods":"10")");
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), R"({"pods":"0"})");
  PutPod("p", "1");
  Settle();
  EXPECT_EQ(Used(), R"({"pods":"0"})");
  Pass(minutes(5));
  EXPECT_EQ(Used(), R"({"pods":"1"})");
}

TEST_F(ResourceQuotaTest, AChangedQuotaIsCountedAtOnceAndAChangedStatusIsNot) {
  PutMap("m");
  PutQuota(R"("pods":"10")");
  Run(MakeResourceQuotaController);
  PutQuota(R"("configmaps":"10")", "", R"({"hard":{"pods":"10"},"used":{"pods":"0"}})");
  Settle();
  EXPECT_EQ(Used(), R"({"configmaps":"1"})");
  PutQuota(R"("configmaps":"10")", "", R"({"hard":{"configmaps":"10"},"used":{"configmaps":"7"}})");
  Settle();
  EXPECT_EQ(Used(), R"({"configmaps":"7"})");
  Pass(minutes(5));
  EXPECT_EQ(Used(), R"({"configmaps":"1"})");
}

TEST_F(ResourceQuotaTest, OnlyWhatSomeQuotaCountsIsWatched) {
  Run(MakeResourceQuotaController);
  EXPECT_FALSE(Watches("pods"));
  EXPECT_EQ(api_.watch_calls().size(), 1U);
  PutQuota(R"("count/secrets":"10")");
  Settle();
  EXPECT_TRUE(Watches("secrets"));
  EXPECT_TRUE(api_.watch_calls().back().metadata_only);
  EXPECT_FALSE(Watches("pods"));
}

TEST_F(ResourceQuotaTest, WithTheLastQuotaTheWatchesGo) {
  PutQuota(R"("count/secrets":"10","pods":"1","requests.example.com/gpu":"1")");
  Run(MakeResourceQuotaController);
  EXPECT_GT(api_.open_watches(), 2U);
  Remove(Quotas(), "a", "q");
  Settle();
  EXPECT_EQ(api_.open_watches(), 1U);
  PutMap("m");
  PutQuota(R"("count/configmaps":"10","pods":"1")");
  Settle();
  EXPECT_EQ(Used(), R"({"count/configmaps":"1","pods":"0"})");
}

TEST_F(ResourceQuotaTest, AResourceThatIsGoneIsNoLongerWatched) {
  const client::ApiResource boats = {
      .group = "example.com", .version = "v1", .name = "boats", .kind = "Boat"};
  api_.objects().AddCustom(boats);
  PutQuota(R"("count/boats.example.com":"10","pods":"1")");
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), R"({"count/boats.example.com":"0","pods":"0"})");
  api_.objects().RemoveCustom(boats);
  Pass(minutes(6));
  api_.ForgetCalls();
  Pass(minutes(20));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kList, "boats"), 0U);
  EXPECT_EQ(Used(), R"({"count/boats.example.com":"0","pods":"0"})");
}

TEST_F(ResourceQuotaTest, ObjectsOfACustomResourceAreCountedOnceItIsServed) {
  PutQuota(R"("count/boats.example.com":"10")");
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), "");
  const client::ApiResource boats = {
      .group = "example.com", .version = "v1", .name = "boats", .kind = "Boat"};
  api_.objects().AddCustom(boats);
  Put(boats, R"({"metadata":{"name":"x","namespace":"a"}})");
  Pass(seconds(60));
  EXPECT_EQ(Used(), R"({"count/boats.example.com":"1"})");
}

TEST_F(ResourceQuotaTest, FailuresAreTriedAgain) {
  PutQuota(R"("pods":"10")");
  api_.FailDiscovery(2, Status(StatusReason::kServiceUnavailable, "down"));
  api_.Fail({.verb = client::ClientVerb::kUpdate, .times = 2});
  Run(MakeResourceQuotaController);
  EXPECT_EQ(Used(), R"({"pods":"0"})");
}

}  // namespace
}  // namespace skiff::controllers

#include "controllers/manager.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/random.h"
#include "client/testing.h"
#include "crypto/testing.h"

namespace skiff::controllers {
namespace {

using Texts = std::vector<std::string>;

std::string Fault(Texts controllers) {
  const Result<void> checked = CheckControllers(controllers);
  return checked ? "" : checked.error().message();
}

TEST(ControllerTableTest, IsSortedAndHasNoNameTwice) {
  std::set<std::string_view> names;
  std::string_view last;
  for (const ControllerSpec& spec : AllControllers()) {
    EXPECT_LT(last, spec.name);
    last = spec.name;
    EXPECT_TRUE(names.insert(spec.name).second);
    if (spec.alias.empty()) continue;
    EXPECT_TRUE(names.insert(spec.alias).second) << spec.alias;
  }
  EXPECT_EQ(AllControllers().size(), 52u);
}

TEST(ControllerNamesTest, NamesAliasesAndTheirNegationsAreKnown) {
  EXPECT_EQ(Fault({"*"}), "");
  EXPECT_EQ(Fault({"namespace-controller", "garbagecollector", "-ttl", "-deployment"}), "");
}

TEST(ControllerNamesTest, TheNearestNameIsSuggested) {
  EXPECT_NE(Fault({"namespce"}).find("did you mean namespace?"), std::string::npos);
  EXPECT_NE(Fault({"*", "-garbage-colector-controller"})
                .find("did you mean garbage-collector-controller?"),
            std::string::npos);
  EXPECT_EQ(Fault({"wholly-unlike-anything-there-is"}).find("did you mean"), std::string::npos);
  EXPECT_NE(Fault({""}), "");
}

class ManagerTest : public ::testing::Test {
 protected:
  ~ManagerTest() override {
    if (manager_ == nullptr) return;
    manager_->Stop();
    for (auto& [account, api] : ways_) api->Close();
    executor_.RunUntilIdle();
    manager_ = nullptr;
  }

  void Start(Texts controllers, ManagerOptions options = {}) {
    options.controllers = std::move(controllers);
    auto made = ControllerManager::Make(
        std::move(options),
        {.transport = [this](std::string_view account) -> client::ClientTransport& {
           auto& way = ways_[std::string(account)];
           if (way == nullptr) way = std::make_unique<client::FakeApi>(executor_);
           return *way;
         },
         .clock = executor_.clock(),
         .random = random_,
         .log = log_,
         .metrics = metrics_});
    ASSERT_TRUE(made) << made.error().message();
    manager_ = std::move(*made);
    manager_->Start();
  }
  bool Runs(std::string_view name) const {
    const auto running = manager_->running();
    return std::ranges::find(running, name) != running.end();
  }

  client::ManualExecutor executor_;
  SeededRandom random_{5};
  MemoryLogSink sink_;
  Log log_{executor_.clock(), sink_};
  MetricsRegistry registry_;
  ControllerMetrics metrics_{registry_};
  std::map<std::string, std::unique_ptr<client::FakeApi>> ways_;
  std::unique_ptr<ControllerManager> manager_;
};

TEST_F(ManagerTest, AStarStandsForWhatIsOnByDefault) {
  Start({"*"});
  EXPECT_TRUE(Runs("namespace-controller"));
  EXPECT_TRUE(Runs("garbage-collector-controller"));
  EXPECT_FALSE(Runs("bootstrap-signer-controller"));
  EXPECT_FALSE(Runs("deployment-controller")) << "it is not there yet";
}

TEST_F(ManagerTest, TheFirstMentionDecides) {
  Start({"bootstrapsigner", "-namespace", "*", "namespace-controller"});
  EXPECT_TRUE(Runs("bootstrap-signer-controller"));
  EXPECT_FALSE(Runs("namespace-controller"));
  EXPECT_TRUE(Runs("ttl-controller"));
}

TEST_F(ManagerTest, WithoutAStarOnlyWhatIsNamedRuns) {
  Start({"ttl"});
  EXPECT_EQ(manager_->running(), std::vector<std::string_view>{"ttl-controller"});
}

TEST_F(ManagerTest, TheLoopOfTokensRunsWhateverIsNamedIfItHasAKey) {
  ManagerOptions options;
  options.loops.service_account_private_key = testing::MakeKey("P-256").private_pem;
  Start({"ttl", "-serviceaccount-token"}, options);
  EXPECT_TRUE(Runs("serviceaccount-token-controller"));
}

TEST_F(ManagerTest, AGarbageCollectorThatIsOffIsNoLoop) {
  ManagerOptions options;
  options.loops.enable_garbage_collector = false;
  Start({"*"}, options);
  EXPECT_FALSE(Runs("garbage-collector-controller"));
}

TEST_F(ManagerTest, WithAnIntervalEachLoopStartsAfterItAndUpToTwiceAsMuch) {
  ManagerOptions options;
  options.start_interval = std::chrono::seconds(10);
  Start({"ttl"}, options);
  const auto running = [this] {
    return registry_.Text().contains("running_managed_controllers{") &&
           registry_.Text().contains("name=\"ttl-controller\"} 1");
  };
  executor_.Advance(std::chrono::seconds(9));
  EXPECT_FALSE(running());
  executor_.Advance(std::chrono::seconds(11));
  EXPECT_TRUE(running());
}

TEST_F(ManagerTest, EachLoopHasItsOwnIdentityAndInformersTheManagers) {
  Start({"ttl", "namespace"});
  std::vector<std::string> accounts;
  for (const auto& [account, way] : ways_) accounts.push_back(account);
  EXPECT_EQ(accounts, (Texts{"", "namespace-controller", "ttl-controller"}));
}

TEST_F(ManagerTest, ALoopThatIsNotThereYetIsWarnedOf) {
  Start({"deployment", "ttl"});
  EXPECT_NE(sink_.Text().find("deployment-controller"), std::string::npos);
}

TEST_F(ManagerTest, MetricsTellWhatRuns) {
  Start({"ttl"});
  const std::string cell =
      "running_managed_controllers{manager=\"kube-controller-manager\",name=\"ttl-controller\"} ";
  EXPECT_NE(registry_.Text().find(cell + "1"), std::string::npos);
  manager_->Stop();
  EXPECT_NE(registry_.Text().find(cell + "0"), std::string::npos);
}

TEST_F(ManagerTest, ALoopIsNotWellWhenItIsStoppedOrAStepNeverEnds) {
  Start({"ttl", "namespace"});
  executor_.RunUntilIdle();
  using Faults = std::map<std::string, std::string>;
  EXPECT_EQ(manager_->Faults(), (Faults{{"namespace-controller", ""}, {"ttl-controller", ""}}));
  // A namespace whose deletion waits for an answer that does not come.
  const client::ApiResource& namespaces = client::BuiltIn("", "v1", "namespaces");
  ways_[""]->objects().Put(
      namespaces,
      R"({"metadata":{"name":"a",)"
      R"("deletionTimestamp":"2020-01-01T00:00:00Z"},"spec":{"finalizers":["kubernetes"]}})");
  ways_["namespace-controller"]->SetDelay(std::chrono::hours(1));
  executor_.Advance(std::chrono::minutes(9));
  EXPECT_EQ(manager_->Faults().at("namespace-controller"), "");
  executor_.Advance(std::chrono::minutes(10));
  EXPECT_TRUE(manager_->Faults().at("namespace-controller").contains("a step of the loop"));
  EXPECT_EQ(manager_->Faults().at("ttl-controller"), "");
  manager_->Stop();
  EXPECT_EQ(manager_->Faults().at("ttl-controller"), "the loop was stopped");
}

}  // namespace
}  // namespace skiff::controllers

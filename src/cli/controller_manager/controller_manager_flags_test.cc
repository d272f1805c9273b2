#include "cli/controller_manager/controller_manager_flags.h"

#include <gtest/gtest.h>

#include "cli/common/flag_facts_testing.h"
#include "cli/controller_manager/controller_manager_config.h"
#include "object/json/decode.h"

namespace skiff::cli {
namespace {

class ControllerManagerFlagsTest : public testing::Test {
 protected:
  // "" or the error, of parsing or of what was parsed.
  std::string Parse(std::initializer_list<std::string_view> words) {
    line_ = {};
    Result<void> parsed = ParseControllerManagerFlags(std::vector<std::string_view>(words), line_);
    if (parsed) parsed = Validate(line_);
    return parsed ? "" : parsed.error().message();
  }

  ControllerManagerCommandLine line_;
};

TEST_F(ControllerManagerFlagsTest, SetsWhatItIsGiven) {
  EXPECT_EQ(Parse({"--kubeconfig=/k", "--controllers=*,-ttl", "--controllers=bootstrapsigner",
                   "--leader_elect=false", "--secure-port=0", "--kube-api-qps=50.5",
                   "--use-service-account-credentials", "--concurrent-gc-syncs=3",
                   "--namespace-sync-period=1m", "-v=3", "--terminated-pod-gc-threshold=-1",
                   "--authorization-always-allow-paths=/healthz,/metrics*"}),
            "");
  EXPECT_EQ(line_.kubeconfig, "/k");
  EXPECT_EQ(line_.manager.controllers, (std::vector<std::string>{"*", "-ttl", "bootstrapsigner"}));
  EXPECT_FALSE(line_.leader_elect);
  EXPECT_EQ(line_.secure_port, 0);
  EXPECT_EQ(line_.kube_api_qps, 50.5);
  EXPECT_TRUE(line_.use_service_account_credentials);
  EXPECT_EQ(line_.manager.loops.concurrent_gc_syncs, 3);
  EXPECT_EQ(line_.manager.loops.namespace_sync_period, std::chrono::minutes(1));
  EXPECT_EQ(line_.manager.loops.terminated_pod_gc_threshold, -1);
  EXPECT_EQ(line_.log_level, 3);
  EXPECT_TRUE(line_.warnings.empty());
}

TEST_F(ControllerManagerFlagsTest, FlagsOfLoopsThatAreNotThereAreIgnoredWithAWarning) {
  EXPECT_EQ(Parse({"--concurrent-deployment-syncs=9"}), "");
  ASSERT_EQ(line_.warnings.size(), 1u);
  EXPECT_EQ(line_.warnings[0],
            "--concurrent-deployment-syncs is ignored: deployment-controller is not there yet");
  EXPECT_EQ(Parse({"--concurrent-deployment-syncs=5"}), "");
  EXPECT_TRUE(line_.warnings.empty());
  EXPECT_NE(Parse({"--concurrent-deployment-syncs=many"}), "");
}

TEST_F(ControllerManagerFlagsTest, WhatContradictsItselfIsRefused) {
  EXPECT_NE(Parse({"--leader-elect-renew-deadline=15s"}), "");
  EXPECT_NE(Parse({"--leader-elect-retry-period=9s"}), "");
  EXPECT_EQ(Parse({"--leader-elect-renew-deadline=15s", "--leader-elect=false"}), "");
  EXPECT_NE(Parse({"--concurrent-namespace-syncs=0"}), "");
  EXPECT_NE(Parse({"--tls-cert-file=a"}), "");
  EXPECT_NE(Parse({"--secure-port=70000"}), "");
  EXPECT_NE(Parse({"--kube-api-content-type=text/plain"}), "");
}

TEST_F(ControllerManagerFlagsTest, LoopsNeedNotComeBackForEverything) {
  EXPECT_EQ(Parse({"--namespace-sync-period=0s", "--resource-quota-sync-period=0"}), "");
}

TEST_F(ControllerManagerFlagsTest, TheNearestControllerIsSuggested) {
  EXPECT_NE(Parse({"--controllers=namespac"}).find("did you mean namespace?"), std::string::npos);
}

TEST_F(ControllerManagerFlagsTest, ConfigurationIsJson) {
  ASSERT_EQ(Parse({"--leader-elect-lease-duration=1m", "--controller-start-interval=2s",
                   "--controllers=*,-ttl,bootstrapsigner"}),
            "");
  const Result<object::Document> json = object::DecodeJson(ConfigJson(line_), nullptr);
  ASSERT_TRUE(json) << json.error().ToString();
  const object::Value* duration = json->root().FindPath(
      {"kubecontrollermanager.config.k8s.io", "Generic", "LeaderElection", "leaseDuration"});
  ASSERT_NE(duration, nullptr);
  EXPECT_EQ(duration->AsText(), "1m0s");
  const object::Value* generic =
      json->root().FindPath({"kubecontrollermanager.config.k8s.io", "Generic"});
  ASSERT_NE(generic->Find("ControllerStartInterval"), nullptr);
  EXPECT_EQ(generic->Find("ControllerStartInterval")->AsText(), "2s");
  EXPECT_NE(generic->FindPath({"ClientConnection", "qps"}), nullptr);
  const auto controllers = generic->Find("Controllers")->items();
  ASSERT_EQ(controllers.size(), 3U);
  EXPECT_EQ(controllers[1].AsText(), "-ttl-controller");
  EXPECT_EQ(controllers[2].AsText(), "bootstrap-signer-controller");
  EXPECT_NE(generic->FindPath({"Debugging", "enableProfiling"}), nullptr);
}

TEST_F(ControllerManagerFlagsTest, AllFlagsAreShownWithTheirValues) {
  ASSERT_EQ(Parse({"--controllers=ttl", "--cluster-name=c", "--v=2"}), "");
  const auto shown = ShowFlags<ControllerManagerCommandLine>(AllControllerManagerFlags(), line_);
  EXPECT_EQ(shown.at("controllers"), "[ttl]");
  EXPECT_EQ(shown.at("cluster-name"), "c") << "it sets nothing";
  EXPECT_EQ(shown.at("configure-cloud-routes"), "true");
  EXPECT_EQ(shown.at("secure-port"), "10257");
}

TEST_F(ControllerManagerFlagsTest, HasTheNamesTypesAndDefaultsOfKubeControllerManager) {
  ExpectFlagsOf("kube-controller-manager", SKIFF_SOURCE_DIR, AllControllerManagerFlags());
}

}  // namespace
}  // namespace skiff::cli

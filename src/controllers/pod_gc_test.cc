#include "controllers/pod_gc.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

using std::chrono::seconds;

const client::ApiResource& Pods() { return client::BuiltIn("", "v1", "pods"); }
const client::ApiResource& Nodes() { return client::BuiltIn("", "v1", "nodes"); }

class PodGcTest : public ControllerTest {
 protected:
  void PutPod(const std::string& name, const std::string& phase, const std::string& node,
              const std::string& metadata = {}, const std::string& status = {}) {
    Put(Pods(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"a\"" + metadata +
                    "},\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"" + phase +
                    "\"" + status + "}}");
  }
  void PutNode(const std::string& name, const std::string& ready = "True",
               const std::string& taint = "x") {
    Put(Nodes(), "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"taints\":[{\"key\":\"" +
                     taint +
                     "\",\"effect\":\"NoExecute\"}]},\"status\":{\"conditions\":[{\"type\":"
                     "\"Ready\",\"status\":\"" +
                     ready + "\"}]}}");
  }
  bool IsThere(const std::string& name) { return Find(Pods(), "a", name) != nullptr; }
  std::string CreatedAgo(Duration age) {
    return ",\"creationTimestamp\":\"" + TimeFromNow(-age) + "\"";
  }
  std::string Deleted() {
    return ",\"deletionTimestamp\":\"" + TimeFromNow({}) + "\",\"deletionGracePeriodSeconds\":30";
  }
};

TEST_F(PodGcTest, OfEndedPodsBeyondTheThresholdEvictedAndOldestGo) {
  options_.terminated_pod_gc_threshold = 2;
  PutNode("n");
  PutPod("running", "Running", "n", CreatedAgo(seconds(900)));
  PutPod("oldest", "Succeeded", "n", CreatedAgo(seconds(400)));
  PutPod("older", "Failed", "n", CreatedAgo(seconds(300)));
  PutPod("old", "Failed", "n", CreatedAgo(seconds(200)));
  PutPod("evicted", "Failed", "n", CreatedAgo(seconds(100)), ",\"reason\":\"Evicted\"");
  Run(MakePodGcController);
  EXPECT_FALSE(IsThere("evicted"));
  EXPECT_FALSE(IsThere("oldest"));
  EXPECT_TRUE(IsThere("older"));
  EXPECT_TRUE(IsThere("old"));
  EXPECT_TRUE(IsThere("running"));
  ExpectQuiet();
  EXPECT_TRUE(registry_.Text().contains(
      "pod_gc_collector_force_delete_pods_total{namespace=\"a\",reason=\"terminated\"} 2"))
      << registry_.Text();
}

TEST_F(PodGcTest, WithoutAThresholdEndedPodsStay) {
  options_.terminated_pod_gc_threshold = 0;
  PutNode("n");
  PutPod("ended", "Succeeded", "n");
  Run(MakePodGcController);
  ExpectQuiet();
}

TEST_F(PodGcTest, PodsOfAMissingNodeFailWithAConditionAndGoAfterTheQuarantine) {
  PutPod("orphan", "Running", "gone");
  std::string last_patch;
  Run(MakePodGcController);
  Pass(seconds(30));
  EXPECT_TRUE(IsThere("orphan"));
  EXPECT_EQ(Writes(), 0U);
  Pass(seconds(30));
  EXPECT_FALSE(IsThere("orphan"));
  for (const client::ClientCall& call : api_.calls()) {
    if (call.verb == client::ClientVerb::kPatch) last_patch = call.patch;
  }
  EXPECT_NE(last_patch.find("\"phase\":\"Failed\""), std::string::npos);
  EXPECT_NE(last_patch.find("\"type\":\"DisruptionTarget\",\"status\":\"True\""),
            std::string::npos);
  EXPECT_NE(last_patch.find("\"reason\":\"DeletionByPodGC\","
                            "\"message\":\"PodGC: node no longer exists\""),
            std::string::npos);
  ExpectQuiet();
}

TEST_F(PodGcTest, ANodeThatComesInTimeKeepsItsPods) {
  PutPod("p", "Running", "late");
  Run(MakePodGcController);
  Pass(seconds(30));
  PutNode("late");
  ExpectQuiet();
  EXPECT_TRUE(IsThere("p"));
}

TEST_F(PodGcTest, ANodeThatTheServerMayKnowKeepsItsPods) {
  PutPod("p", "Running", "gone");
  api_.Fail({.verb = client::ClientVerb::kGet, .resource = "nodes"});
  Run(MakePodGcController);
  Pass(seconds(60));
  EXPECT_TRUE(IsThere("p"));
  Pass(seconds(80));
  EXPECT_FALSE(IsThere("p"));
}

TEST_F(PodGcTest, TerminatingPodsThatNoNodeSeesToGo) {
  PutNode("fine", "False");
  PutNode("down", "False", "node.kubernetes.io/out-of-service");
  PutNode("back", "True", "node.kubernetes.io/out-of-service");
  PutPod("unscheduled", "Pending", "", Deleted());
  PutPod("on-down", "Running", "down", Deleted());
  PutPod("on-fine", "Running", "fine", Deleted());
  PutPod("on-back", "Running", "back", Deleted());
  PutPod("stays", "Running", "down");
  PutPod("waits", "Pending", "");
  Run(MakePodGcController);
  EXPECT_FALSE(IsThere("unscheduled"));
  EXPECT_FALSE(IsThere("on-down"));
  EXPECT_TRUE(IsThere("on-fine"));
  EXPECT_TRUE(IsThere("on-back"));
  EXPECT_TRUE(IsThere("stays"));
  EXPECT_TRUE(IsThere("waits"));
}

TEST_F(PodGcTest, WhatFailsIsDoneInTheNextRound) {
  PutPod("p", "Pending", "", Deleted());
  api_.Fail({.verb = client::ClientVerb::kDelete});
  Run(MakePodGcController);
  EXPECT_TRUE(IsThere("p"));
  Pass(seconds(20));
  EXPECT_FALSE(IsThere("p"));
}

}  // namespace
}  // namespace skiff::controllers

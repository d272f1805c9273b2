#include "controllers/cluster_role_aggregation.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Roles() {
  return client::BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles");
}

class ClusterRoleAggregationTest : public ControllerTest {
 protected:
  void PutPart(const std::string& name, const std::string& label, const std::string& rules) {
    Put(Roles(), "{\"metadata\":{\"name\":\"" + name + "\",\"labels\":{\"to\":\"" + label +
                     "\"}},\"rules\":[" + rules + "]}");
  }
  void PutWhole(const std::string& name, const std::string& selectors) {
    Put(Roles(), "{\"metadata\":{\"name\":\"" + name +
                     "\"},\"aggregationRule\":{\"clusterRoleSelectors\":[" + selectors + "]}}");
  }
  std::string Rules(const std::string& name) { return Json(Find(Roles(), "", name), {"rules"}); }

  const std::string kGet = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})";
  const std::string kList = R"({"verbs":["list"],"apiGroups":[""],"resources":["pods"]})";
  const std::string kToView = R"({"matchLabels":{"to":"view"}})";
  const std::string kToEdit = R"({"matchLabels":{"to":"edit"}})";
};

TEST_F(ClusterRoleAggregationTest, RulesComeInOrderOfSelectorsAndNamesAndEachOnce) {
  PutPart("b", "view", kGet);
  PutPart("a", "view", kList + "," + kGet);
  PutPart("z", "edit", kGet);
  PutWhole("view", kToView);
  PutWhole("both", kToEdit + "," + kToView);
  Run(MakeClusterRoleAggregationController);
  EXPECT_EQ(Rules("view"), "[" + kList + "," + kGet + "]");
  EXPECT_EQ(Rules("both"), "[" + kGet + "," + kList + "]");
  ExpectQuiet();
}

TEST_F(ClusterRoleAggregationTest, IsAppliedByForceUnderItsOwnName) {
  PutPart("a", "view", kGet);
  PutWhole("view", kToView);
  Run(MakeClusterRoleAggregationController);
  ASSERT_EQ(api_.CountOf(client::ClientVerb::kPatch), 1U);
  for (const client::ClientCall& call : api_.calls()) {
    if (call.verb != client::ClientVerb::kPatch) continue;
    EXPECT_EQ(call.patch_type, client::PatchType::kApply);
    EXPECT_EQ(call.field_manager, "clusterrole-aggregation-controller");
    EXPECT_TRUE(call.force);
    EXPECT_EQ(call.patch, R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1",)"
                          R"("metadata":{"name":"view"},"rules":[)" +
                              kGet + "]}");
  }
}

TEST_F(ClusterRoleAggregationTest, FollowsItsPartsThroughOtherWholes) {
  PutPart("a", "view", kGet);
  Put(Roles(), R"({"metadata":{"name":"view","labels":{"to":"edit"}},"aggregationRule":
      {"clusterRoleSelectors":[)" +
                   kToView + "]}}");
  PutWhole("edit", kToEdit);
  Run(MakeClusterRoleAggregationController);
  EXPECT_EQ(Rules("edit"), "[" + kGet + "]");
  PutPart("a", "view", kList);
  Settle();
  EXPECT_EQ(Rules("edit"), "[" + kList + "]");
}

TEST_F(ClusterRoleAggregationTest, FailuresAreTriedAgain) {
  PutPart("a", "view", kGet);
  PutWhole("view", kToView);
  api_.Fail({.verb = client::ClientVerb::kPatch, .times = 3});
  Run(MakeClusterRoleAggregationController);
  EXPECT_EQ(Rules("view"), "[" + kGet + "]");
}

}  // namespace
}  // namespace skiff::controllers

#include "controllers/validating_admission_policy_status.h"

#include "controllers/policy_type_check.h"
#include "controllers/queue_controller_testing.h"
#include "object/json/decode.h"

namespace skiff::controllers {
namespace {

std::string Policy(const std::string& resources, const std::string& expression,
                   const std::string& more = {}) {
  return R"({"metadata":{"name":"p","generation":1},)"
         R"("spec":{"matchConstraints":{"resourceRules":[)" +
         resources + R"(]},"validations":[{"expression":")" + expression + R"("}])" + more + "}}";
}
constexpr char kDeployments[] =
    R"({"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]})";
constexpr char kPods[] =
    R"({"apiGroups":[""],"apiVersions":["v1"],"resources":["pods","pods/exec"]})";

// What is found, as "field: warning".
std::string Warnings(const std::string& json) {
  const auto policy = object::DecodeJson(json, nullptr);
  EXPECT_TRUE(policy) << json;
  std::vector<CheckedKind> kinds;
  for (const RuleResource& resource : RuleResources(policy->root())) {
    CheckedKind kind;
    if (FindBuiltInKind(resource, kind)) kinds.push_back(std::move(kind));
  }
  std::string out;
  for (const ExpressionWarning& each : CheckPolicyTypes(policy->root(), std::move(kinds))) {
    out += each.field_ref + ": " + each.warning;
  }
  return out;
}

TEST(PolicyTypeCheckTest, ExpressionsAreHeldAgainstTheKindsOfTheRules) {
  const std::string both = std::string(kDeployments) + "," + kPods;
  struct Case {
    std::string policy;
    const char* warnings;
  };
  const Case cases[] = {
      {Policy(kDeployments, "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b'"), ""},
      {Policy(kDeployments, "object.spec.replicas == 'a'"),
       "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no "
       "matching overload for '_==_' applied to '(int, string)'\n | object.spec.replicas == 'a'\n "
       "| .....................^\n"},
      {Policy(both, "object.spec.replicas > 1"),
       "spec.validations[0].expression: /v1, Kind=Pod: ERROR: <input>:1:12: undefined field "
       "'replicas'\n | object.spec.replicas > 1\n | ...........^\n"},
      {Policy(kDeployments, "variables.a == 1", R"(,"variables":[{"name":"a","expression":
              "object.spec.paused"}])"),
       "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:13: found no "
       "matching overload for '_==_' applied to '(bool, int)'\n | variables.a == 1\n | "
       "............^\n"},
      {Policy(kDeployments, "params.data['a'] == params.dat",
              R"(,"paramKind":{"apiVersion":"v1","kind":"ConfigMap"})"),
       "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:27: undefined "
       "field 'dat'\n | params.data['a'] == params.dat\n | ..........................^\n"},
      {Policy(R"({"apiGroups":["*"],"apiVersions":["v1"],"resources":["pods"]})", "object.none"),
       ""},
      {Policy(R"({"apiGroups":["apps"],"apiVersions":["v1"],"resources":["nothings"]})",
              "object.none"),
       ""},
  };
  for (const Case& each : cases) EXPECT_EQ(Warnings(each.policy), each.warnings) << each.policy;
}

class PolicyStatusTest : public ControllerTest {
 protected:
  static const client::ApiResource& Policies() {
    return client::BuiltIn("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies");
  }
};

TEST_F(PolicyStatusTest, TheStatusTellsWhatIsWrongAndOfWhichGeneration) {
  Put(Policies(), Policy(kDeployments, "object.spec.none == 1"));
  Run(MakeValidatingAdmissionPolicyStatusController);
  ASSERT_EQ(api_.CountOf(client::ClientVerb::kPatch), 1U);
  for (const client::ClientCall& call : api_.calls()) {
    if (call.verb != client::ClientVerb::kPatch) continue;
    EXPECT_EQ(call.subresource, "status");
    EXPECT_EQ(call.patch_type, client::PatchType::kApply);
    EXPECT_EQ(call.field_manager, "validatingadmissionpolicy-status");
    EXPECT_TRUE(call.force);
    EXPECT_NE(call.patch.find(R"("observedGeneration":1)"), std::string::npos) << call.patch;
    EXPECT_NE(call.patch.find("undefined field 'none'"), std::string::npos) << call.patch;
  }
  ExpectQuiet();
}

TEST_F(PolicyStatusTest, KindsThatItMayNotReadAreNotLookedAt) {
  api_.Fail({.verb = client::ClientVerb::kGet,
             .times = 100,
             .status = Status(StatusReason::kForbidden, "no")});
  Put(Policies(), Policy(R"({"apiGroups":["example.com"],"apiVersions":["v1"],
                             "resources":["widgets"]})",
                         "object.none"));
  Run(MakeValidatingAdmissionPolicyStatusController);
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kPatch), 1U);
}

}  // namespace
}  // namespace skiff::controllers

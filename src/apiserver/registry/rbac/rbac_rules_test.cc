#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

constexpr std::string_view kVersion = "rbac.authorization.k8s.io/v1";

TEST(RbacRulesTest, ARoleNamesVerbsAndResources) {
  const RulesTester role(kVersion, "Role",
                         R"({"rules": [{"verbs": ["get"], "apiGroups": [""],
                             "resources": ["pods"]}]})");
  role.ExpectNew({
      {"rules[0].verbs=", "rules[0].verbs Required"},
      {"rules[0].apiGroups=", "rules[0].apiGroups Required"},
      {"rules[0].resources=", "rules[0].resources Required"},
      {"rules[0].nonResourceURLs=[\"/x\"]",
       "rules[0].nonResourceURLs Invalid; rules[0].nonResourceURLs Invalid"},
      {"rules=", ""},
  });
  role.ExpectChanged({{"", "rules[0].verbs=", "rules[0].verbs Required"}});
}

TEST(RbacRulesTest, AClusterRoleMayHavePathsInsteadAndBeAggregated) {
  const RulesTester role(kVersion, "ClusterRole",
                         R"({"rules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}],
                             "aggregationRule": {"clusterRoleSelectors": [
                               {"matchLabels": {"a": "b"}}]}})");
  role.ExpectNew({
      {"rules[0].resources=[\"pods\"]", "rules[0].nonResourceURLs Invalid"},
      {"aggregationRule={}", "aggregationRule.clusterRoleSelectors Required"},
      {"aggregationRule.clusterRoleSelectors[0].matchLabels={\"a b\":\"c\"}",
       "aggregationRule.clusterRoleSelectors[0].matchLabels Invalid; "
       "aggregationRule.clusterRoleSelectors[0] Invalid"},
  });
  role.ExpectChanged({{"", "rules[0].verbs=", "rules[0].verbs Required"}});
}

TEST(RbacRulesTest, ABindingNamesARoleAndSubjects) {
  const RulesTester binding(kVersion, "RoleBinding",
                            R"({"roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                "kind": "Role", "name": "r"},
                                "subjects": [{"kind": "ServiceAccount", "name": "default"}]})");
  binding.ExpectNew({
      {"roleRef=",
       "roleRef.apiGroup NotSupported; roleRef.kind NotSupported; "
       "roleRef.name Required"},
      {"roleRef.name=a/b", "roleRef.name Invalid"},
      {"roleRef.kind=ClusterRole", ""},
      {"subjects[0].name=", "subjects[0].name Required"},
      {"subjects[0].name=A", "subjects[0].name Invalid"},
      {"subjects[0].apiGroup=x", "subjects[0].apiGroup NotSupported"},
      {"subjects[0].kind=User", "subjects[0].apiGroup NotSupported"},
      {"subjects[0].kind=Group & subjects[0].apiGroup=rbac.authorization.k8s.io", ""},
      {"subjects[0].kind=Robot", "subjects[0].kind NotSupported"},
  });
  binding.ExpectChanged({{"", "roleRef.name=other", "roleRef Invalid"},
                         {"", "subjects=", ""},
                         {"", "subjects[0].name=", "subjects[0].name Required"}});
}

TEST(RbacRulesTest, AClusterRoleBindingKnowsNoNamespaceOfItsOwn) {
  const RulesTester binding(kVersion, "ClusterRoleBinding",
                            R"({"roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                "kind": "ClusterRole", "name": "r"},
                                "subjects": [{"kind": "ServiceAccount", "name": "default",
                                              "namespace": "default"}]})");
  binding.ExpectNew({
      {"roleRef.kind=Role", "roleRef.kind NotSupported"},
      {"subjects[0].namespace=", "subjects[0].namespace Required"},
  });
  binding.ExpectChanged({{"", "roleRef.name=other", "roleRef Invalid"}});
  EXPECT_EQ(binding.ChangedMessages("", "roleRef.name=other"),
            "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":"
            "\"ClusterRole\",\"Name\":\"other\"}: cannot change roleRef");
  EXPECT_EQ(binding.NewMessages("subjects[0].kind=Robot"),
            "subjects[0].kind: Unsupported value: \"Robot\": supported values: \"ServiceAccount\", "
            "\"User\", \"Group\"");
}

}  // namespace
}  // namespace skiff::apiserver

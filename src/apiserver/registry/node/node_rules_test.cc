#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

TEST(NodeRulesTest, ARuntimeClassNamesItsHandlerForGood) {
  const testing::RulesTester classes(
      "node.k8s.io/v1", "RuntimeClass",
      R"({"handler": "runc", "overhead": {"podFixed": {"cpu": "250m"}},
          "scheduling": {"nodeSelector": {"a": "b"},
                         "tolerations": [{"key": "k", "operator": "Exists"}]}})");
  const std::string toleration = "scheduling.tolerations[0].";
  classes.ExpectNew({
      {"handler=", "handler Required"},
      {"handler=a.b", "handler Invalid"},
      {"overhead.podFixed={\"nope\":\"1\"}",
       "overhead.limits[nope] Invalid; overhead.limits[nope] Invalid"},
      {"overhead.podFixed={\"cpu\":\"-1\"}", "overhead.limits[cpu] Invalid"},
      {"scheduling.nodeSelector={\"a b\":\"c\"}", "scheduling.nodeSelector Invalid"},
      {toleration + "operator=Maybe", toleration + "operator NotSupported"},
      {"scheduling.tolerations[1]={\"key\":\"k\",\"operator\":\"Exists\"}",
       "scheduling.tolerations[1] Duplicate"},
  });
  classes.ExpectChanged({{"", "handler=other", "handler Invalid"}, {"", "scheduling=", ""}});
  EXPECT_EQ(classes.Warnings("scheduling.nodeSelector={\"beta.kubernetes.io/os\":\"x\"}").size(),
            1u);
}

}  // namespace
}  // namespace skiff::apiserver

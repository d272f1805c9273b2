#include "store/cache/fact_path.h"

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

TEST(FactPathTest, ReadsPathsFunctionsConstantsAndChoices) {
  EXPECT_EQ(ParseFactCell(".spec.nodeName").value(),
            (std::vector<FactPath>{{.steps = {{"spec"}, {"nodeName"}}, .absent = ""}}));
  EXPECT_EQ(ParseFactCell("bool(.spec.hostNetwork)").value(),
            (std::vector<FactPath>{{.steps = {{"spec"}, {"hostNetwork"}}, .absent = "false"}}));
  EXPECT_EQ(ParseFactCell("int(.status.replicas)").value(),
            (std::vector<FactPath>{{.steps = {{"status"}, {"replicas"}}, .absent = "0"}}));
  EXPECT_EQ(ParseFactCell(".status.podIPs[12].ip").value(),
            (std::vector<FactPath>{{.steps = {{"status"}, {"podIPs", 12}, {"ip"}}, .absent = ""}}));
  EXPECT_EQ(ParseFactCell(R"("")").value(), (std::vector<FactPath>{{}}));
  EXPECT_EQ(ParseFactCell(R"(.a.b or .c or "d")").value(),
            (std::vector<FactPath>{{.steps = {{"a"}, {"b"}}, .absent = ""},
                                   {.steps = {{"c"}}, .absent = ""},
                                   {.steps = {}, .absent = "d"}}));
}

TEST(FactPathTest, RefusesWhatItDoesNotUnderstand) {
  for (const char* cell :
       {"", ".", "a", ".a.", ".a..b", "..a", ".a[", ".a[]", ".a[x]", ".a[-1]", ".a[1", ".a[1]x",
        ".[0]", "len(.a)", "bool()", "bool(a)", ".a or ", "code(pod-ready)"}) {
    const auto parsed = ParseFactCell(cell);
    ASSERT_FALSE(parsed.has_value()) << cell;
    EXPECT_EQ(parsed.error().reason(), StatusReason::kInternalError);
  }
}

TEST(FactPathTest, NamesThePathAsPeopleWriteIt) {
  EXPECT_EQ(ParseFactCell(".status.podIPs[0].ip").value()[0].ToString(), "status.podIPs[0].ip");
}

TEST(FactPathTest, AliasesStandForOneLabelOrForAllBelow) {
  const object::ResourceHub& pods = *object::FindPreferredResource("", "pods")->hub;
  EXPECT_EQ(ResolveFieldAlias(pods, "spec.host"), "spec.nodeName");
  EXPECT_EQ(ResolveFieldAlias(pods, "status.phase"), "status.phase");
  const object::ResourceHub& events =
      *object::FindPreferredResource("events.k8s.io", "events")->hub;
  EXPECT_EQ(ResolveFieldAlias(events, "regarding.kind"), "involvedObject.kind");
  EXPECT_EQ(ResolveFieldAlias(events, "regarding"), "regarding");
}

}  // namespace
}  // namespace skiff::store

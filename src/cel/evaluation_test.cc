#include "cel/evaluation.h"

#include <atomic>

#include <gtest/gtest.h>

#include "cel/testing.h"

namespace skiff::cel {
namespace {

TEST(CelEvaluationTest, LogicAbsorbsErrors) {
  EXPECT_EQ(EvaluateText("1 / 0 == 1 || true").text, "true");
  EXPECT_EQ(EvaluateText("false && 1 / 0 == 1").text, "false");
  EXPECT_EQ(EvaluateText("1 / 0 == 1 && true").text, "error: division by zero");
  EXPECT_EQ(EvaluateText("[1, 0].exists(x, 1 / x == 1)").text, "true");
}

TEST(CelEvaluationTest, NumbersCompareWhateverTheirType) {
  EXPECT_EQ(EvaluateText("1 < 1.5 && 2u > 1 && dyn(1) == dyn(1.0)").text, "true");
  EXPECT_EQ(EvaluateText("{1: 'a'}[dyn(1u)]").text, "\"a\"");
}

TEST(CelEvaluationTest, DocumentsAreReadInPlace) {
  const std::vector<std::pair<std::string, std::string>> object{
      {"object", R"({"metadata":{"labels":{"app":"web"}},"spec":{"ports":[80,443]}})"}};
  EXPECT_EQ(EvaluateText("object.spec.ports.exists(p, p == 443)", object).text, "true");
  EXPECT_EQ(EvaluateText("object.metadata.labels.map(k, k)", object).text, "[\"app\"]");
  EXPECT_EQ(EvaluateText("has(object.spec.nodes)", object).text, "false");
  EXPECT_EQ(EvaluateText("object.spec.nodes", object).text, "error: no such key: nodes");
  EXPECT_EQ(EvaluateText("object.?spec.?nodes.orValue([])", object).text, "[]");
}

TEST(CelEvaluationTest, ListsGrowWithoutBeingSeenByOthers) {
  EXPECT_EQ(EvaluateText("[1, 2, 3].map(x, [x]).map(l, l + [0])").text, "[[1, 0], [2, 0], [3, 0]]");
  EXPECT_EQ(EvaluateText("[[1], [2]].map(l, [l + [8], l + [9]])").text,
            "[[[1, 8], [1, 9]], [[2, 8], [2, 9]]]");
}

TEST(CelEvaluationTest, MapsOfManyEntriesAreFound) {
  EXPECT_EQ(EvaluateText("lists.range(100).transformMap(i, v, v * 2)[99]").text, "198");
  EXPECT_EQ(EvaluateText("[1].transformMapEntry(i, v, {'k': v}) == {'k': 1}").text, "true");
}

TEST(CelEvaluationTest, TheBudgetStopsIt) {
  const Evaluated run = EvaluateText("lists.range(1000).all(x, lists.range(1000).all(y, x >= 0))");
  EXPECT_EQ(run.text, "error: operation cancelled: actual cost limit exceeded");
  EXPECT_GT(run.cost, kPerCallCostLimit);
  EXPECT_LT(run.cost, kPerCallCostLimit + 2000);
  EXPECT_EQ(EvaluateText("[1, 2].all(x, x > 0) || true", {}, 1).text,
            "error: operation cancelled: actual cost limit exceeded");
}

TEST(CelEvaluationTest, AnotherThreadStopsIt) {
  const CompileResult compiled = Compile("lists.range(1000).all(x, x >= 0)", Environment::Base());
  std::atomic<bool> stop = true;
  Evaluation evaluation;
  evaluation.SetInterrupt(&stop);
  EXPECT_EQ(evaluation.Run(*compiled.program, std::span<const Val>()).AsText(),
            "operation interrupted");
}

TEST(CelEvaluationTest, AVariableThatNobodyBoundIsAnError) {
  auto environment = std::make_shared<Environment>(Environment::Base());
  environment->AddVariable("x", &types::kInt);
  const CompileResult compiled = Compile("x + 1", environment);
  Evaluation evaluation;
  EXPECT_EQ(evaluation.Run(*compiled.program, std::span<const Val>()).AsText(),
            "no such attribute(s): x");
}

}  // namespace
}  // namespace skiff::cel

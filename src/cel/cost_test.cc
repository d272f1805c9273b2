#include <gtest/gtest.h>

#include "cel/cost_estimate.h"
#include "cel/schema_types.h"
#include "cel/testing.h"

namespace skiff::cel {
namespace {

TEST(CelCostTest, RunsCostWhatKubernetesCounts) {
  EXPECT_EQ(EvaluateText("[1, 2, 3].exists_one(x, x == 1)").cost, 10u);
  EXPECT_EQ(EvaluateText("[1, 2, 3].map(x, x * 2)").cost, 43u);
  EXPECT_EQ(EvaluateText("a.b.c", {{"a", R"({"b":{"c":1}})"}}).cost, 3u);
  EXPECT_EQ(EvaluateText("has(a.b.c)", {{"a", R"({"b":{"c":1}})"}}).cost, 2u);
  EXPECT_EQ(EvaluateText("true ? a : 2", {{"a", "1"}}).cost, 0u);
  EXPECT_EQ(EvaluateText("a in [1, 2, 3]", {{"a", "1"}}).cost, 1u);
}

TEST(CelCostTest, EstimatesAreKubernetesEstimates) {
  EXPECT_EQ(EvaluateText("[1, 2, 3].exists_one(x, x == 1)").estimate, (CostRange{21, 24}));
  EXPECT_EQ(EvaluateText("a.all(x, true)", {{"a", "[]"}}).estimate, (CostRange{2, UINT64_MAX}));
  EXPECT_EQ(EvaluateText("'a'.matches('b+')").estimate, (CostRange{1, 1}));
}

TEST(CelCostTest, SchemasBoundTheSizesOfVariables) {
  const object::Document json = *object::DecodeJson(
      R"({"type":"object","properties":{"names":{"type":"array","maxItems":5,
          "items":{"type":"string","maxLength":10}}}})",
      nullptr);
  auto environment = std::make_shared<Environment>(Environment::Base());
  SchemaTypes schemas;
  const SchemaType* self = schemas.Declare(ReadSchema(json.root()), false);
  environment->AddVariable("self", DeclareType(*self, "selfType", environment->types()));
  const CompileResult compiled = Compile("self.names.all(n, n.startsWith('a'))", environment);
  ASSERT_NE(compiled.program, nullptr) << compiled.display;
  const SchemaSizes sizes(*self);
  EXPECT_EQ(EstimateCost(*compiled.program, &sizes).max, 28u);
  EXPECT_EQ(EstimateCost(*compiled.program).max, UINT64_MAX);
}

}  // namespace
}  // namespace skiff::cel

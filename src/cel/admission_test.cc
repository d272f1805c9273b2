#include "cel/admission.h"

#include <gtest/gtest.h>

#include "cel/document_view.h"
#include "cel/value_text.h"
#include "object/json/decode.h"

namespace skiff::cel {
namespace {

class Inputs final : public AdmissionInputs {
 public:
  Inputs(Evaluation& evaluation, const AdmissionVariables* variables, const object::Value& object)
      : AdmissionInputs(evaluation, variables), object_(object) {}

 protected:
  Val Find(std::string_view name) override {
    if (name == "object") return FromDocument(evaluation().arena(), object_, nullptr);
    if (name == "oldObject" || name == "params") return Val::Null();
    return {};
  }

 private:
  const object::Value& object_;
};

struct Named {
  const char* name;
  const char* expression;
};

// Values of expressions over an object, which is typed if it says of which kind it is.
class AdmissionExpressionsTest : public ::testing::Test {
 protected:
  AdmissionExpression Compile(std::string_view text, AdmissionResult wanted = AdmissionResult::kAny,
                              AdmissionNames names = {}) {
    return compiler_.Compile(text, wanted, names);
  }
  void AddVariables(std::initializer_list<Named> variables) {
    for (const Named& each : variables) {
      variables_.emplace_back(each.name, Compile(each.expression));
      compiler_.AddVariable(each.name, variables_.back().second);
    }
  }
  std::string Evaluate(std::string_view text, uint64_t budget = kAdmissionBudget) {
    const auto type = object::PeekTypeMeta(object_);
    const auto object = object::DecodeJson(
        object_, type ? object::FindKind(type->api_version, type->kind) : nullptr);
    Evaluation evaluation;
    Inputs inputs(evaluation, &variables_, object->root());
    AdmissionRun run(evaluation, inputs, budget);
    const AdmissionExpression expression = Compile(text);  // constants of a value are its
    const AdmissionOutcome outcome = run.Evaluate(expression);
    cost_ = budget - run.budget();
    if (run.out_of_budget()) return "out of budget";
    return outcome.error.empty() ? ValueText(evaluation.arena(), outcome.value) : outcome.error;
  }

  AdmissionCompiler compiler_{/*has_variables=*/true};
  AdmissionVariables variables_;
  std::string object_ = "{}";
  uint64_t cost_ = 0;
};

TEST_F(AdmissionExpressionsTest, AnExpressionHasToBeOfTheTypeThatItsPlaceWants) {
  struct Case {
    const char* text;
    AdmissionResult wanted;
    AdmissionNames names;
    const char* error;
  };
  using enum AdmissionResult;
  const Case cases[] = {
      {"object.a == 1", kBool, {}, ""},
      {"object.a", kBool, {}, "must evaluate to bool but got dyn"},
      {"1", kString, {}, "must evaluate to string but got int"},
      {"null", kStringOrNull, {}, ""},
      {"'a'", kStringOrNull, {}, ""},
      {"[1]", kStringOrNull, {}, "must evaluate to one of [string null_type] but got list(int)"},
      {"Object{a: 1}", kObject, {.patches = true}, ""},
      {"Object.a{b: 1}", kObject, {.patches = true}, "must evaluate to Object but got Object.a"},
      {"[JSONPatch{op: 'add'}]", kPatches, {.patches = true}, ""},
      {"[]", kPatches, {.patches = true}, "must evaluate to list(JSONPatch) but got list(dyn)"},
      {"params.a == 1",
       kBool,
       {.params = false},
       "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container "
       "'')\n"
       " | params.a == 1\n | ^"},
      {"authorizer.path('/').check('get').allowed()",
       kBool,
       {.authorizer = false},
       "compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container "
       "'')\n | authorizer.path('/').check('get').allowed()\n | ^"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(Compile(each.text, each.wanted, each.names).error, each.error) << each.text;
  }
}

TEST_F(AdmissionExpressionsTest, VariablesSeeThoseBeforeThem) {
  AddVariables({{"a", "1"}, {"b", "[variables.a + 1]"}, {"c", "variables.d"}});
  EXPECT_EQ(Evaluate("variables.b[0]"), "2");
  EXPECT_EQ(Evaluate("variables.d").find("compilation error: compilation failed: "), 0U);
  EXPECT_EQ(
      Compile("variables.b == 1").error,
      "compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied "
      "to '(list(int), int)'\n | variables.b == 1\n | ............^");
  EXPECT_EQ(
      Evaluate("variables.c == 1")
          .find("expression 'variables.c == 1' resulted in error: composited variable \"c\" fails "
                "to compile: compilation failed: "),
      0U);
}

TEST_F(AdmissionExpressionsTest, AVariableIsEvaluatedOnceAndPaidForByWhoAsksFirst) {
  AddVariables({{"many", "[1, 2, 3].map(x, x * 2)"}, {"bad", "object.no.where"}});
  EXPECT_EQ(Evaluate("1 == 1"), "true");
  EXPECT_EQ(cost_, 1U);
  EXPECT_EQ(Evaluate("variables.many[0] == 2"), "true");
  const uint64_t once = cost_;
  EXPECT_EQ(Evaluate("variables.many[0] == 2 && variables.many[0] == 2"), "true");
  EXPECT_EQ(cost_, once + 4);
  EXPECT_EQ(Evaluate("variables.bad == 1 || true"), "true");
  EXPECT_EQ(Evaluate("variables.bad == 1"),
            "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails "
            "to evaluate: no such key: no");
  EXPECT_EQ(Evaluate("variables.many[0] == 2", 10), "out of budget");
}

TEST_F(AdmissionExpressionsTest, ALongChainOfVariablesEndsWithAnErrorAndNotWithTheStack) {
  AddVariables({{"v0", "1"}});
  for (int i = 1; i <= 100; ++i) {
    const std::string name = "v" + std::to_string(i);
    const std::string text = "variables.v" + std::to_string(i - 1) + " + 1";
    AddVariables({{name.c_str(), text.c_str()}});
  }
  EXPECT_EQ(Evaluate("variables.v20"), "21");
  EXPECT_NE(Evaluate("variables.v100").find("is made of too many others"), std::string::npos);
}

TEST_F(AdmissionExpressionsTest, TypedObjectsAreWhatTheirJsonIs) {
  object_ = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{}},
               "spec":{"containers":[{"name":"c"}]}})";
  struct Case {
    const char* text;
    const char* value;
  };
  const Case cases[] = {
      {"has(object.status)", "true"},
      {"has(object.status.phase)", "false"},
      {"has(object.metadata.labels)", "false"},
      {"object.metadata.?labels.orValue({'a': 'b'})", "{\"a\": \"b\"}"},
      {"has(object.spec.containers[0].resources)", "true"},
      {"has(object.spec.containers[0].resources.limits)", "false"},
      {"size(object.spec.containers[0].resources)", "0"},
      {"object.spec.containers[0].map(k, k)", "[\"name\", \"resources\"]"},
      {"has(object.spec.initContainers)", "false"},
      {"object.kind", "\"Pod\""},
  };
  for (const Case& each : cases) EXPECT_EQ(Evaluate(each.text), each.value) << each.text;
  object_ = R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"x"},
               "data":{"spec":{"replicas":3}},"revision":1})";
  EXPECT_EQ(Evaluate("object.data.spec.replicas"), "3");
}

}  // namespace
}  // namespace skiff::cel

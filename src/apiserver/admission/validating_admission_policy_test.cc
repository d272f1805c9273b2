#include <gtest/gtest.h>

#include "apiserver/admission/policies_testing.h"

namespace skiff::apiserver {
namespace {

constexpr char kDeny[] = R"("validationActions":["Deny"])";

std::string Validation(const std::string& expression, const std::string& more = {}) {
  return R"("validations":[{"expression":")" + expression + R"(")" + more + "}]";
}

class ValidatingAdmissionPolicyTest : public testing::PoliciesTest {
 protected:
  void SetUp() override {
    PoliciesTest::SetUp();
    Make(MakeValidatingAdmissionPolicy);
  }
  static std::string Denied(const std::string& why, const std::string& policy = "p") {
    return "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy '" + policy +
           "' with binding '" + policy + "' denied request: " + why;
  }
};

TEST_F(ValidatingAdmissionPolicyTest, APolicyDeniesByWhatItsExpressionsFind) {
  EXPECT_EQ(Create(), "");
  AddPolicy(Validation("object.data.a == '2'"), kDeny);
  EXPECT_EQ(Create(R"({"a":"2"})"), "");
  EXPECT_EQ(Create(), Denied("failed expression: object.data.a == '2'"));
  EXPECT_EQ(status_->code(), 422);
  ASSERT_EQ(status_->causes().size(), 1U);
  EXPECT_EQ(status_->causes()[0].message,
            "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: "
            "object.data.a == '2'");
  EXPECT_EQ(Create("{}"),
            Denied("expression 'object.data.a == '2'' resulted in error: no such key: "
                   "data"));
  // Whoever writes policies is not asked for the permission of policies.
  EXPECT_EQ(Ask({.resource = "admissionregistration.k8s.io/validatingadmissionpolicies",
                 .name_space = "",
                 .object = "{}"}),
            "");
}

TEST_F(ValidatingAdmissionPolicyTest, WhatIsSaidDependsOnTheValidation) {
  struct Case {
    const char* validation;
    const char* message;
    int code;
  };
  const Case cases[] = {
      {R"("message":" no ")", "no", 422},
      {R"("message":"no","reason":"Forbidden")", "no", 403},
      {R"("message":"no","reason":"RequestEntityTooLarge")", "no", 413},
      {R"("message":"no","messageExpression":"'a is ' + object.data.a")", "a is 1", 422},
      {R"("message":"no","messageExpression":"object.data.b")", "no", 422},
      {R"("message":"no","messageExpression":"'  '")", "no", 422},
      {R"("message":"no","messageExpression":"'a\\nb'")", "no", 422},
      {R"("messageExpression":"object.data.b")", "failed expression: false", 422},
  };
  for (const Case& each : cases) {
    AddPolicy(Validation("false", std::string(",") + each.validation), kDeny);
    EXPECT_EQ(Create(), Denied(each.message)) << each.validation;
    EXPECT_EQ(status_->code(), each.code) << each.validation;
  }
}

TEST_F(ValidatingAdmissionPolicyTest, ABindingSaysWhatIsDone) {
  const std::string two =
      R"("validations":[{"expression":"true"},{"expression":"false","message":"no"}])";
  AddPolicy(two, R"("validationActions":["Warn","Audit"])");
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(warnings_, std::vector<std::string>{
                           "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': "
                           "no"});
  EXPECT_EQ(annotations_["validation.policy.admission.k8s.io/validation_failure"],
            R"([{"message":"no","policy":"p","binding":"p","expressionIndex":1,)"
            R"("validationActions":["Warn","Audit"]}])");
}

TEST_F(ValidatingAdmissionPolicyTest, AnnotationsOfTheAuditAreComputed) {
  AddPolicy(R"("auditAnnotations":[{"key":"a","valueExpression":"'is ' + object.data.a"},
            {"key":"b","valueExpression":"null"},{"key":"c","valueExpression":"' '"}])",
            kDeny);
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(annotations_, (std::map<std::string, std::string>{{"p/a", "is 1"}}));
  EXPECT_EQ(Create("{}"), Denied("expression ''is ' + object.data.a' resulted in error: no such "
                                 "key: data"));
}

TEST_F(ValidatingAdmissionPolicyTest, FailuresMayBeIgnoredButNotFaults) {
  AddPolicy(R"("failurePolicy":"Ignore",)" + Validation("object.data.b == '1'"), kDeny);
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(Create(R"({"b":"2"})"), Denied("failed expression: object.data.b == '1'"));
  AddPolicy(R"("failurePolicy":"Ignore",)" + Validation("this is no expression"), kDeny);
  EXPECT_EQ(Create(), "");
}

TEST_F(ValidatingAdmissionPolicyTest, ConditionsDecideWhoIsAsked) {
  struct Case {
    const char* conditions;
    const char* answer;
  };
  const Case cases[] = {
      {R"({"name":"a","expression":"object.data.a == '2'"})", ""},
      {R"({"name":"a","expression":"object.data.a == '1'"})", "no"},
      {R"({"name":"a","expression":"object.data.b == '1'"},{"name":"b","expression":"false"})", ""},
      {R"({"name":"a","expression":"object.data.b == '1'"})",
       "expression 'object.data.b == '1'' resulted in error: no such key: b"},
      {R"({"name":"a","expression":"object.b == 1"},{"name":"b","expression":"object.c == 1"})",
       "[expression 'object.b == 1' resulted in error: no such key: b, expression 'object.c == 1' "
       "resulted in error: no such key: c]"},
  };
  for (const Case& each : cases) {
    AddPolicy(std::string(R"("matchConditions":[)") + each.conditions + "]," +
                  Validation("false", R"(,"message":"no")"),
              kDeny);
    EXPECT_EQ(Create(), *each.answer == '\0' ? "" : Denied(each.answer)) << each.conditions;
  }
}

TEST_F(ValidatingAdmissionPolicyTest, ExpressionsSeeTheRequest) {
  Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns","labels":{"env":"prod"}},
          "status":{"phase":"Active"}})");
  authorizer_.allowed.insert("get /pods/ ns/");
  authorizer_.allowed.insert("create /configmaps/ ns/x");
  const char* const true_ones[] = {
      "request.operation == 'CREATE' && request.name == 'x' && request.namespace == 'ns'",
      "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'",
      "request.userInfo.username == 'ada' && 'admins' in request.userInfo.groups",
      "request.userInfo.extra['scopes'] == ['a']",
      "request.options.kind == 'CreateOptions' && !request.dryRun && !has(request.subResource)",
      "oldObject == null && object.kind == 'ConfigMap'",
      "namespaceObject.metadata.labels.env == 'prod' && namespaceObject.status.phase == 'Active'",
      "authorizer.group('').resource('pods').namespace('ns').check('get').allowed()",
      "!authorizer.group('').resource('pods').namespace('ns').check('delete').allowed()",
      "authorizer.requestResource.check('create').allowed()",
      "!authorizer.serviceAccount('ns', 'x').path('/').check('get').allowed()",
      "variables.a == '1' && variables.b == 'x1'",
  };
  std::string validations;
  for (const char* each : true_ones) {
    validations +=
        (validations.empty() ? "" : ",") + (R"({"expression":")" + std::string(each)) + R"("})";
  }
  AddPolicy(R"("variables":[{"name":"a","expression":"object.data.a"},
            {"name":"b","expression":"object.metadata.name + variables.a"}],"validations":[)" +
                validations + "]",
            kDeny);
  EXPECT_EQ(Ask({.resource = "configmaps",
                 .object = ConfigMap(R"({"a":"1"})"),
                 .user = {"ada", "7", {"admins"}, {{"scopes", {"a"}}}}}),
            "");
}

TEST_F(ValidatingAdmissionPolicyTest, ParametersComeByNameOrSelector) {
  const auto add_param = [&](const std::string& name, const std::string& max) {
    Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
        R"(","namespace":"ns","labels":{"is":"param"}},"data":{"max":")" + max + R"("}})");
  };
  const std::string spec = R"("paramKind":{"apiVersion":"v1","kind":"ConfigMap"},)" +
                           Validation("object.data.a <= params.data.max",
                                      R"(,"messageExpression":"'more than ' + params.data.max")");
  const auto bind = [&](const std::string& ref) {
    AddPolicy(spec, std::string(kDeny) + R"(,"paramRef":{)" + ref + "}");
  };
  const std::string none = Denied(
      "failed to configure binding: no params found for policy binding with `Deny` "
      "parameterNotFoundAction");
  bind(R"("name":"limit","parameterNotFoundAction":"Deny")");
  EXPECT_EQ(Create(), none);
  add_param("limit", "0");
  EXPECT_EQ(Create(), Denied("more than 0"));
  add_param("limit", "5");
  EXPECT_EQ(Create(), "");
  bind(R"("name":"limit","namespace":"other","parameterNotFoundAction":"Allow")");
  EXPECT_EQ(Create(R"({"a":"9"})"), "");
  bind(R"("selector":{"matchLabels":{"is":"param"}},"parameterNotFoundAction":"Deny")");
  add_param("other", "3");
  EXPECT_EQ(Create(R"({"a":"4"})"), Denied("more than 3"));
  bind(R"("selector":{"matchLabels":{"is":"not"}},"parameterNotFoundAction":"Deny")");
  EXPECT_EQ(Create(), none);
  AddPolicy(R"("paramKind":{"apiVersion":"example.com/v1","kind":"Limit"},)" + Validation("true"),
            std::string(kDeny) + R"(,"paramRef":{"name":"x","parameterNotFoundAction":"Deny"})");
  EXPECT_EQ(
      Create(),
      "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to "
      "configure policy: failed to find resource referenced by paramKind: 'example.com/v1, "
      "Kind=Limit'");
}

TEST_F(ValidatingAdmissionPolicyTest, AnExpressionThatCostsTooMuchIsAFailure) {
  const std::string bomb =
      "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, "
      "[0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, "
      "a + b + c + d + e + f >= 0))))))";
  AddPolicy(Validation(bomb), kDeny);
  EXPECT_EQ(Create(), Denied("expression '" + bomb +
                             "' resulted in error: operation cancelled: actual cost limit "
                             "exceeded"));
  std::string many;
  for (int i = 0; i < 11; ++i)
    many += (i == 0 ? "" : ",") + (R"({"expression":")" + bomb) + R"("})";
  AddPolicy(R"("validations":[)" + many + "]", kDeny);
  EXPECT_EQ(Create(), Denied("validation failed due to running out of cost budget, no further "
                             "validation rules will be run"));
}

TEST_F(ValidatingAdmissionPolicyTest, PoliciesAndBindingsComeAndGo) {
  AddPolicy(Validation("false", R"(,"message":"first")"), kDeny, "a");
  AddPolicy(Validation("false", R"(,"message":"second")"), kDeny, "b");
  EXPECT_EQ(Create(), Denied("first", "a"));
  AddBinding(kDeny, "none", "a");
  EXPECT_EQ(Create(), Denied("second", "b"));
  AddBinding(kDeny, "none", "b");
  EXPECT_EQ(Create(), "");
  for (int i = 0; i < 2000; ++i) AddBinding(kDeny, "a", "many" + std::to_string(i));
  EXPECT_EQ(Create(),
            "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'many0' "
            "denied request: first");
}

TEST_F(ValidatingAdmissionPolicyTest, RequestsAreSeenInTheVersionOfTheRule) {
  AddPolicy(Validation("object.apiVersion == 'events.k8s.io/v1' && object.note == 'hello' && "
                       "request.kind.group == 'events.k8s.io' && request.requestKind.group == ''"),
            kDeny, "p",
            R"({"operations":["CREATE"],"apiGroups":["events.k8s.io"],"apiVersions":["v1"],
                "resources":["events"]})");
  EXPECT_EQ(
      Ask({.resource = "events", .object = R"({"apiVersion":"v1","kind":"Event","message":"hello",
                               "metadata":{"name":"x","namespace":"ns"}})"}),
      "");
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/authz/access_review.h"

#include <gtest/gtest.h>

#include "apiserver/authz/testing.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

using testing::User;

constexpr char kApiVersion[] = "authorization.k8s.io/v1";

object::Document Decode(std::string_view kind, std::string_view json) {
  auto document = object::DecodeJson(json, object::FindKind(kApiVersion, kind));
  EXPECT_TRUE(document.has_value()) << json;
  document->root().Set(document->arena(), "kind", object::Value::String(kind));
  document->root().Set(document->arena(), "apiVersion", object::Value::String(kApiVersion));
  return std::move(*document);
}

// Allows members of "good", and remembers what it was asked for.
class Recorder final : public serving::Authorizer {
 public:
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override {
    user = *attributes.user;
    asked = std::string(attributes.verb) + " " + std::string(attributes.group) + "/" +
            std::string(attributes.version) + " " + std::string(attributes.resource) + "/" +
            std::string(attributes.subresource) + " " + std::string(attributes.name_space) + "/" +
            std::string(attributes.name) + " " + std::string(attributes.path);
    fields.assign(attributes.field_requirements.begin(), attributes.field_requirements.end());
    labels.assign(attributes.label_requirements.begin(), attributes.label_requirements.end());
    serving::AuthorizationResult answer;
    answer.decision = user.IsIn("good") ? serving::Decision::kAllow : serving::Decision::kNoOpinion;
    if (user.IsIn("good")) answer.reason = "good";
    done(std::move(answer));
  }

  serving::UserInfo user;
  std::string asked;
  std::vector<serving::SelectedBy> fields;
  std::vector<serving::SelectedBy> labels;
};

class AccessReviewTest : public ::testing::Test {
 protected:
  ReviewCallback Keep() {
    return [this](Result<object::Document> result) {
      answer_ =
          result ? object::EncodeJson(*result->root().Find("status")) : result.error().message();
    };
  }
  std::string Ask(std::string_view json) {
    ReviewAccess(Decode("SubjectAccessReview", json), recorder_, Keep());
    return answer_;
  }
  std::string AskLocal(std::string_view json) {
    ReviewLocalAccess(Decode("LocalSubjectAccessReview", json), "ns", recorder_, Keep());
    return answer_;
  }
  std::string AskSelf(std::string_view json) {
    ReviewOwnAccess(Decode("SelfSubjectAccessReview", json), User("me", {"good"}), recorder_,
                    Keep());
    return answer_;
  }

  Recorder recorder_;
  std::string answer_ = "no answer";
};

TEST_F(AccessReviewTest, AsksForTheUserAndActionOfTheReview) {
  EXPECT_EQ(Ask(R"({"spec":{"user":"bob","uid":"7","groups":["good"],"extra":{"k":["v"]},
    "resourceAttributes":{"verb":"list","group":"apps","resource":"deployments",
    "subresource":"scale","namespace":"ns","name":"d"}}})"),
            R"({"allowed":true,"reason":"good"})");
  EXPECT_EQ(recorder_.asked, "list apps/* deployments/scale ns/d ");
  EXPECT_EQ(recorder_.user.name, "bob");
  EXPECT_EQ(recorder_.user.uid, "7");
  EXPECT_EQ(recorder_.user.extra.front().second.front(), "v");
  EXPECT_EQ(Ask(R"({"spec":{"user":"bob","nonResourceAttributes":{"path":"/x","verb":"get"}}})"),
            R"({"allowed":false})");
  EXPECT_EQ(recorder_.asked, "get / / / /x");
}

TEST_F(AccessReviewTest, WrongReviewsAreInvalid) {
  const std::string invalid = ".authorization.k8s.io \"\" is invalid: ";
  EXPECT_EQ(
      Ask(R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}})"),
      invalid + "spec.user: Invalid value: \"\": at least one of user or group must be specified");
  EXPECT_EQ(Ask(R"({"spec":{"user":"bob"}})"),
            invalid +
                "spec.resourceAttributes: Invalid value: null: exactly one of "
                "nonResourceAttributes or resourceAttributes must be specified");
  EXPECT_EQ(AskSelf(R"({"spec":{"resourceAttributes":{"verb":"get"},
              "nonResourceAttributes":{"verb":"get","path":"/"}}})"),
            invalid +
                "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":"
                "\"get\"}: cannot be specified in combination with resourceAttributes");
  EXPECT_EQ(AskSelf(R"({"metadata":{"name":"n"},"spec":{"resourceAttributes":{}}})"),
            invalid + "metadata: Invalid value: {\"name\":\"n\"}: must be empty");
}

TEST_F(AccessReviewTest, LocalReviewsStayInTheirNamespace) {
  const std::string invalid = ".authorization.k8s.io \"\" is invalid: ";
  EXPECT_EQ(AskLocal(R"({"spec":{"user":"bob","resourceAttributes":{"namespace":"ns"}}})"),
            R"({"allowed":false})");
  EXPECT_EQ(AskLocal(R"({"spec":{"user":"bob","resourceAttributes":{"namespace":"other"}}})"),
            invalid +
                "spec.resourceAttributes.namespace: Invalid value: \"other\": must match "
                "metadata.namespace");
  EXPECT_EQ(AskLocal(R"({"spec":{"user":"b","nonResourceAttributes":{"path":"/","verb":"get"}}})"),
            invalid +
                "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":"
                "\"get\"}: disallowed on this kind of request");
}

TEST_F(AccessReviewTest, SelectorsBecomeRequirements) {
  EXPECT_EQ(AskSelf(R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods",
    "fieldSelector":{"requirements":[{"key":"spec.nodeName","operator":"In","values":["n1"]}]},
    "labelSelector":{"rawSelector":"a=b,c"}}}})"),
            R"({"allowed":true,"reason":"good"})");
  ASSERT_EQ(recorder_.fields.size(), 1u);
  EXPECT_EQ(recorder_.fields[0].key + recorder_.fields[0].op + recorder_.fields[0].values[0],
            "spec.nodeName=n1");
  ASSERT_EQ(recorder_.labels.size(), 2u);
  EXPECT_EQ(recorder_.labels[1].op, "exists");
}

TEST_F(AccessReviewTest, SelectorsThatCannotBeReadAreLeftOutAndTold) {
  EXPECT_EQ(AskSelf(R"({"spec":{"resourceAttributes":{
    "fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]},
                                     {"key":"a","operator":"Newer","values":["b"]}]},
    "labelSelector":{"rawSelector":"a=b=c"}}}})"),
            R"({"allowed":true,"reason":"good","evaluationError":)"
            R"("spec.resourceAttributes.fieldSelector partially ignored due to parse error; )"
            R"(spec.resourceAttributes.labelSelector ignored due to parse error"})");
  EXPECT_EQ(AskSelf(R"({"spec":{"resourceAttributes":{"fieldSelector":{"rawSelector":"a=b",
    "requirements":[{"key":"x","operator":"In","values":["y"]}]}}}})"),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.fieldSelector."
            "rawSelector: Invalid value: \"a=b\": may not specified at the same time as "
            "requirements");
  EXPECT_EQ(AskSelf(R"({"spec":{"resourceAttributes":{"labelSelector":{}}}})"),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.labelSelector."
            "requirements: Required value: when spec.resourceAttributes.labelSelector is "
            "specified, requirements or rawSelector is required");
}

TEST(SelfSubjectRulesReviewTest, ListsTheRulesOfTheUser) {
  AlwaysAllow all;
  const auto answer = ReviewOwnRules(
      Decode("SelfSubjectRulesReview", R"({"spec":{"namespace":"ns"}})"), User("me"), all);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(object::EncodeJson(*answer->root().Find("status")),
            R"({"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}],)"
            R"("nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}],"incomplete":false})");
  AlwaysDeny none;
  const auto nothing = ReviewOwnRules(
      Decode("SelfSubjectRulesReview", R"({"spec":{"namespace":"ns"}})"), User("me"), none);
  EXPECT_EQ(object::EncodeJson(*nothing->root().Find("status")),
            R"({"resourceRules":[],"nonResourceRules":[],"incomplete":false})");
  const auto nowhere =
      ReviewOwnRules(Decode("SelfSubjectRulesReview", R"({"spec":{}})"), User("me"), all);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().message(), "no namespace on request");
}

}  // namespace
}  // namespace skiff::apiserver

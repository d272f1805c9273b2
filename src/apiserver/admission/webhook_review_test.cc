#include "apiserver/admission/webhook_review.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/admission/resource_rules.h"
#include "base/foreign_status.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/status.h"
#include "serving/auth/user.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kUid = "u-1";

object::Document Decode(std::string_view json, std::string_view api_version,
                        std::string_view kind) {
  auto read = object::DecodeJson(json, object::FindKind(api_version, kind));
  EXPECT_TRUE(read) << read.error().ToString();
  return std::move(*read);
}

class WebhookReviewTest : public ::testing::Test {
 protected:
  AdmissionRequest Request(AdmissionOperation operation, object::Document* object,
                           object::Document* old) {
    return {.operation = operation,
            .resource = *object::FindResource("", "v1", "configmaps"),
            .subresource = {},
            .name_space = "ns",
            .name = "",
            .user = user_,
            .now = {},
            .random = random_,
            .object = object,
            .old = old,
            .delete_options = &options_,
            .transaction = transaction_,
            .warnings = warnings_};
  }
  static std::string Write(const AdmissionRequest& request,
                           ReviewVersion version = ReviewVersion::kV1) {
    const MatchedResource as = MatchedResourceOf(request.resource, request.subresource);
    const ReviewedObjects objects{
        {as.resource, as.kind}, {as.resource, as.kind}, request.object, request.old};
    return std::string(WriteReview(version, kUid, request, objects).view());
  }

  serving::UserInfo user_{"ann", "7", {"dev", "ops"}, {{"team", {"x", "y"}}}};
  SystemRandom random_;
  DeleteOptions options_;
  store::Transaction transaction_;
  std::vector<std::string> warnings_;
};

TEST_F(WebhookReviewTest, TellsWhoWantsWhat) {
  object::Document object =
      Decode(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}})",
             "v1", "ConfigMap");
  EXPECT_EQ(
      Write(Request(AdmissionOperation::kCreate, &object, nullptr)),
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)"
      R"("kind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("resource":{"group":"","version":"v1","resource":"configmaps"},)"
      R"("requestKind":{"group":"","version":"v1","kind":"ConfigMap"},)"
      R"("requestResource":{"group":"","version":"v1","resource":"configmaps"},)"
      R"("name":"a","namespace":"ns","operation":"CREATE",)"
      R"("userInfo":{"username":"ann","uid":"7","groups":["dev","ops"],)"
      R"("extra":{"team":["x","y"]}},)"
      R"("object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},)"
      R"("data":{"k":"v"}},"oldObject":null,"dryRun":false,)"
      R"("options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}})");
}

TEST_F(WebhookReviewTest, DeletionsHaveTheirOptionsAndNoObject) {
  object::Document old = Decode(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})",
                                "v1", "ConfigMap");
  options_.grace_period_seconds = 5;
  options_.uid = "u";
  options_.propagation = "Foreground";
  AdmissionRequest request = Request(AdmissionOperation::kDelete, nullptr, &old);
  request.dry_run = true;
  const std::string review = Write(request, ReviewVersion::kV1beta1);
  EXPECT_NE(review.find(R"("apiVersion":"admission.k8s.io/v1beta1")"), review.npos);
  EXPECT_NE(review.find(R"("object":null,"oldObject":{"kind":"ConfigMap")"), review.npos);
  EXPECT_NE(review.find(R"("options":{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1",)"
                        R"("gracePeriodSeconds":5,"preconditions":{"uid":"u"},)"
                        R"("propagationPolicy":"Foreground","dryRun":["All"]})"),
            review.npos)
      << review;
}

TEST_F(WebhookReviewTest, OptionsOfConnectionsSayWhatTheyAre) {
  object::Document options = Decode(R"({"command":["ls"]})", "v1", "PodExecOptions");
  AdmissionRequest request = Request(AdmissionOperation::kConnect, &options, nullptr);
  const std::string review = Write(request);
  EXPECT_NE(review.find(R"("object":{"kind":"PodExecOptions","apiVersion":"v1","command":["ls"]})"),
            review.npos)
      << review;
  EXPECT_NE(review.find(R"("options":null)"), review.npos);
}

struct AnswerCase {
  std::string response;  // members of a v1 review's response, besides the uid
  bool mutates;
  std::string fault;  // empty: it is valid
};

TEST_F(WebhookReviewTest, AnswersAreHeldToTheirVersion) {
  const std::string invalid = "received invalid webhook response: ";
  const std::vector<AnswerCase> cases = {
      {R"("allowed":true)", false, ""},
      {R"("allowed":true)", true, ""},
      {R"("allowed":true,"patch":"W10=","patchType":"JSONPatch")", true, ""},
      {R"("allowed":true,"patch":"W10=")", true,
       invalid + "webhook returned response.patch but not response.patchType"},
      {R"("allowed":true,"patchType":"JSONPatch")", true,
       invalid + "webhook returned response.patchType but not response.patch"},
      {R"("allowed":true,"patch":"W10=","patchType":"")", true,
       invalid + "webhook returned invalid response.patchType of \"\""},
      {R"("allowed":true,"patch":"W10=","patchType":"Merge")", true,
       "unsupported patch type \"Merge\""},
      {R"("allowed":true,"patch":"W10=")", false,
       invalid + "validating webhook may not return response.patch"},
      {R"("allowed":true,"patchType":"JSONPatch")", false,
       invalid + "validating webhook may not return response.patchType"},
  };
  for (const AnswerCase& each : cases) {
    const WebhookReply reply{200, "application/json", 0,
                             R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                             R"("response":{"uid":"u-1",)" +
                                 each.response + "}}"};
    const Result<ReviewAnswer> read = ReadReview(ReviewVersion::kV1, kUid, each.mutates, reply);
    EXPECT_EQ(read ? "" : read.error().message(), each.fault) << each.response;
  }
}

TEST_F(WebhookReviewTest, WhatIsNoReviewIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "failed to call webhook: 0-length response with status code: 200 and content type: "},
      {"{}", "failed to call webhook: Object 'Kind' is missing in '{}'"},
      {R"({"kind":"AdmissionReview"})",
       "failed to call webhook: Object 'apiVersion' is missing in "
       R"('{"kind":"AdmissionReview"}')"},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})",
       "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): "
       "unknown conversion"},
      {R"({"kind":"Pod","apiVersion":"v1"})",
       "failed to call webhook: no kind \"Pod\" is registered for version \"v1\""},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
       "received invalid webhook response: webhook response was absent"},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)"
       R"("response":{"uid":"u-2","allowed":true}})",
       "received invalid webhook response: expected response.uid=\"u-1\", got \"u-2\""},
  };
  for (const auto& [body, fault] : cases) {
    const Result<ReviewAnswer> read =
        ReadReview(ReviewVersion::kV1, kUid, false, WebhookReply{200, "", 0, body});
    EXPECT_EQ(read ? "" : read.error().message(), fault) << body;
  }
}

TEST_F(WebhookReviewTest, TheOlderVersionIsHeldToLittle) {
  const WebhookReply reply{200, "", 0,
                           R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview",)"
                           R"("response":{"allowed":true,"patch":"W10="}})"};
  const Result<ReviewAnswer> read = ReadReview(ReviewVersion::kV1beta1, kUid, true, reply);
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_TRUE(read->allowed);
  EXPECT_EQ(read->patch, "[]");
}

struct RefusalCase {
  std::string status;  // empty: there is none
  int code;
  std::string reason;
  std::string message;
};

TEST_F(WebhookReviewTest, RefusalsKeepWhatTheWebhookSaid) {
  const std::string denied = "admission webhook \"w\" denied the request";
  const std::vector<RefusalCase> cases = {
      {"", 400, "", denied + " without explanation"},
      {"{}", 400, "", denied + " without explanation"},
      {R"({"message":"no"})", 400, "", denied + ": no"},
      {R"({"message":"no","code":418})", 418, "", denied + ": no"},
      {R"({"message":"no","code":200})", 400, "", denied + ": no"},
      {R"({"reason":"JustReason"})", 400, "JustReason", denied + ": JustReason"},
      {R"({"message":"gone","reason":"Gone","code":410})", 410, "Gone", denied + ": gone"},
  };
  for (const RefusalCase& each : cases) {
    std::optional<object::Document> status;
    if (!each.status.empty()) {
      status.emplace(std::move(*object::DecodeJson(each.status, nullptr)));
    }
    const Status refusal = RefusalOf("w", status ? &status->root() : nullptr);
    EXPECT_EQ(ShownCode(refusal), each.code) << each.status;
    EXPECT_EQ(ShownReason(refusal), each.reason) << each.status;
    EXPECT_EQ(refusal.message(), each.message) << each.status;
  }
}

TEST_F(WebhookReviewTest, DetailsOfARefusalReachTheClient) {
  const object::Document status = std::move(*object::DecodeJson(
      R"({"message":"m","reason":"Odd","code":422,"details":{"name":"n","kind":"k",)"
      R"("causes":[{"reason":"FieldValueInvalid","message":"c","field":"f"}]}})",
      nullptr));
  EXPECT_EQ(object::StatusToJson(RefusalOf("w", &status.root())),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"admission webhook \"w\" denied the request: m","reason":"Odd",)"
            R"("details":{"name":"n","kind":"k","causes":[{"reason":"FieldValueInvalid",)"
            R"("message":"c","field":"f"}]},"code":422})");
}

}  // namespace
}  // namespace skiff::apiserver

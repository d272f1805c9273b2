#include "apiserver/webhook/conversion_review.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kUid = "u-1";
constexpr std::string_view kDesired = "example.com/v2";

object::Document Decode(std::string_view json) {
  auto read = object::DecodeJson(json, nullptr);
  EXPECT_TRUE(read) << json;
  return std::move(*read);
}

std::string Review(const std::string& response) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":)" +
         response + "}";
}
std::string Success(const std::string& objects) {
  return Review(R"({"uid":"u-1","result":{"status":"Success"},"convertedObjects":[)" + objects +
                "]}");
}

class ConversionReviewTest : public ::testing::Test {
 protected:
  // The converted objects, or what is wrong.
  std::string Read(const std::string& body, int code = 200) {
    const object::Document* sent[] = {&thing_};
    const Result<std::vector<object::Document>> read = ReadConversionReview(
        webhook_, kUid, kDesired, sent, WebhookReply{code, "application/json", 0, body}, end_);
    EXPECT_EQ(read.has_value(), end_ == ConversionEnd::kConverted);
    if (!read) return read.error().message();
    std::string out;
    for (const object::Document& each : *read) out += object::EncodeJson(each.root());
    return out;
  }

  ConversionEnd end_ = ConversionEnd::kCallFailed;
  ConversionWebhook webhook_{WebhookTarget::OfUrl("https://h/c", ""), {"v9", "v1", "v1beta1"}};
  object::Document thing_ = Decode(
      R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"ns",)"
      R"("uid":"7","resourceVersion":"5","labels":{"a":"1"}},"spec":{"old":"x"}})");
};

TEST_F(ConversionReviewTest, AsksInTheFirstVersionThatIsKnown) {
  const object::Document* sent[] = {&thing_, &thing_};
  const Result<SharedBytes> review = WriteConversionReview(webhook_, kUid, kDesired, sent);
  ASSERT_TRUE(review);
  const std::string thing = object::EncodeJson(thing_.root());
  EXPECT_EQ(review->view(),
            R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":)"
            R"({"uid":"u-1","desiredAPIVersion":"example.com/v2","objects":[)" +
                thing + "," + thing + "]}}");
  webhook_.review_versions = {"v9"};
  EXPECT_EQ(WriteConversionReview(webhook_, kUid, kDesired, sent).error().message(),
            "failed: no supported conversion review versions");
}

TEST_F(ConversionReviewTest, OfTheMetadataLabelsAndAnnotationsAreTaken) {
  EXPECT_EQ(Read(Success(R"({"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"t",)"
                         R"("namespace":"ns","uid":"7","resourceVersion":"9","generation":4,)"
                         R"("annotations":{"b":"2"}},"spec":{"new":"x"}})")),
            R"({"apiVersion":"example.com/v2","kind":"Thing","metadata":{"annotations":{"b":"2"},)"
            R"("name":"t","namespace":"ns","resourceVersion":"5","uid":"7"},"spec":{"new":"x"}})");
}

TEST_F(ConversionReviewTest, WhatBreaksTheRulesIsRefused) {
  const auto thing = [](const std::string& metadata, const std::string& version = "example.com/v2",
                        const std::string& kind = "Thing") {
    return R"({"apiVersion":")" + version + R"(","kind":")" + kind + R"(","metadata":)" + metadata +
           "}";
  };
  const std::string good = R"({"name":"t","namespace":"ns","uid":"7"})";
  const std::pair<std::string, std::string> cases[] = {
      {Success(""), "returned 0 objects, expected 1"},
      {Success(thing(good) + "," + thing(good)), "returned 2 objects, expected 1"},
      {Success(thing(good, "example.com/v9")),
       "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, "
       "received example.com/v9)"},
      {Success(thing(good, "example.com/v2", "Other")),
       "returned invalid object at index 0: invalid kind (expected Thing, received Other)"},
      {Success(thing(R"({"name":"u","namespace":"ns","uid":"7"})")),
       "returned invalid object: must have the same name: t != u"},
      {Success(thing(R"({"name":"t","namespace":"x","uid":"7"})")),
       "returned invalid object: must have the same namespace: ns != x"},
      {Success(thing(R"({"name":"t","namespace":"ns","uid":"other"})")),
       "returned invalid object: must have the same UID: 7 != other"},
      {Success(thing(R"({"name":"t","namespace":"ns","uid":"7","labels":{"a":1}})")),
       "returned invalid metadata: metadata.labels[a] must be a string in converted object"},
      {Success(thing(R"({"name":"t","namespace":"ns","uid":"7","labels":"a"})")),
       "returned invalid metadata: invalid metadata.labels in converted object"},
      {Review(R"({"uid":"other","result":{"status":"Success"}})"),
       "failed: expected response.uid=\"u-1\", got \"other\""},
      {Review(R"({"uid":"u-1","result":{"status":"Failure","message":"cannot"}})"),
       "failed: cannot"},
      {Review(R"({"uid":"u-1"})"), "failed: response.result.status was '', not 'Success'"},
      {R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"})",
       "failed: no response provided"},
  };
  for (const auto& [body, fault] : cases) EXPECT_EQ(Read(body), fault) << body;
  EXPECT_EQ(end_, ConversionEnd::kMalformed);
  EXPECT_EQ(Read("", 503), "failed: the server is currently unable to handle the request");
  const std::string no_object =
      "failed: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go "
      "value of type struct";
  EXPECT_TRUE(Read("\"text\"").starts_with(no_object));
  EXPECT_TRUE(Read("garbage").starts_with(no_object));
  EXPECT_TRUE(
      Read("{garbage").starts_with("failed: couldn't get version/kind; json parse error: "));
  EXPECT_EQ(end_, ConversionEnd::kCallFailed);
}

TEST_F(ConversionReviewTest, TheDefinitionSaysWhoConverts) {
  const object::Document conversion = Decode(
      R"({"strategy":"Webhook","webhook":{"clientConfig":{"service":{"namespace":"n","name":"s",)"
      R"("path":"/c"}},"conversionReviewVersions":["v1beta1"]}})");
  const ConversionWebhook read = ReadConversionWebhook(conversion.root());
  EXPECT_EQ(read.target->url(), "https://s.n.svc:443/c");
  EXPECT_EQ(read.review_versions, std::vector<std::string>{"v1beta1"});
}

}  // namespace
}  // namespace skiff::apiserver

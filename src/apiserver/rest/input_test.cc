#include "apiserver/rest/input.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/patch_object.h"
#include "net/testing_responder.h"

namespace skiff::apiserver {
namespace {

serving::ApiRequest RequestWith(std::string body, std::string media, std::string_view query = {}) {
  serving::ApiRequest request{
      .http = {}, .responder = net::Responder(std::make_shared<net::RecordedResponse>())};
  request.http.body = std::move(body);
  request.http.headers.Add("content-type", std::move(media));
  request.query = serving::QueryParameters::Parse(query).value();
  return request;
}

template <typename T>
std::string Refusal(const Result<T>& result) {
  return result ? "none" : std::string(result.error().message());
}

std::string BodyRefusal(std::string body, std::string media = "application/json") {
  serving::ApiRequest request = RequestWith(std::move(body), std::move(media));
  return Refusal(
      ReadBody(request, {object::FindKind("v1", "ConfigMap"), "v1", "ConfigMap"}, KindDefaults()));
}

TEST(InputTest, ABodyThatIsNoJsonIsUnrecognized) {
  const std::string start =
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "
      "json parse error: ";
  EXPECT_EQ(BodyRefusal(""), start + "unexpected end of JSON input (<empty>)");
  EXPECT_EQ(BodyRefusal("{"), start + "unexpected end of JSON input ({)");
  // Also where it is found out after kind and version have been read.
  EXPECT_EQ(BodyRefusal(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a)"),
            start + R"(unexpected end of JSON input ({"apiVersion":"v1","kind":"Con ...))");
  EXPECT_EQ(BodyRefusal(R"({"apiVersion":"v1","kind":"ConfigMap"} x)"),
            start +
                "line 1, column 40: text after the end of the value "
                R"(({"apiVersion":"v1","kind":"Con ...))");
}

TEST(InputTest, ABodyThatIsNoYamlIsUnrecognized) {
  EXPECT_TRUE(BodyRefusal("a: [", "application/yaml")
                  .starts_with("the object provided is unrecognized (must be of type ConfigMap): "
                               "yaml: line 2, column 1: "));
}

TEST(InputTest, AValueOfTheWrongTypeCannotBeHandled) {
  EXPECT_EQ(BodyRefusal(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":1}})"),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: line 1, column 51: "
            "data.a: expected a string, got a number");
}

TEST(InputTest, APatchThatIsNoJsonIsRefusedByItsKind) {
  const auto refusal = [](std::string media, std::string_view query) {
    serving::ApiRequest request = RequestWith("{", std::move(media), query);
    return Refusal(ReadPatch(request, *object::FindKind("v1", "ConfigMap")));
  };
  const std::string end = "unexpected end of JSON input";
  EXPECT_EQ(refusal("application/json-patch+json", ""), "error decoding patch: " + end);
  EXPECT_EQ(refusal("application/merge-patch+json", ""), "error decoding patch: " + end);
  EXPECT_EQ(refusal("application/merge-patch+json", "fieldValidation=Ignore"), end);
  EXPECT_EQ(refusal("application/strategic-merge-patch+json", ""), end);
}

TEST(InputTest, OptionsOfADeletionAreOfTheirKind) {
  const auto refusal = [](std::string body) {
    serving::ApiRequest request = RequestWith(std::move(body), "application/json");
    return Refusal(ReadDeleteOptions(request));
  };
  EXPECT_EQ(refusal("{}"), "none");
  EXPECT_EQ(refusal("{"),
            "couldn't get version/kind; json parse error: unexpected end of JSON input");
  EXPECT_EQ(refusal(R"({"kind":"Pod","apiVersion":"v1"})"),
            "no kind \"Pod\" is registered for version \"v1\" in scheme "
            "\"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"");
}

}  // namespace
}  // namespace skiff::apiserver

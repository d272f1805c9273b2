#include "serving/zpages.h"

#include <memory>

#include <gtest/gtest.h>

#include "net/testing_responder.h"
#include "object/json/decode.h"

namespace skiff::serving {
namespace {

class ZPagesTest : public ::testing::Test {
 protected:
  net::HttpResponse Ask(const std::string& path, const std::string& accept) {
    auto client = std::make_shared<net::RecordedResponse>();
    ApiRequest request{.http = {}, .responder = net::Responder(client)};
    request.info.path = path;
    if (!accept.empty()) request.http.headers.Add("accept", accept);
    EXPECT_TRUE(pages_.Answer(request)) << path;
    return client->answer ? std::move(*client->answer) : net::HttpResponse();
  }
  static std::string Body(const net::HttpResponse& response) {
    return std::string(response.body.view());
  }

  ManualClock clock_;
  ZPages pages_{{.component = "tester",
                 .flags =
                     [] {
                       return ShownFlags{{"port", "1"}, {"address", "::"}};
                     },
                 .served = {"/", "/livez/ping", "/livez", "/metrics", "/openapi/v2", "/apis/apps"}},
                clock_};
};

TEST_F(ZPagesTest, PeopleGetText) {
  clock_.Advance(std::chrono::seconds(3725));
  for (const char* accept : {"", "*/*", "text/plain", "text/html, */*;q=0.1"}) {
    const net::HttpResponse status = Ask("/statusz", accept);
    EXPECT_EQ(status.code, 200);
    EXPECT_EQ(status.headers.Get("content-type"), "text/plain; charset=utf-8");
    const std::string text = Body(status);
    EXPECT_TRUE(text.starts_with("\ntester statusz\nWarning: This endpoint is not")) << text;
    EXPECT_TRUE(text.contains("\nUp: 1 hr 02 min 05 sec\n")) << text;
    EXPECT_TRUE(text.contains("\nBinary version: 1.36.4\nEmulation version: 1.36\n")) << text;
    EXPECT_TRUE(text.ends_with("\nPaths: /flagz /livez /metrics\n")) << text;
  }
  const std::string flags = Body(Ask("/flagz", ""));
  EXPECT_TRUE(flags.starts_with("\ntester flagz\nWarning: ")) << flags;
  EXPECT_TRUE(flags.ends_with("\naddress=::\nport=1\n")) << flags;
}

TEST_F(ZPagesTest, ProgramsGetTheObjectThatTheyName) {
  const net::HttpResponse status =
      Ask("/statusz", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz");
  EXPECT_EQ(status.code, 200);
  EXPECT_EQ(status.headers.Get("warning"), "");
  const Result<object::Document> json = object::DecodeJson(status.body.view(), nullptr);
  ASSERT_TRUE(json) << Body(status);
  EXPECT_EQ(json->root().Find("apiVersion")->AsText(), "config.k8s.io/v1beta1");
  EXPECT_EQ(json->root().FindPath({"metadata", "name"})->AsText(), "tester");
  EXPECT_EQ(json->root().Find("paths")->size(), 3U);
  EXPECT_EQ(json->root().Find("uptimeSeconds")->AsInt(), 0);
  const net::HttpResponse old =
      Ask("/flagz", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(old.headers.Get("warning"),
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer "
            "version.\"");
  EXPECT_TRUE(Body(old).contains("flags:\n  address: '::'\n")) << Body(old);
}

TEST_F(ZPagesTest, WhatNobodyHasIsNotAcceptable) {
  for (const char* accept :
       {"application/json", "application/xml", "text/plain;v=v1beta1;g=config.k8s.io;as=Statusz",
        "application/json;v=v1;g=config.k8s.io;as=Statusz",
        "application/json;v=v1beta1;g=config.k8s.io;as=Flagz"}) {
    EXPECT_EQ(Ask("/statusz", accept).code, 406) << accept;
  }
}

}  // namespace
}  // namespace skiff::serving

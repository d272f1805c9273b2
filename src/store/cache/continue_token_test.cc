#include "store/cache/continue_token.h"

#include <string>

#include <gtest/gtest.h>

#include "object/scalar/base64.h"

namespace skiff::store {
namespace {

std::string TokenOf(std::string_view json) {
  std::string out;
  object::AppendBase64(json, out);
  while (out.ends_with('=')) out.pop_back();
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

TEST(ContinueTokenTest, IsWhatKubernetesWrites) {
  const std::string token =
      EncodeContinueToken({.revision = 494, .start_key = std::string("default/a\0", 10)});
  EXPECT_EQ(token, TokenOf(R"({"v":"meta.k8s.io/v1","rv":494,"start":"/default/a\u0000"})"));
}

TEST(ContinueTokenTest, ComesBackAsItWas) {
  for (const std::string& key : {std::string("a"), std::string("default/a\0", 10),
                                 std::string("<&>"), std::string("ns/ü/~?")}) {
    const auto token = DecodeContinueToken(EncodeContinueToken({7, key}));
    ASSERT_TRUE(token) << token.error().ToString();
    EXPECT_EQ(token->revision, 7);
    EXPECT_EQ(token->start_key, key);
  }
}

TEST(ContinueTokenTest, TakesWhatKubernetesTakes) {
  struct Case {
    std::string_view json;
    int64_t revision;
    std::string_view start;
  };
  constexpr Case kCases[] = {
      {R"({"v":"meta.k8s.io/v1","rv":1,"start":"a"})", 1, "a"},
      {R"({"v":"meta.k8s.io/v1","rv":1,"start":"/a/b"})", 1, "a/b"},
      {R"({"v":"meta.k8s.io/v1","rv":-1,"start":"/a"})", ContinueToken::kNewest, "a"},
      {R"({"v":"meta.k8s.io/v1","rv":-5,"start":"/a"})", ContinueToken::kNewest, "a"},
      {R"({"v":"meta.k8s.io/v1","rv":1,"start":"/","more":[1]})", 1, ""},
      {R"( {"start":"/..a/...","rv":9,"v":"meta.k8s.io/v1"} )", 9, "..a/..."},
  };
  for (const Case& c : kCases) {
    const auto token = DecodeContinueToken(TokenOf(c.json));
    ASSERT_TRUE(token) << c.json << ": " << token.error().ToString();
    EXPECT_EQ(token->revision, c.revision) << c.json;
    EXPECT_EQ(token->start_key, c.start) << c.json;
  }
}

TEST(ContinueTokenTest, WhatIsNoTokenIsABadRequestThatSaysSo) {
  const std::string good = TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/a"})");
  const std::string cases[] = {
      "",
      "?",
      good + "=",
      "a" + good,
      good.substr(0, good.size() - 2),
      std::string(100'000, 'a'),
      TokenOf("[]"),
      TokenOf("7"),
      TokenOf(R"({"v":"meta.k8s.io/v2","rv":1,"start":"/a"})"),
      TokenOf(R"({"rv":1,"start":"/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","start":"/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":0,"start":"/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":"1","start":"/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1.5,"start":"/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":""})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":7})"),
      // Steps that would lead out of what is listed, and other ways to write the same key.
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/../secrets/a"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":".."})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/a/./b"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/a//b"})"),
      TokenOf(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/a/"})"),
  };
  for (const std::string& text : cases) {
    const auto token = DecodeContinueToken(text);
    ASSERT_FALSE(token) << text.substr(0, 100);
    EXPECT_EQ(token.error().reason(), StatusReason::kBadRequest);
    EXPECT_TRUE(
        token.error().message().starts_with("invalid continue token: continue key is not "
                                            "valid"))
        << token.error().message();
  }
}

TEST(ContinueTokenTest, RefusalsAreInTheWordsOfKubernetes) {
  struct Case {
    std::string token;
    std::string_view why;
  };
  const Case cases[] = {
      {"bogus", "illegal base64 data at input byte 4"},
      {"bo\ngus", "illegal base64 data at input byte 5"},
      {"e30=", "illegal base64 data at input byte 3"},
      {"e+30", "illegal base64 data at input byte 1"},
      {TokenOf("{}"), "server does not recognize this encoded version "},
      {TokenOf(R"({"v":"v2"})"), "server does not recognize this encoded version v2"},
      {TokenOf(R"({"v":"meta.k8s.io/v1","rv":5,"start":"../pods"})"), "../pods"},
  };
  for (const Case& c : cases) {
    const auto token = DecodeContinueToken(c.token);
    ASSERT_FALSE(token) << c.token;
    EXPECT_EQ(token.error().message(),
              "invalid continue token: continue key is not valid: " + std::string(c.why));
  }
}

}  // namespace
}  // namespace skiff::store

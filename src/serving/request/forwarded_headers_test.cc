#include "serving/request/forwarded_headers.h"

#include <gtest/gtest.h>

namespace skiff::serving {
namespace {

net::HttpHeaders Headers(std::initializer_list<std::pair<const char*, const char*>> fields) {
  net::HttpHeaders out;
  for (const auto& [name, value] : fields) out.Add(name, value);
  return out;
}

std::string Text(const net::HttpHeaders& headers) {
  std::string out;
  for (const auto& field : headers.fields()) out += field.name + ": " + field.value + "\n";
  return out;
}

class ForwardedHeadersTest : public testing::Test {
 protected:
  std::string Forward(const net::HttpHeaders& headers) {
    const auto out = ForwardedRequestHeaders(headers, {.user = user_,
                                                       .audit_id = "id",
                                                       .remote_address = "[::1]:99",
                                                       .host = "10.0.0.1:443",
                                                       .path = "/apis/g/v1/x",
                                                       .identity_headers = names_,
                                                       .identity_prefixes = prefixes_});
    return out ? Text(*out) : out.error().message();
  }
  static constexpr std::string_view kAdded =
      "x-forwarded-for: ::1\nx-forwarded-host: 10.0.0.1:443\nx-forwarded-proto: https\n"
      "x-forwarded-uri: /apis/g/v1/x\naudit-id: id\nx-remote-user: jane\n";

  UserInfo user_{.name = "jane", .uid = {}, .groups = {}, .extra = {}};
  std::vector<std::string> names_{"X-Mesh-User"};
  std::vector<std::string> prefixes_{"X-Mesh-Extra-"};
};

TEST_F(ForwardedHeadersTest, NoWordOfAClientAboutWhoItIsPasses) {
  EXPECT_EQ(Forward(Headers({{"x-remote-user", "admin"},
                             {"x-remote-uid", "1"},
                             {"x-remote-group", "system:masters"},
                             {"x-remote-extra-scopes", "all"},
                             {"x-mesh-user", "admin"},
                             {"x-mesh-extra-a", "b"},
                             {"authorization", "Bearer x"},
                             {"impersonate-user", "admin"},
                             {"impersonate-extra-a", "b"},
                             {"audit-id", "mine"},
                             {"x-forwarded-host", "evil"},
                             {"accept", "application/json"}})),
            "accept: application/json\n" + std::string(kAdded));
}

TEST_F(ForwardedHeadersTest, TokensAmongTheProtocolsOfAWebSocketDoNotPass) {
  EXPECT_EQ(Forward(Headers({{"sec-websocket-protocol",
                              "base64url.bearer.authorization.k8s.io.c2VjcmV0,v5.channel.k8s.io"},
                             {"sec-websocket-protocol",
                              "base64url.bearer.authorization.k8s.io.c2VjcmV0"},
                             {"sec-websocket-protocol", "a , b"}})),
            "sec-websocket-protocol: v5.channel.k8s.io\nsec-websocket-protocol: a, b\n" +
                std::string(kAdded));
}

TEST_F(ForwardedHeadersTest, TheUserIsToldWholeAndEscapedWhereNamesNeedIt) {
  user_.uid = "u-1";
  user_.groups = {"a", "b c"};
  user_.extra = {{"example.org/x%y", {"1", "2"}}, {"plain", {"3"}}};
  EXPECT_EQ(Forward({}), std::string(kAdded) +
                             "x-remote-uid: u-1\nx-remote-group: a\nx-remote-group: b c\n"
                             "x-remote-extra-example.org%2Fx%25y: 1\n"
                             "x-remote-extra-example.org%2Fx%25y: 2\nx-remote-extra-plain: 3\n");
  user_.groups = {"a\r\nx-remote-group: system:masters"};
  EXPECT_NE(Forward({}).find("control characters"), std::string::npos);
}

TEST_F(ForwardedHeadersTest, WhatConcernsTheConnectionStaysHere) {
  EXPECT_EQ(Forward(Headers({{"connection", "close, X-Secret , x-remote-user"},
                             {"x-secret", "1"},
                             {"keep-alive", "5"},
                             {"te", "trailers"},
                             {"transfer-encoding", "chunked"},
                             {"content-length", "5"},
                             {"host", "me"},
                             {"upgrade", "h2c"},
                             {"proxy-authorization", "x"}})),
            kAdded)
      << "an Upgrade that Connection does not list asks for nothing";
  const std::string upgraded =
      Forward(Headers({{"connection", "keep-alive, Upgrade"}, {"upgrade", "SPDY/3.1"}}));
  EXPECT_TRUE(upgraded.starts_with("connection: Upgrade\nupgrade: SPDY/3.1\n")) << upgraded;
}

TEST_F(ForwardedHeadersTest, AddressesOnTheWayAreAddedUp) {
  const std::string out =
      Forward(Headers({{"x-forwarded-for", "1.1.1.1"}, {"x-forwarded-for", "2.2.2.2"}}));
  EXPECT_TRUE(out.starts_with("x-forwarded-for: 1.1.1.1, 2.2.2.2, ::1\n")) << out;
}

TEST_F(ForwardedHeadersTest, OfAnswersWhatIsOursIsNotTheirs) {
  const net::HttpHeaders answer = Headers({{"content-type", "application/json"},
                                           {"connection", "x-internal"},
                                           {"x-internal", "1"},
                                           {"access-control-allow-origin", "*"},
                                           {"audit-id", "other"},
                                           {"content-length", "2"},
                                           {"transfer-encoding", "chunked"},
                                           {"upgrade", "websocket"},
                                           {"location", "https://10.0.0.1:443/apis/g/v1/x/a"},
                                           {"etag", "\"e\""}});
  EXPECT_EQ(Text(ForwardedAnswerHeaders(answer, 200, "10.0.0.1:443")),
            "content-type: application/json\nlocation: /apis/g/v1/x/a\netag: \"e\"\n");
  EXPECT_NE(Text(ForwardedAnswerHeaders(answer, 101, "")).find("upgrade: websocket\n"),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::serving

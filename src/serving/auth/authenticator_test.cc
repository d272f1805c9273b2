#include <gtest/gtest.h>

#include "object/scalar/base64url.h"
#include "serving/auth/bearer_token.h"
#include "serving/auth/client_certificate.h"
#include "serving/auth/request_authenticator.h"
#include "serving/auth/testing.h"
#include "serving/auth/token_cache.h"

namespace skiff::serving {
namespace {

using testing::AskToken;
using Outcome = Authentication::Outcome;

Authentication Ask(Authenticator& authenticator, const net::HttpRequest& request) {
  std::optional<Authentication> answer;
  authenticator.Authenticate(request, [&](Authentication a) { answer = std::move(a); });
  EXPECT_TRUE(answer.has_value());
  return *answer;
}

net::HttpRequest WithHeader(std::string name, std::string value) {
  net::HttpRequest request;
  request.path = "/api";
  request.headers.Add(std::move(name), std::move(value));
  return request;
}

// Ann and Bob, by fixed tokens.
class FixedTokens final : public TokenAuthenticator {
 public:
  void AuthenticateToken(std::string_view token, WantedAudiences /*audiences*/,
                         AuthenticationCallback done) override {
    UserInfo user;
    if (token == "secret") {
      user.name = "ann";
      user.uid = "17";
      user.groups = {"dev", "ops"};
    } else if (token == "other") {
      user.name = "bob";
      user.uid = "18";
    } else {
      return done({});
    }
    done(Authentication::Of(std::move(user)));
  }
};

// Certificate, bearer token, WebSocket token, anonymous: as the API server sets them up.
struct Chain {
  explicit Chain(AnonymousOptions anonymous = {}) {
    std::vector<std::unique_ptr<Authenticator>> methods;
    methods.push_back(std::make_unique<ClientCertificateAuthenticator>(clock));
    methods.push_back(std::make_unique<BearerTokenAuthenticator>(tokens));
    methods.push_back(std::make_unique<WebSocketTokenAuthenticator>(tokens));
    all = std::make_unique<RequestAuthenticator>(std::move(methods), std::move(anonymous));
  }
  ManualClock clock;
  FixedTokens tokens;
  std::unique_ptr<RequestAuthenticator> all;
};

TEST(RequestAuthenticatorTest, WithoutCredentialsOneIsAnonymous) {
  Chain chain;
  const Authentication found = Ask(*chain.all, net::HttpRequest());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "system:anonymous");
  EXPECT_EQ(found.user.groups, std::vector<std::string>{"system:unauthenticated"});
}

TEST(RequestAuthenticatorTest, AnonymousMayBeSwitchedOffOrBoundToPaths) {
  Chain off({.enabled = false});
  EXPECT_EQ(Ask(*off.all, net::HttpRequest()).outcome, Outcome::kNoCredentials);
  Chain some({.enabled = true, .paths = {"/livez"}});
  net::HttpRequest request;
  request.path = "/livez";
  EXPECT_TRUE(Ask(*some.all, request).ok());
  request.path = "/api";
  EXPECT_EQ(Ask(*some.all, request).outcome, Outcome::kNoCredentials);
}

TEST(RequestAuthenticatorTest, AWrongTokenDoesNotMakeOneAnonymous) {
  Chain chain;
  const Authentication found = Ask(*chain.all, WithHeader("authorization", "Bearer wrong-token"));
  EXPECT_EQ(found.outcome, Outcome::kRefused);
  EXPECT_EQ(found.error.find("wrong-token"), std::string::npos);
}

TEST(RequestAuthenticatorTest, AGoodTokenHelpsWhenTheCertificateIsRefused) {
  Chain chain;
  net::HttpRequest request = WithHeader("authorization", "Bearer secret");
  request.peer_refused = true;
  EXPECT_EQ(Ask(*chain.all, request).user.name, "ann");
  net::HttpRequest without_token;
  without_token.peer_refused = true;
  EXPECT_EQ(Ask(*chain.all, without_token).outcome, Outcome::kRefused);
}

TEST(ClientCertificateTest, SubjectBecomesUserAndGroups) {
  Chain chain;
  auto peer = std::make_shared<net::PeerCertificate>();
  peer->verified_by = 1;
  peer->common_name = "jane";
  peer->organizations = {"dev", "system:masters"};
  peer->uid = "u-1";
  peer->fingerprint = "ab12";
  peer->not_after_seconds = 2'000'000'000;
  net::HttpRequest request;
  request.peer = peer;
  const Authentication found = Ask(*chain.all, request);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "jane");
  EXPECT_EQ(found.user.uid, "u-1");
  EXPECT_EQ(found.user.groups,
            (std::vector<std::string>{"dev", "system:masters", "system:authenticated"}));
  ASSERT_EQ(found.user.extra.size(), 1u);
  EXPECT_EQ(found.user.extra[0].first, "authentication.kubernetes.io/credential-id");
  EXPECT_EQ(found.user.extra[0].second, std::vector<std::string>{"X509SHA256=ab12"});
}

TEST(ClientCertificateTest, ExpiresWhileTheConnectionLasts) {
  Chain chain;
  auto peer = std::make_shared<net::PeerCertificate>();
  peer->verified_by = 1;
  peer->common_name = "jane";
  peer->not_after_seconds = 1'700'000'010;
  net::HttpRequest request;
  request.peer = peer;
  EXPECT_TRUE(Ask(*chain.all, request).ok());
  chain.clock.Advance(std::chrono::seconds(11));
  EXPECT_EQ(Ask(*chain.all, request).outcome, Outcome::kRefused);
}

TEST(ClientCertificateTest, WithoutACommonNameThereIsNoUser) {
  Chain chain;
  auto peer = std::make_shared<net::PeerCertificate>();
  peer->verified_by = 1;
  peer->not_after_seconds = 2'000'000'000;
  net::HttpRequest request;
  request.peer = peer;
  EXPECT_EQ(Ask(*chain.all, request).user.name, "system:anonymous");
}

TEST(ClientCertificateTest, TheCaOfProxiesMakesNoUsers) {
  Chain chain;
  auto peer = std::make_shared<net::PeerCertificate>();
  peer->verified_by = 2;
  peer->common_name = "jane";
  peer->not_after_seconds = 2'000'000'000;
  net::HttpRequest request;
  request.peer = peer;
  EXPECT_EQ(Ask(*chain.all, request).outcome, Outcome::kRefused);
}

TEST(BearerTokenTest, SchemeIsReadInAnyCaseAndTheRestIgnored) {
  Chain chain;
  for (const char* header :
       {"Bearer secret", "bearer secret", "  BEARER secret  ", "Bearer secret and more"}) {
    EXPECT_EQ(Ask(*chain.all, WithHeader("authorization", header)).user.name, "ann") << header;
  }
  for (const char* header : {"Basic secret", "Bearer", "Bearersecret", "secret"}) {
    EXPECT_EQ(Ask(*chain.all, WithHeader("authorization", header)).user.name, "system:anonymous")
        << header;
  }
}

TEST(BearerTokenTest, ATokenBehindTwoSpacesIsIgnoredWithAWarning) {
  Chain chain;
  const Authentication found = Ask(*chain.all, WithHeader("authorization", "Bearer  secret"));
  EXPECT_EQ(found.user.name, "system:anonymous");
  EXPECT_EQ(found.warnings.size(), 1u);
}

TEST(BearerTokenTest, ATokenWithoutEndIsRefusedUnread) {
  Chain chain;
  const std::string token(limits::kMaxTokenBytes + 1, 'a');
  EXPECT_EQ(Ask(*chain.all, WithHeader("authorization", "Bearer " + token)).outcome,
            Outcome::kRefused);
}

net::HttpRequest WebSocket(const std::string& protocols) {
  net::HttpRequest request = WithHeader("connection", "keep-alive, Upgrade");
  request.headers.Add("upgrade", "websocket");
  request.headers.Add("sec-websocket-protocol", protocols);
  return request;
}

TEST(WebSocketTokenTest, TokenIsASubProtocolBesideAnother) {
  Chain chain;
  const std::string token = std::string(kWebSocketTokenPrefix) + object::EncodeBase64Url("secret");
  EXPECT_EQ(Ask(*chain.all, WebSocket(token + ", v5.channel.k8s.io")).user.name, "ann");
  EXPECT_EQ(Ask(*chain.all, WebSocket(token)).outcome, Outcome::kRefused);
  EXPECT_EQ(Ask(*chain.all, WebSocket(token + "," + token + ",v5")).outcome, Outcome::kRefused);
  EXPECT_EQ(Ask(*chain.all, WebSocket(std::string(kWebSocketTokenPrefix) + "!!, v5")).outcome,
            Outcome::kRefused);
  // Without the upgrade the header means nothing.
  EXPECT_EQ(Ask(*chain.all, WithHeader("sec-websocket-protocol", token + ", v5")).user.name,
            "system:anonymous");
}

// Counts how often it is asked.
class CountingTokens final : public TokenAuthenticator {
 public:
  explicit CountingTokens(int& count) : count_(count) {}
  void AuthenticateToken(std::string_view token, WantedAudiences audiences,
                         AuthenticationCallback done) override {
    ++count_;
    if (token.starts_with("bad")) {
      done(Authentication::Refused("no"));
      return;
    }
    UserInfo user;
    user.name = token;
    Authentication found = Authentication::Of(std::move(user));
    if (audiences != nullptr) found.audiences = *audiences;
    done(std::move(found));
  }

 private:
  int& count_;
};

TEST(TokenCacheTest, VerifiesOnceAndForgetsInTime) {
  ManualClock clock;
  int count = 0;
  TokenCache cache(std::make_unique<CountingTokens>(count), clock);
  EXPECT_EQ(AskToken(cache, "a").user.name, "a");
  EXPECT_EQ(AskToken(cache, "a").user.name, "a");
  EXPECT_EQ(count, 1);
  const std::vector<std::string> audiences{"x"};
  EXPECT_EQ(AskToken(cache, "a", &audiences).audiences, audiences);
  EXPECT_EQ(count, 2);
  clock.Advance(limits::kTokenCacheAge);
  AskToken(cache, "a");
  EXPECT_EQ(count, 3);
}

TEST(TokenCacheTest, RefusalsAreAskedAnew) {
  ManualClock clock;
  int count = 0;
  TokenCache cache(std::make_unique<CountingTokens>(count), clock);
  AskToken(cache, "bad");
  EXPECT_EQ(AskToken(cache, "bad").outcome, Outcome::kRefused);
  EXPECT_EQ(count, 2);
}

TEST(TokenCacheTest, ForgetsTheOldestWhenFull) {
  ManualClock clock;
  int count = 0;
  TokenCache cache(std::make_unique<CountingTokens>(count), clock, std::chrono::hours(1), 16);
  for (int i = 0; i < 1000; ++i) AskToken(cache, std::to_string(i));
  EXPECT_EQ(count, 1000);
  EXPECT_EQ(AskToken(cache, "999").user.name, "999");
  EXPECT_EQ(count, 1000);
  AskToken(cache, "0");
  EXPECT_EQ(count, 1001);
}

TEST(TokenUnionTest, TheFirstThatKnowsTheTokenDecides) {
  int count = 0;
  std::vector<std::unique_ptr<TokenAuthenticator>> kinds;
  kinds.push_back(std::make_unique<FixedTokens>());
  kinds.push_back(std::make_unique<CountingTokens>(count));
  TokenUnion tokens(std::move(kinds));
  EXPECT_EQ(AskToken(tokens, "secret").user.name, "ann");
  EXPECT_EQ(count, 0);
  EXPECT_EQ(AskToken(tokens, "bad").outcome, Outcome::kRefused);
  EXPECT_EQ(AskToken(tokens, "good").user.name, "good");
}

TEST(JoinErrorsTest, EachErrorIsToldOnce) {
  EXPECT_EQ(JoinErrors({"a", "a"}), "a");
  EXPECT_EQ(JoinErrors({"a", "b", "a"}), "[a, b]");
}

}  // namespace
}  // namespace skiff::serving

#include "apiserver/authn/token_request.h"

#include <gtest/gtest.h>

#include "apiserver/authn/openid_metadata.h"
#include "apiserver/authn/service_account_tokens.h"
#include "apiserver/authn/testing.h"
#include "apiserver/authn/token_file.h"
#include "apiserver/authn/token_review.h"
#include "crypto/testing.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "serving/auth/jwt.h"
#include "serving/auth/request_authenticator.h"
#include "serving/auth/testing.h"

namespace skiff::apiserver {
namespace {

using testing::AskToken;
using testing::FakeLookup;
using testing::MakeKey;
using testing::PemPair;

constexpr char kIssuer[] = "https://kubernetes.default.svc";
constexpr char kApiVersion[] = "authentication.k8s.io/v1";

const PemPair& EcKey() {
  static const PemPair pair = MakeKey("P-256");
  return pair;
}

object::Document Decode(std::string_view kind, std::string_view json) {
  auto document = object::DecodeJson(json, object::FindKind(kApiVersion, kind));
  EXPECT_TRUE(document.has_value()) << json;
  document->root().Set(document->arena(), "kind", object::Value::String(kind));
  document->root().Set(document->arena(), "apiVersion", object::Value::String(kApiVersion));
  return std::move(*document);
}

class TokenRequestTest : public ::testing::Test {
 protected:
  TokenRequestTest() {
    lookup_.Add(BoundKind::kServiceAccount, "ns", "sa", "sa-uid");
    ServiceAccountTokenOptions options;
    options.issuers = {kIssuer};
    options.keys = serving::JwtKey::ParsePublic(EcKey().public_pem, "key").value();
    options.api_audiences = {kIssuer};
    tokens_ = std::make_unique<ServiceAccountTokens>(std::move(options), lookup_, clock_);
  }

  Result<IssuedToken> Issue(std::string_view json, TokenIssuerOptions options = {}) {
    options.issuer = kIssuer;
    options.api_audiences = {kIssuer};
    TokenIssuer issuer(options, serving::JwtKey::ParsePrivate(EcKey().private_pem, "f").value(),
                       lookup_, clock_, random_);
    std::optional<Result<IssuedToken>> answer;
    issuer.Issue("ns", "sa", Decode("TokenRequest", json),
                 [&](Result<IssuedToken> result) { answer = std::move(result); });
    EXPECT_TRUE(answer.has_value());
    return std::move(*answer);
  }
  std::string ErrorOf(std::string_view json) {
    const auto issued = Issue(json);
    return issued ? "" : issued.error().message();
  }
  static std::string TokenOf(const IssuedToken& issued) {
    return std::string(issued.reply.root().FindPath({"status", "token"})->AsText());
  }
  static serving::ServiceAccountClaims ClaimsOf(const IssuedToken& issued) {
    return serving::ServiceAccountClaims::Read(serving::Jwt::Parse(TokenOf(issued))->claims())
        .value();
  }

  ManualClock clock_;
  SeededRandom random_{7};
  FakeLookup lookup_;
  std::unique_ptr<ServiceAccountTokens> tokens_;
};

TEST_F(TokenRequestTest, ATokenIsIssuedAndAccepted) {
  auto issued = Issue("{}");
  ASSERT_TRUE(issued.has_value()) << issued.error().message();
  EXPECT_TRUE(AskToken(*tokens_, TokenOf(*issued)).ok());
  const serving::ServiceAccountClaims claims = ClaimsOf(*issued);
  EXPECT_EQ(claims.expires, claims.issued + 3600);
  EXPECT_EQ(claims.warn_after, 0);
  ASSERT_EQ(issued->audit_annotations.size(), 1u);
  EXPECT_EQ(issued->audit_annotations[0].second, "JTI=" + claims.id);
  issued->reply.root().Find("status")->Set(issued->reply.arena(), "token",
                                           object::Value::String("T"));
  EXPECT_EQ(object::EncodeJson(issued->reply.root()),
            R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":)"
            R"({"name":"sa","namespace":"ns","uid":"sa-uid",)"
            R"("creationTimestamp":"2023-11-14T22:13:20Z"},"spec":{"audiences":)"
            R"(["https://kubernetes.default.svc"],"expirationSeconds":3600,)"
            R"("boundObjectRef":null},"status":{"token":"T",)"
            R"("expirationTimestamp":"2023-11-14T23:13:20Z"}})");
}

TEST_F(TokenRequestTest, DurationsHaveBounds) {
  EXPECT_EQ(ErrorOf(R"({"spec":{"expirationSeconds":599}})"),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
            "value: 599: may not specify a duration less than 10 minutes");
  EXPECT_EQ(ErrorOf(R"({"spec":{"expirationSeconds":4294967297}})"),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
            "value: 4294967297: may not specify a duration larger than 2^32 seconds");
  EXPECT_EQ(ErrorOf(R"({"spec":{"expirationSeconds":4294967296}})"), "");
  TokenIssuerOptions options;
  options.max_expiration_seconds = 1200;
  const auto issued = Issue(R"({"spec":{"expirationSeconds":3600}})", options);
  ASSERT_TRUE(issued.has_value());
  EXPECT_EQ(
      issued->warnings,
      std::vector<std::string>{"requested expiration of 3600 seconds shortened to 1200 seconds"});
  EXPECT_EQ(ClaimsOf(*issued).expires, ClaimsOf(*issued).issued + 1200);
}

TEST_F(TokenRequestTest, NamesAndUidMustBeThoseOfTheServiceAccount) {
  EXPECT_EQ(ErrorOf(R"({"metadata":{"name":"x"}})"),
            "TokenRequest.authentication.k8s.io \"sa\" is invalid: metadata.name: Invalid value: "
            "\"x\": must match the service account name if specified");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"uid":"x"}})"),
            "Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"sa\": the UID "
            "in the token request (x) does not match the UID of the service account (sa-uid)");
  lookup_.objects.clear();
  EXPECT_EQ(ErrorOf("{}"), "serviceaccounts \"sa\" not found");
}

constexpr char kPodRequest[] = R"({"spec":{"expirationSeconds":3607,
  "boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"pu"}}})";

TEST_F(TokenRequestTest, APodsTokenLastsForAYearAndNamesTheNode) {
  BoundObject& pod = lookup_.Add(BoundKind::kPod, "ns", "p", "pu");
  pod.service_account = "sa";
  pod.node = "n";
  auto issued = Issue(kPodRequest);
  ASSERT_TRUE(issued.has_value()) << issued.error().message();
  serving::ServiceAccountClaims claims = ClaimsOf(*issued);
  EXPECT_EQ(claims.expires, claims.issued + 31536000);
  EXPECT_EQ(claims.warn_after, claims.issued + 3607);
  EXPECT_EQ(claims.node->name, "n");
  EXPECT_EQ(claims.node->uid, "");
  EXPECT_EQ(issued->reply.root().FindPath({"status", "expirationTimestamp"})->AsTime().seconds,
            claims.issued + 3607);
  lookup_.Add(BoundKind::kNode, "", "n", "nu");
  EXPECT_EQ(ClaimsOf(*Issue(kPodRequest)).node->uid, "nu");
  TokenIssuerOptions plain;
  plain.extend_expiration = false;
  EXPECT_EQ(ClaimsOf(*Issue(kPodRequest, plain)).warn_after, 0);
}

TEST_F(TokenRequestTest, ABoundObjectMustBeThereAndBeTheSame) {
  EXPECT_EQ(ErrorOf(kPodRequest), "pods \"p\" not found");
  BoundObject& pod = lookup_.Add(BoundKind::kPod, "ns", "p", "pu");
  pod.service_account = "other";
  EXPECT_EQ(ErrorOf(kPodRequest),
            "cannot bind token for serviceaccount \"sa\" to pod running with different "
            "serviceaccount name.");
  pod.service_account = "sa";
  pod.uid = "new";
  EXPECT_EQ(ErrorOf(kPodRequest),
            "Operation cannot be fulfilled on Pod \"p\": the UID in the bound object reference "
            "(pu) does not match the UID in record. The object might have been deleted and then "
            "recreated");
  EXPECT_EQ(ErrorOf(R"({"spec":{"boundObjectRef":{"kind":"Job","apiVersion":"batch/v1"}}})"),
            "cannot bind token to object of type batch/v1, Kind=Job");
  EXPECT_EQ(ErrorOf(R"({"spec":{"boundObjectRef":{"kind":"X","apiVersion":"v1"}}})"),
            "cannot bind token to object of type /v1, Kind=X");
  lookup_.Add(BoundKind::kSecret, "ns", "s", "su");
  const auto issued =
      Issue(R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}}})");
  ASSERT_TRUE(issued.has_value());
  EXPECT_EQ(ClaimsOf(*issued).secret->uid, "su");
}

// As the API server does it: tokens of a file, and of service accounts.
class TokenReviewTest : public TokenRequestTest {
 protected:
  TokenReviewTest() {
    std::vector<std::unique_ptr<serving::TokenAuthenticator>> kinds;
    kinds.push_back(std::make_unique<AudienceAgnosticTokens>(
        TokenFile::Parse("secret,bob,2,dev\n", "f").value(), std::vector<std::string>{kIssuer}));
    kinds.push_back(std::move(tokens_));
    all_ = std::make_unique<serving::TokenUnion>(std::move(kinds));
  }

  // The status, or the error.
  std::string Review(std::string_view json) {
    std::string text;
    ReviewToken(Decode("TokenReview", json), *all_, {kIssuer},
                [&](Result<object::Document> result) {
                  text = result ? object::EncodeJson(*result->root().Find("status"))
                                : result.error().message();
                });
    return text;
  }

  std::unique_ptr<serving::TokenUnion> all_;
};

TEST_F(TokenReviewTest, TellsTheUserOfAToken) {
  EXPECT_EQ(Review(R"({"spec":{"token":"secret"}})"),
            R"({"authenticated":true,"user":{"username":"bob","uid":"2","groups":["dev",)"
            R"("system:authenticated"]},"audiences":["https://kubernetes.default.svc"]})");
  EXPECT_EQ(Review(R"({"spec":{"token":"nonsense"}})"),
            R"({"user":{},"error":"invalid bearer token"})");
  EXPECT_EQ(Review(R"({"spec":{}})"), "token is required for TokenReview in authentication");
  EXPECT_EQ(Review(R"({"spec":{"token":"secret","audiences":["else"]}})"),
            R"({"user":{},"error":"invalid bearer token"})");
}

TEST_F(TokenReviewTest, ChecksTheAudiencesOfServiceAccountTokens) {
  const std::string token = TokenOf(*Issue(R"({"spec":{"audiences":["aud1"]}})"));
  EXPECT_EQ(Review(R"({"spec":{"token":")" + token + R"("}})"),
            R"({"user":{},"error":"[invalid bearer token, token audiences [\"aud1\"] is invalid )"
            R"(for the target audiences [\"https://kubernetes.default.svc\"]]"})");
  const std::string good =
      Review(R"({"spec":{"token":")" + token + R"(","audiences":["aud1","aud2"]}})");
  EXPECT_TRUE(good.starts_with(
      R"({"authenticated":true,"user":{"username":"system:serviceaccount:ns:sa","uid":"sa-uid",)"
      R"("groups":["system:serviceaccounts","system:serviceaccounts:ns","system:authenticated"],)"
      R"("extra":{"authentication.kubernetes.io/credential-id":["JTI=)"))
      << good;
  EXPECT_TRUE(good.ends_with(R"(,"audiences":["aud1"]})")) << good;
}

TEST(SelfSubjectReviewTest, TellsWhoOneIs) {
  ManualClock clock;
  serving::UserInfo user;
  user.name = "eve";
  user.uid = "u-1";
  user.groups = {"g1"};
  user.extra = {{"reason", {"why"}}};
  EXPECT_EQ(object::EncodeJson(ReviewSelf(user, clock).root()),
            R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":)"
            R"({"creationTimestamp":"2023-11-14T22:13:20Z"},"status":{"userInfo":)"
            R"({"username":"eve","uid":"u-1","groups":["g1"],"extra":{"reason":["why"]}}}})");
}

TEST(OpenIdMetadataTest, TellsIssuerAndKeys) {
  const auto keys = serving::JwtKey::ParsePublic(EcKey().public_pem, "f").value();
  const auto metadata = OpenIdMetadata::Make(kIssuer, "", "10.0.0.1:6443", keys).value();
  EXPECT_EQ(metadata.configuration,
            R"({"issuer":"https://kubernetes.default.svc","jwks_uri":)"
            R"("https://10.0.0.1:6443/openid/v1/jwks","response_types_supported":["id_token"],)"
            R"("subject_types_supported":["public"],)"
            R"("id_token_signing_alg_values_supported":["ES256"]})");
  EXPECT_EQ(metadata.keys, R"({"keys":[)" + keys.front().ToJwk() + "]}");
  for (const char* issuer : {"", "http://a", "https://a?b", "https://a#b", "kubernetes"}) {
    EXPECT_FALSE(OpenIdMetadata::Make(issuer, "", "a", keys).has_value()) << issuer;
  }
  EXPECT_FALSE(OpenIdMetadata::Make(kIssuer, "http://x", "", keys).has_value());
  EXPECT_FALSE(OpenIdMetadata::Make(kIssuer, "", "", keys).has_value());
}

}  // namespace
}  // namespace skiff::apiserver

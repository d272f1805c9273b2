#include "apiserver/authn/service_account_tokens.h"

#include <gtest/gtest.h>
#include <openssl/hmac.h>

#include "apiserver/authn/testing.h"
#include "base/random.h"
#include "crypto/testing.h"
#include "object/scalar/base64url.h"
#include "serving/auth/testing.h"

namespace skiff::apiserver {
namespace {

using testing::AskToken;
using testing::FakeLookup;
using testing::MakeKey;
using testing::PemPair;
using Outcome = serving::Authentication::Outcome;

constexpr char kIssuer[] = "https://kubernetes.default.svc";
constexpr int64_t kNow = 1'700'000'000;  // where ManualClock begins

const PemPair& RsaKey() {
  static const PemPair pair = MakeKey("RSA");
  return pair;
}
const PemPair& OtherRsaKey() {
  static const PemPair pair = MakeKey("RSA");
  return pair;
}

serving::ServiceAccountClaims GoodClaims() {
  serving::ServiceAccountClaims claims;
  claims.issuer = kIssuer;
  claims.subject = "system:serviceaccount:ns:sa";
  claims.audiences = {kIssuer};
  claims.expires = kNow + 3600;
  claims.issued = kNow;
  claims.not_before = kNow;
  claims.id = "jti-1";
  claims.name_space = "ns";
  claims.service_account = {"sa", "sa-uid"};
  return claims;
}

class ServiceAccountTokensTest : public ::testing::Test {
 protected:
  ServiceAccountTokensTest() {
    lookup_.Add(BoundKind::kServiceAccount, "ns", "sa", "sa-uid");
    ServiceAccountTokenOptions options;
    options.issuers = {kIssuer, "https://old.example.com"};
    options.keys = serving::JwtKey::ParsePublic(RsaKey().public_pem, "key").value();
    options.api_audiences = {kIssuer};
    options.on_legacy_use = [this](LegacyTokenUse use) { uses_.push_back(std::move(use)); };
    tokens_ = std::make_unique<ServiceAccountTokens>(std::move(options), lookup_, clock_);
  }

  std::string Sign(std::string_view claims, const std::string& pem = RsaKey().private_pem) {
    return serving::SignJwt(serving::JwtKey::ParsePrivate(pem, "key").value(), claims).value();
  }
  std::string Sign(const serving::ServiceAccountClaims& claims) { return Sign(claims.ToJson()); }
  std::string ErrorOf(const serving::ServiceAccountClaims& claims) {
    return AskToken(*tokens_, Sign(claims)).error;
  }

  ManualClock clock_;
  FakeLookup lookup_;
  std::vector<LegacyTokenUse> uses_;
  std::unique_ptr<ServiceAccountTokens> tokens_;
};

TEST(JwtKeyTest, EveryAlgorithmSignsAndVerifies) {
  const std::pair<const char*, const char*> kinds[] = {
      {"RSA", "RS256"}, {"P-256", "ES256"}, {"P-384", "ES384"}, {"P-521", "ES512"}};
  for (const auto& [kind, algorithm] : kinds) {
    const PemPair pem = MakeKey(kind);
    const serving::JwtKey signer = serving::JwtKey::ParsePrivate(pem.private_pem, "f").value();
    const serving::JwtKey verifier =
        serving::JwtKey::ParsePublic(pem.public_pem, "f").value().front();
    EXPECT_EQ(serving::JwtAlgorithmName(signer.algorithm()), algorithm);
    EXPECT_EQ(signer.id(), verifier.id());
    EXPECT_EQ(signer.id().size(), 43u);
    const std::string signature = signer.Sign("message").value();
    EXPECT_TRUE(verifier.Verify("message", signature));
    EXPECT_FALSE(verifier.Verify("messagf", signature));
    EXPECT_FALSE(verifier.Verify("message", signature.substr(1)));
    EXPECT_FALSE(verifier.Verify("message", ""));
    EXPECT_FALSE(verifier.Sign("message").has_value());
  }
}

TEST(JwtKeyTest, AFileMayHoldSeveralKeysPublicOrPrivate) {
  const std::string both = RsaKey().public_pem + OtherRsaKey().private_pem;
  const auto keys = serving::JwtKey::ParsePublic(both, "f").value();
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_NE(keys[0].id(), keys[1].id());
  const auto none = serving::JwtKey::ParsePublic("nothing", "/k.pem");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message(),
            "error reading public key file /k.pem: data does not contain any valid RSA or ECDSA "
            "public keys");
  EXPECT_FALSE(serving::JwtKey::ParsePrivate(RsaKey().public_pem, "f").has_value());
}

// The key is the example of RFC 7517; the id was computed by other programs.
TEST(JwtKeyTest, TheIdIsTheHashOfThePublicKeysDerForm) {
  constexpr char kPem[] =
      "-----BEGIN PUBLIC KEY-----\n"
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMKBCTNIcKUSDii11ySs3526iDZ8A\n"
      "iTo7Tu6KPAqv7D7gS2XpJFbZiItSs3m9+9Ue6GnvHw/GW2ZZaVtszggXIw==\n"
      "-----END PUBLIC KEY-----\n";
  const auto keys = serving::JwtKey::ParsePublic(kPem, "f").value();
  EXPECT_EQ(keys.front().ToJwk(),
            R"({"use":"sig","kty":"EC","kid":"UblEzfpUTUwyc6pr81BiWn3VO7tqcXIydPU4sZogd2A",)"
            R"("crv":"P-256","alg":"ES256",)"
            R"("x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",)"
            R"("y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"})");
}

TEST(ServiceAccountClaimsTest, AreWrittenInTheOrderOfTheirNames) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.pod = serving::ClaimedObject{"p", "pu"};
  claims.node = serving::ClaimedObject{"n", ""};
  claims.warn_after = 5;
  const std::string json = claims.ToJson();
  EXPECT_EQ(json,
            R"({"aud":["https://kubernetes.default.svc"],"exp":1700003600,"iat":1700000000,)"
            R"("iss":"https://kubernetes.default.svc","jti":"jti-1","kubernetes.io":)"
            R"({"namespace":"ns","node":{"name":"n"},"pod":{"name":"p","uid":"pu"},)"
            R"("serviceaccount":{"name":"sa","uid":"sa-uid"},"warnafter":5},"nbf":1700000000,)"
            R"("sub":"system:serviceaccount:ns:sa"})");
}

TEST_F(ServiceAccountTokensTest, AGoodTokenGivesTheServiceAccount) {
  const serving::Authentication found = AskToken(*tokens_, Sign(GoodClaims()));
  ASSERT_TRUE(found.ok()) << found.error;
  EXPECT_EQ(found.user.name, "system:serviceaccount:ns:sa");
  EXPECT_EQ(found.user.uid, "sa-uid");
  EXPECT_EQ(found.user.groups,
            (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:ns"}));
  ASSERT_EQ(found.user.extra.size(), 1u);
  EXPECT_EQ(found.user.extra[0].second, std::vector<std::string>{"JTI=jti-1"});
  EXPECT_EQ(found.audiences, std::vector<std::string>{kIssuer});
}

TEST_F(ServiceAccountTokensTest, ForeignAndBrokenTokensAreOfNoKindOfOurs) {
  serving::ServiceAccountClaims foreign = GoodClaims();
  foreign.issuer = "https://elsewhere.example.com";
  EXPECT_EQ(AskToken(*tokens_, Sign(foreign)).outcome, Outcome::kNoCredentials);
  const std::string good = Sign(GoodClaims());
  for (const std::string& broken :
       {std::string(), std::string("a.b.c"), std::string("..."), good + ".x",
        good.substr(0, good.rfind('.')), "{" + good, std::string("a..b")}) {
    EXPECT_EQ(AskToken(*tokens_, broken).outcome, Outcome::kNoCredentials) << broken;
  }
}

// What must never let anybody in.
TEST_F(ServiceAccountTokensTest, ForgedTokensAreRefused) {
  const std::string good = Sign(GoodClaims());
  const std::string claims_part = object::EncodeBase64Url(GoodClaims().ToJson());
  const std::string kid =
      serving::JwtKey::ParsePublic(RsaKey().public_pem, "f").value().front().id();
  const auto head = [](const std::string& json) { return object::EncodeBase64Url(json) + "."; };

  const std::string none = head(R"({"alg":"none"})") + claims_part + ".";
  const std::string none_with_kid =
      head(R"({"alg":"none","kid":")" + kid + R"("})") + claims_part + ".";

  // HS256 with the public key as the shared secret.
  const std::string hs = head(R"({"alg":"HS256","kid":")" + kid + R"("})") + claims_part;
  unsigned char mac[32];
  unsigned int mac_size = 0;
  HMAC(EVP_sha256(), RsaKey().public_pem.data(), static_cast<int>(RsaKey().public_pem.size()),
       reinterpret_cast<const unsigned char*>(hs.data()), hs.size(), mac, &mac_size);
  const std::string hs256 =
      hs + "." + object::EncodeBase64Url(std::string_view(reinterpret_cast<char*>(mac), mac_size));

  serving::ServiceAccountClaims other = GoodClaims();
  other.service_account.name = "admin";
  const std::string tampered = good.substr(0, good.find('.') + 1) +
                               object::EncodeBase64Url(other.ToJson()) +
                               good.substr(good.rfind('.'));
  const std::string wrong_key = Sign(GoodClaims().ToJson(), OtherRsaKey().private_pem);
  // Signed by another key that pretends to be ours.
  const serving::JwtKey thief =
      serving::JwtKey::ParsePrivate(OtherRsaKey().private_pem, "f").value();
  const std::string stolen_text = head(R"({"alg":"RS256","kid":")" + kid + R"("})") + claims_part;
  const std::string stolen =
      stolen_text + "." + object::EncodeBase64Url(thief.Sign(stolen_text).value());
  // Our signature, under the name of a key that we have not got.
  const serving::JwtKey ours = serving::JwtKey::ParsePrivate(RsaKey().private_pem, "f").value();
  const std::string misnamed_text = head(R"({"alg":"RS256","kid":"another"})") + claims_part;
  const std::string misnamed =
      misnamed_text + "." + object::EncodeBase64Url(ours.Sign(misnamed_text).value());

  for (const auto& [what, token] : std::initializer_list<std::pair<const char*, std::string>>{
           {"alg none", none},
           {"alg none with kid", none_with_kid},
           {"HS256", hs256},
           {"tampered", tampered},
           {"wrong key", wrong_key},
           {"stolen kid", stolen},
           {"wrong kid", misnamed}}) {
    const serving::Authentication found = AskToken(*tokens_, token);
    EXPECT_EQ(found.outcome, Outcome::kRefused) << what;
    EXPECT_TRUE(found.error.starts_with("invalid signature")) << what << ": " << found.error;
  }
  EXPECT_EQ(lookup_.count, 0);
  // A token without a key id is tried with every key.
  const std::string nameless_text = head(R"({"alg":"RS256"})") + claims_part;
  EXPECT_TRUE(AskToken(*tokens_, nameless_text + "." +
                                     object::EncodeBase64Url(ours.Sign(nameless_text).value()))
                  .ok());
  const std::string critical_text = head(R"({"alg":"RS256","crit":["x"],"x":1})") + claims_part;
  EXPECT_FALSE(AskToken(*tokens_, critical_text + "." +
                                      object::EncodeBase64Url(ours.Sign(critical_text).value()))
                   .ok());
}

TEST_F(ServiceAccountTokensTest, AudiencesMustFit) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.audiences = {"aud1"};
  EXPECT_EQ(ErrorOf(claims),
            "token audiences [\"aud1\"] is invalid for the target audiences "
            "[\"https://kubernetes.default.svc\"]");
  const std::vector<std::string> wanted{"aud2", "aud1"};
  EXPECT_EQ(AskToken(*tokens_, Sign(claims), &wanted).audiences, std::vector<std::string>{"aud1"});
  // "aud" may also be one string.
  std::string json = GoodClaims().ToJson();
  json.replace(json.find('['), json.find(']') - json.find('[') + 1,
               "\"" + std::string(kIssuer) + "\"");
  EXPECT_TRUE(AskToken(*tokens_, Sign(json)).ok());
  EXPECT_EQ(AskToken(*tokens_, Sign(R"({"iss":"https://kubernetes.default.svc","aud":7})")).outcome,
            Outcome::kRefused);
}

TEST_F(ServiceAccountTokensTest, TimesHaveAMinuteOfLeeway) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.expires = kNow - 60;
  EXPECT_EQ(ErrorOf(claims), "");
  claims.expires = kNow - 61;
  EXPECT_EQ(ErrorOf(claims), "service account token has expired");
  claims = GoodClaims();
  claims.not_before = kNow + 61;
  EXPECT_EQ(ErrorOf(claims), "service account token is not valid yet");
  claims = GoodClaims();
  claims.issued = kNow + 61;
  EXPECT_EQ(ErrorOf(claims), "service account token is issued in the future");
}

TEST_F(ServiceAccountTokensTest, TheServiceAccountMustStillBeTheSame) {
  BoundObject& account = lookup_.Add(BoundKind::kServiceAccount, "ns", "sa", "new");
  EXPECT_EQ(ErrorOf(GoodClaims()), "service account UID (new) does not match claim (sa-uid)");
  account.uid = "sa-uid";
  account.deletion = object::Timestamp{kNow - 60, 0};
  EXPECT_EQ(ErrorOf(GoodClaims()), "");
  account.deletion = object::Timestamp{kNow - 61, 0};
  EXPECT_EQ(ErrorOf(GoodClaims()), "service account ns/sa has been deleted");
  lookup_.objects.clear();
  EXPECT_EQ(ErrorOf(GoodClaims()), "serviceaccounts \"sa\" not found");
}

TEST_F(ServiceAccountTokensTest, APodsTokenEndsWithThePodAndNamesItsNode) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.pod = serving::ClaimedObject{"p", "pod-uid"};
  claims.node = serving::ClaimedObject{"n", "node-uid"};
  EXPECT_EQ(ErrorOf(claims), "service account token has been invalidated");
  BoundObject& pod = lookup_.Add(BoundKind::kPod, "ns", "p", "pod-uid");
  const serving::Authentication found = AskToken(*tokens_, Sign(claims));
  ASSERT_TRUE(found.ok()) << found.error;
  std::vector<std::string> extra;
  for (const auto& [key, values] : found.user.extra) extra.push_back(key + "=" + values.front());
  EXPECT_EQ(extra, (std::vector<std::string>{"authentication.kubernetes.io/credential-id=JTI=jti-1",
                                             "authentication.kubernetes.io/node-name=n",
                                             "authentication.kubernetes.io/node-uid=node-uid",
                                             "authentication.kubernetes.io/pod-name=p",
                                             "authentication.kubernetes.io/pod-uid=pod-uid"}));
  pod.uid = "other";
  EXPECT_EQ(ErrorOf(claims),
            "pod UID (other) does not match service account pod ref claim (pod-uid)");
}

TEST_F(ServiceAccountTokensTest, SecretsAndNodesBindLikewise) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.secret = serving::ClaimedObject{"s", "u"};
  EXPECT_EQ(ErrorOf(claims), "service account token has been invalidated");
  lookup_.Add(BoundKind::kSecret, "ns", "s", "u");
  EXPECT_EQ(ErrorOf(claims), "");
  claims = GoodClaims();
  claims.node = serving::ClaimedObject{"n", "u"};
  EXPECT_EQ(ErrorOf(claims), "service account token has been invalidated");
  lookup_.Add(BoundKind::kNode, "", "n", "u").deletion = object::Timestamp{kNow - 100, 0};
  EXPECT_EQ(ErrorOf(claims), "service account token has been invalidated");
  lookup_.Add(BoundKind::kNode, "", "n", "u").deletion = std::nullopt;
  EXPECT_EQ(ErrorOf(claims), "");
}

TEST_F(ServiceAccountTokensTest, UseAfterTheWarningIsAudited) {
  serving::ServiceAccountClaims claims = GoodClaims();
  claims.warn_after = kNow - 7;
  const serving::Authentication found = AskToken(*tokens_, Sign(claims));
  ASSERT_EQ(found.audit_annotations.size(), 1u);
  EXPECT_EQ(found.audit_annotations[0].second,
            "subject: system:serviceaccount:ns:sa, seconds after warning threshold: 7");
}

TEST_F(ServiceAccountTokensTest, TokensInSecretsMustMatchTheSecret) {
  const serving::LegacyClaims claims{.subject = "system:serviceaccount:ns:sa",
                                     .name_space = "ns",
                                     .secret = "s",
                                     .service_account = "sa",
                                     .service_account_uid = "sa-uid"};
  const std::string token = Sign(claims.ToJson());
  EXPECT_EQ(AskToken(*tokens_, token).error, "Token has been invalidated");
  BoundObject& secret = lookup_.Add(BoundKind::kSecret, "ns", "s", "u");
  secret.token = "another";
  EXPECT_EQ(AskToken(*tokens_, token).error, "Token does not match server's copy");
  secret.token = token;
  const serving::Authentication found = AskToken(*tokens_, token);
  ASSERT_TRUE(found.ok()) << found.error;
  EXPECT_EQ(found.user.name, "system:serviceaccount:ns:sa");
  EXPECT_TRUE(found.user.extra.empty());
  ASSERT_EQ(uses_.size(), 1u);
  EXPECT_EQ(uses_[0].date, "2023-11-14");
  secret.labels["kubernetes.io/legacy-token-last-used"] = "2023-11-14";
  AskToken(*tokens_, token);
  EXPECT_EQ(uses_.size(), 1u);
  secret.labels["kubernetes.io/legacy-token-invalid-since"] = "2023-11-01";
  EXPECT_EQ(AskToken(*tokens_, token).outcome, Outcome::kRefused);

  serving::LegacyClaims wrong = claims;
  wrong.subject = "system:serviceaccount:ns:other";
  EXPECT_EQ(AskToken(*tokens_, Sign(wrong.ToJson())).error, "sub claim is invalid");
  wrong.secret = "";
  EXPECT_EQ(AskToken(*tokens_, Sign(wrong.ToJson())).error, "secretName claim is missing");
}

TEST(UuidTest, HasVersionAndVariant) {
  SeededRandom random(1);
  const std::string uuid = NewUuid(random);
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  EXPECT_NE(uuid, NewUuid(random));
}

}  // namespace
}  // namespace skiff::apiserver

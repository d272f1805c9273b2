#include "controllers/service_account_tokens.h"

#include "controllers/queue_controller_testing.h"
#include "crypto/testing.h"
#include "serving/auth/jwt.h"
#include "serving/auth/service_account_claims.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }
const client::ApiResource& Accounts() { return client::BuiltIn("", "v1", "serviceaccounts"); }

class ServiceAccountTokensTest : public ControllerTest {
 protected:
  ServiceAccountTokensTest() {
    options_.service_account_private_key = Key().private_pem;
    options_.root_ca = "PEM";
  }
  static const testing::PemPair& Key() {
    static const testing::PemPair key = testing::MakeKey("P-256");
    return key;
  }
  client::ObjectPtr PutAccount(const std::string& secrets = {}) {
    return Put(Accounts(), "{\"metadata\":{\"name\":\"robot\",\"namespace\":\"a\"},\"secrets\":[" +
                               secrets + "]}");
  }
  void PutSecret(const std::string& name, const std::string& annotations,
                 const std::string& type = "kubernetes.io/service-account-token") {
    Put(Secrets(), "{\"metadata\":{\"name\":\"" + name +
                       "\",\"namespace\":\"a\",\"annotations\":{" + annotations + "}},\"type\":\"" +
                       type + "\"}");
  }
  std::string DataOf(const std::string& name, std::string_view key) {
    const client::ObjectPtr secret = Find(Secrets(), "a", name);
    return secret ? std::string(views::core_v1::Secret(*secret).data().Get(key)) : "gone";
  }
  static inline const std::string kOfRobot = R"("kubernetes.io/service-account.name":"robot")";
};

TEST_F(ServiceAccountTokensTest, ASecretOfAnAccountIsFilled) {
  const client::ObjectPtr account = PutAccount();
  PutSecret("t", kOfRobot);
  Run(MakeServiceAccountTokensController);
  EXPECT_EQ(DataOf("t", "ca.crt"), "PEM");
  EXPECT_EQ(DataOf("t", "namespace"), "a");
  EXPECT_EQ(AnnotationOf(*Find(Secrets(), "a", "t"), "kubernetes.io/service-account.uid"),
            client::UidOf(*account));
  const std::optional<serving::Jwt> token = serving::Jwt::Parse(DataOf("t", "token"));
  ASSERT_TRUE(token);
  EXPECT_EQ(token->Verify(serving::JwtKey::ParsePublic(Key().public_pem, "test").value()),
            serving::Jwt::Verdict::kGood);
  const serving::LegacyClaims claims = serving::LegacyClaims::Read(token->claims());
  EXPECT_EQ(claims.subject, "system:serviceaccount:a:robot");
  EXPECT_EQ(claims.secret, "t");
  EXPECT_EQ(claims.service_account_uid, client::UidOf(*account));
  ExpectQuiet();
}

TEST_F(ServiceAccountTokensTest, WhatIsTakenAwayIsPutBackAndATokenThatIsThereStays) {
  PutAccount();
  Put(Secrets(), R"({"metadata":{"name":"t","namespace":"a","annotations":{)" + kOfRobot +
                     R"(}},"type":"kubernetes.io/service-account-token","data":{"token":")" +
                     Base64("mine") + R"(","ca.crt":")" + Base64("old") + R"("}})");
  Run(MakeServiceAccountTokensController);
  EXPECT_EQ(DataOf("t", "token"), "mine");
  EXPECT_EQ(DataOf("t", "ca.crt"), "PEM");
  EXPECT_EQ(DataOf("t", "namespace"), "a");
}

TEST_F(ServiceAccountTokensTest, SecretsGoWithTheirAccount) {
  PutAccount();
  PutSecret("t", kOfRobot);
  PutSecret("stranger", R"("kubernetes.io/service-account.name":"nobody")");
  PutSecret("replaced", kOfRobot + R"(,"kubernetes.io/service-account.uid":"former")");
  PutSecret("nameless", "");
  PutSecret("opaque", R"("kubernetes.io/service-account.name":"nobody")", "Opaque");
  Run(MakeServiceAccountTokensController);
  EXPECT_TRUE(Find(Secrets(), "a", "t"));
  EXPECT_FALSE(Find(Secrets(), "a", "stranger"));
  EXPECT_FALSE(Find(Secrets(), "a", "replaced"));
  Remove(Accounts(), "a", "robot");
  Settle();
  EXPECT_FALSE(Find(Secrets(), "a", "t"));
  EXPECT_TRUE(Find(Secrets(), "a", "nameless"));
  EXPECT_TRUE(Find(Secrets(), "a", "opaque"));
  ExpectQuiet();
}

TEST_F(ServiceAccountTokensTest, AnAccountForgetsASecretThatIsGone) {
  PutAccount(R"({"name":"t"},{"name":"other"})");
  PutSecret("t", kOfRobot);
  Run(MakeServiceAccountTokensController);
  Remove(Secrets(), "a", "t");
  Settle();
  EXPECT_EQ(Json(Find(Accounts(), "a", "robot"), {"secrets"}), R"([{"name":"other"}])");
}

TEST_F(ServiceAccountTokensTest, FailuresAreTriedAgain) {
  PutAccount();
  PutSecret("t", kOfRobot);
  PutSecret("stranger", R"("kubernetes.io/service-account.name":"nobody")");
  api_.Fail({.verb = client::ClientVerb::kUpdate, .times = 2});
  api_.Fail({.verb = client::ClientVerb::kGet, .times = 2});
  api_.Fail({.verb = client::ClientVerb::kDelete, .times = 2});
  Run(MakeServiceAccountTokensController);
  EXPECT_EQ(DataOf("t", "namespace"), "a");
  EXPECT_FALSE(Find(Secrets(), "a", "stranger"));
}

TEST_F(ServiceAccountTokensTest, WithoutAKeyThereIsNoLoop) {
  options_.service_account_private_key.clear();
  Run(MakeServiceAccountTokensController);
  EXPECT_EQ(controller_, nullptr);
}

}  // namespace
}  // namespace skiff::controllers

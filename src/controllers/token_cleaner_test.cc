#include "controllers/token_cleaner.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }

class TokenCleanerTest : public ControllerTest {
 protected:
  void PutSecret(const std::string& name, const std::string& expiration,
                 const std::string& name_space = "kube-system",
                 const std::string& type = "bootstrap.kubernetes.io/token") {
    std::string data;
    if (!expiration.empty()) data = "\"expiration\":\"" + Base64(expiration) + "\"";
    Put(Secrets(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" + name_space +
                       "\"},\"type\":\"" + type + "\",\"data\":{" + data + "}}");
  }
  bool IsThere(const std::string& name, const std::string& name_space = "kube-system") {
    return Find(Secrets(), name_space, name) != nullptr;
  }
};

TEST_F(TokenCleanerTest, TokensGoWhenTheyExpire) {
  const std::string past = TimeFromNow(-std::chrono::seconds(1));
  PutSecret("past", past);
  PutSecret("unreadable", "tomorrow");
  PutSecret("for-ever", "");
  PutSecret("later", TimeFromNow(std::chrono::minutes(10)));
  PutSecret("other-type", past, "kube-system", "Opaque");
  PutSecret("elsewhere", past, "default");
  Run(MakeTokenCleanerController);
  EXPECT_FALSE(IsThere("past"));
  EXPECT_FALSE(IsThere("unreadable"));
  EXPECT_TRUE(IsThere("later"));
  Pass(std::chrono::minutes(10));
  EXPECT_FALSE(IsThere("later"));
  ExpectQuiet();
  EXPECT_TRUE(IsThere("for-ever"));
  EXPECT_TRUE(IsThere("other-type"));
  EXPECT_TRUE(IsThere("elsewhere", "default"));
}

TEST_F(TokenCleanerTest, ATokenThatIsProlongedStays) {
  PutSecret("t", TimeFromNow(std::chrono::minutes(10)));
  Run(MakeTokenCleanerController);
  PutSecret("t", TimeFromNow(std::chrono::minutes(20)));
  Pass(std::chrono::minutes(15));
  EXPECT_TRUE(IsThere("t"));
  Pass(std::chrono::minutes(5));
  EXPECT_FALSE(IsThere("t"));
}

TEST_F(TokenCleanerTest, FailuresAreTriedAgain) {
  PutSecret("t", TimeFromNow(-std::chrono::seconds(1)));
  api_.Fail({.verb = client::ClientVerb::kDelete, .times = 3});
  Run(MakeTokenCleanerController);
  EXPECT_FALSE(IsThere("t"));
}

}  // namespace
}  // namespace skiff::controllers

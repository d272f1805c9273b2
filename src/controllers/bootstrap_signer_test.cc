#include "controllers/bootstrap_signer.h"

#include "controllers/bootstrap_tokens.h"
#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }
const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }

TEST(DetachedSignatureTest, IsThatOfKubernetes) {
  EXPECT_EQ(
      DetachedSignature("Hello from the other side. I must have called a thousand times.",
                        {.id = "joshua", .secret = "my voice is my passcode"}),
      "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8");
  EXPECT_EQ(
      DetachedSignature("", {.id = "joshua", .secret = "my voice is my passcode"}),
      "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk");
}

class BootstrapSignerTest : public ControllerTest {
 protected:
  void PutToken(const std::string& id, const std::string& usage = "true",
                const std::string& expiration = {}) {
    std::string data = "\"token-id\":\"" + Base64(id) + "\",\"token-secret\":\"" +
                       Base64("secret") + "\",\"usage-bootstrap-signing\":\"" + Base64(usage) +
                       "\"";
    if (!expiration.empty()) data += ",\"expiration\":\"" + Base64(expiration) + "\"";
    Put(Secrets(),
        "{\"metadata\":{\"name\":\"bootstrap-token-" + id +
            "\",\"namespace\":\"kube-system\"},\"type\":\"bootstrap.kubernetes.io/token\""
            ",\"data\":{" +
            data + "}}");
  }
  void PutInfo(const std::string& data) {
    Put(ConfigMaps(),
        R"({"metadata":{"name":"cluster-info","namespace":"kube-public"},"data":{)" + data + "}}");
  }
  std::string Signature(const std::string& id, const std::string& content = "config") {
    return DetachedSignature(content, {.id = id, .secret = "secret"});
  }
  std::string Data() { return Json(Find(ConfigMaps(), "kube-public", "cluster-info"), {"data"}); }
  std::string Signed(const std::string& id) {
    return "\"jws-kubeconfig-" + id + "\":\"" + Signature(id) + "\"";
  }
};

TEST_F(BootstrapSignerTest, EveryTokenForSigningSigns) {
  PutInfo("\"kubeconfig\":\"config\"");
  PutToken("aaaaaa");
  PutToken("bbbbbb");
  PutToken("cccccc", "false");
  PutToken("dddddd", "true", TimeFromNow(-std::chrono::seconds(1)));
  PutToken("eeeeee", "true", "no time");
  Run(MakeBootstrapSignerController);
  EXPECT_EQ(Data(),
            "{" + Signed("aaaaaa") + "," + Signed("bbbbbb") + ",\"kubeconfig\":\"config\"}");
  ExpectQuiet();
}

TEST_F(BootstrapSignerTest, SignaturesFollowTheContentAndTheTokens) {
  PutInfo("\"kubeconfig\":\"old\",\"other\":\"stays\",\"jws-kubeconfig-zzzzzz\":\"stale\"");
  PutToken("aaaaaa");
  Run(MakeBootstrapSignerController);
  PutInfo("\"kubeconfig\":\"config\",\"other\":\"stays\"");
  PutToken("bbbbbb");
  Remove(Secrets(), "kube-system", "bootstrap-token-aaaaaa");
  Settle();
  EXPECT_EQ(Data(), "{" + Signed("bbbbbb") + ",\"kubeconfig\":\"config\",\"other\":\"stays\"}");
}

TEST_F(BootstrapSignerTest, ASignatureGoesWhenItsTokenExpires) {
  PutInfo("\"kubeconfig\":\"config\"");
  PutToken("aaaaaa", "true", TimeFromNow(std::chrono::minutes(5)));
  Run(MakeBootstrapSignerController);
  EXPECT_EQ(Data(), "{" + Signed("aaaaaa") + ",\"kubeconfig\":\"config\"}");
  Pass(std::chrono::minutes(5));
  EXPECT_EQ(Data(), "{\"kubeconfig\":\"config\"}");
}

TEST_F(BootstrapSignerTest, WithoutContentThereIsNothingToSign) {
  PutInfo("\"other\":\"x\"");
  PutToken("aaaaaa");
  Run(MakeBootstrapSignerController);
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(BootstrapSignerTest, FailuresAreTriedAgain) {
  PutInfo("\"kubeconfig\":\"config\"");
  PutToken("aaaaaa");
  api_.Fail({.verb = client::ClientVerb::kUpdate, .times = 3});
  Run(MakeBootstrapSignerController);
  EXPECT_EQ(Data(), "{" + Signed("aaaaaa") + ",\"kubeconfig\":\"config\"}");
}

}  // namespace
}  // namespace skiff::controllers

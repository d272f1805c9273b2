#include "controllers/csr_cleaner.h"

#include "controllers/queue_controller_testing.h"
#include "pki/certificate.h"

namespace skiff::controllers {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const client::ApiResource& Requests() {
  return client::BuiltIn("certificates.k8s.io", "v1", "certificatesigningrequests");
}

class CsrCleanerTest : public ControllerTest {
 protected:
  // Asked for, and decided on with this condition, so long ago.
  void PutRequest(const std::string& name, Duration age, const std::string& condition,
                  const std::string& certificate = {}) {
    const std::string since = TimeFromNow(-age);
    std::string status;
    if (!condition.empty()) {
      status = "\"conditions\":[{\"type\":\"" + condition +
               "\",\"status\":\"True\",\"lastUpdateTime\":\"" + since + "\"}]";
    }
    if (!certificate.empty()) status += ",\"certificate\":\"" + Base64(certificate) + "\"";
    Put(Requests(), "{\"metadata\":{\"name\":\"" + name + "\",\"creationTimestamp\":\"" + since +
                        "\"},\"status\":{" + status + "}}");
  }
  bool IsThere(const std::string& name) { return Find(Requests(), "", name) != nullptr; }
  std::string CertificateUntil(Duration from_now) {
    const pki::PrivateKey key = pki::PrivateKey::Generate().value();
    pki::CertificateSpec spec;
    spec.common_name = "x";
    spec.not_before = executor_.clock().Wall() - hours(48);
    spec.not_after = executor_.clock().Wall() + from_now;
    return pki::Certificate::SelfSigned(spec, key).value().ToPem();
  }
};

TEST_F(CsrCleanerTest, EachKindGoesAtItsOwnAge) {
  PutRequest("pending-old", hours(25), "");
  PutRequest("pending", hours(23), "");
  PutRequest("denied-old", minutes(61), "Denied");
  PutRequest("denied", minutes(58), "Denied");
  PutRequest("failed-old", minutes(61), "Failed");
  PutRequest("failed", minutes(58), "Failed");
  PutRequest("issued-old", minutes(61), "Approved", "not even a certificate");
  PutRequest("issued", minutes(58), "Approved", "not even a certificate");
  PutRequest("approved-old", hours(25), "Approved");
  PutRequest("approved", hours(23), "Approved");
  Run(MakeCsrCleanerController);
  for (const std::string kind : {"pending", "denied", "failed", "issued", "approved"}) {
    EXPECT_TRUE(IsThere(kind)) << kind;
    EXPECT_FALSE(IsThere(kind + "-old")) << kind;
  }
}

TEST_F(CsrCleanerTest, AnExpiredCertificateIsNoReasonToWait) {
  PutRequest("expired", minutes(5), "Approved", CertificateUntil(-minutes(1)));
  PutRequest("good", minutes(5), "Approved", CertificateUntil(hours(1)));
  Run(MakeCsrCleanerController);
  EXPECT_FALSE(IsThere("expired"));
  EXPECT_TRUE(IsThere("good"));
}

TEST_F(CsrCleanerTest, LooksAgainEveryHourAndSurvivesFailures) {
  PutRequest("old", hours(25), "");
  api_.Fail({.verb = client::ClientVerb::kDelete});
  Run(MakeCsrCleanerController);
  EXPECT_TRUE(IsThere("old"));
  api_.Fail({.verb = client::ClientVerb::kList});
  Pass(hours(1));
  EXPECT_TRUE(IsThere("old"));
  Pass(hours(1));
  EXPECT_FALSE(IsThere("old"));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kList), 3U);
  EXPECT_TRUE(api_.watch_calls().empty());
}

}  // namespace
}  // namespace skiff::controllers

#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"
#include "apiserver/admission/testing_csrs.h"

namespace skiff::apiserver {
namespace {

constexpr char kCsrs[] = "certificates.k8s.io/certificatesigningrequests";
constexpr char kRefused[] = "certificatesigningrequests.certificates.k8s.io \"x\" is forbidden: ";

class CertificatePluginsTest : public testing::PluginTest {
 protected:
  static std::string Csr(const std::string& signer, std::string_view request = {},
                         const std::string& status = "{}") {
    return R"({"spec":{"signerName":")" + signer + R"(","request":")" + std::string(request) +
           R"("},"status":)" + status + "}";
  }
  std::string Update(const std::string& subresource, const std::string& old,
                     const std::string& object) {
    return Ask({.operation = AdmissionOperation::kUpdate,
                .resource = kCsrs,
                .subresource = subresource,
                .name_space = "",
                .object = object,
                .old = old});
  }
};

TEST_F(CertificatePluginsTest, ApprovalTakesTheRightForTheSignerOrItsDomain) {
  Make(MakeCertificateApproval);
  const std::string csr = Csr("example.com/a");
  EXPECT_EQ(Update("approval", csr, csr),
            std::string(kRefused) +
                "user not permitted to approve requests with signerName \"example.com/a\"");
  authorizer_.allowed = {"approve certificates.k8s.io/signers/ /example.com/a"};
  EXPECT_EQ(Update("approval", csr, csr), "");
  authorizer_.allowed = {"approve certificates.k8s.io/signers/ /example.com/*"};
  EXPECT_EQ(Update("approval", csr, csr), "");
  authorizer_.allowed.clear();
  EXPECT_EQ(Update("status", csr, csr), "");
}

TEST_F(CertificatePluginsTest, SigningTakesARightOnceSomethingIsSigned) {
  Make(MakeCertificateSigning);
  const std::string plain = Csr("example.com/a");
  const std::string signed_one = Csr("example.com/a", "", R"({"certificate":"YQ=="})");
  const std::string failed =
      Csr("example.com/a", "", R"({"conditions":[{"type":"Failed","status":"True"}]})");
  const std::string refused =
      std::string(kRefused) +
      "user not permitted to sign requests with signerName \"example.com/a\"";
  EXPECT_EQ(Update("status", plain, plain), "");
  EXPECT_EQ(Update("status", plain, signed_one), refused);
  EXPECT_EQ(Update("status", plain, failed), refused);
  authorizer_.allowed = {"sign certificates.k8s.io/signers/ /example.com/*"};
  EXPECT_EQ(Update("status", plain, signed_one), "");
}

TEST_F(CertificatePluginsTest, NobodyBecomesAMasterByCertificate) {
  Make(MakeCertificateSubjectRestriction);
  const auto create = [&](const std::string& signer, std::string_view request) {
    return Ask({.resource = kCsrs, .name_space = "", .object = Csr(signer, request)});
  };
  const std::string signer = "kubernetes.io/kube-apiserver-client";
  EXPECT_EQ(create(signer, testing::kMastersCsr),
            std::string(kRefused) +
                "use of kubernetes.io/kube-apiserver-client signer with system:masters group is "
                "not allowed");
  EXPECT_EQ(create(signer, testing::kNodeCsr), "");
  EXPECT_EQ(create("example.com/a", testing::kMastersCsr), "");
  EXPECT_EQ(
      create(signer, "YQ=="),
      std::string(kRefused) + "failed to parse CSR: PEM block type must be CERTIFICATE REQUEST");
}

TEST_F(CertificatePluginsTest, TrustBundlesTakeTheRightToAttest) {
  gates_.insert("ClusterTrustBundle");
  Make(MakeClusterTrustBundleAttest);
  const auto create = [&](const std::string& spec) {
    return Ask({.resource = "certificates.k8s.io/clustertrustbundles",
                .name_space = "",
                .object = R"({"spec":)" + spec + "}"});
  };
  EXPECT_EQ(create("{}"), "");
  EXPECT_EQ(create(R"({"signerName":"example.com/a"})"),
            "clustertrustbundles.certificates.k8s.io \"x\" is forbidden: user not permitted to "
            "attest for signerName \"example.com/a\"");
  authorizer_.allowed = {"attest certificates.k8s.io/signers/ /example.com/a"};
  EXPECT_EQ(create(R"({"signerName":"example.com/a"})"), "");
}

}  // namespace
}  // namespace skiff::apiserver

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "apiserver/registry/certificates/x509.h"
#include "apiserver/registry/rules_testing.h"
#include "object/scalar/base64.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<size_t>(size));
  BIO_free(bio);
  return out;
}

std::string Base64(std::string_view bytes) {
  std::string out(object::Base64EncodedSize(bytes.size()), '\0');
  object::EncodeBase64(bytes, out.data());
  return out;
}

// A request and a certificate of one key, in PEM.
struct Made {
  std::string request;
  std::string certificate;
};

Made Make() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509_REQ* request = X509_REQ_new();
  X509_REQ_set_pubkey(request, key);
  X509_NAME_add_entry_by_txt(X509_REQ_get_subject_name(request), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("me"), -1, -1, 0);
  X509_REQ_sign(request, key, EVP_sha256());
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  Made made;
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509_REQ(bio, request);
  made.request = Text(bio);
  bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  made.certificate = Text(bio);
  X509_free(certificate);
  X509_REQ_free(request);
  EVP_PKEY_free(key);
  return made;
}

const Made& TheMade() {
  static const Made made = Make();
  return made;
}

const RulesTester& Request() {
  static const RulesTester tester(
      "certificates.k8s.io/v1", "CertificateSigningRequest",
      R"({"metadata": {"name": "r"}, "spec": {"signerName": "example.com/s", "usages":
      ["client auth"], "request": ")" +
          Base64(TheMade().request) + R"("}})");
  return tester;
}

TEST(CertificateRequestRulesTest, ARequestIsSignedAndSaysWhatItIsFor) {
  Request().ExpectNew({
      {"spec.request=YQ==", "spec.request Invalid"},
      {"spec.usages=", "spec.usages Required"},
      {"spec.usages=[\"x\",\"x\"]",
       "spec.usages[0] NotSupported; spec.usages[1] NotSupported; spec.usages[1] Duplicate"},
      {"spec.signerName=", "spec.signerName Required"},
      {"spec.signerName=x", "spec.signerName Invalid"},
      {"spec.signerName=kubernetes.io/legacy-unknown", "spec.signerName Invalid"},
      {"spec.expirationSeconds=599", "spec.expirationSeconds Invalid"},
      {"spec.expirationSeconds=600", ""},
  });
}

TEST(CertificateRequestRulesTest, DecisionsAreMadeOnceAndByThoseWhoDecide) {
  constexpr std::string_view kApproved =
      "status.conditions=[{\"type\": \"Approved\", \"status\": \"True\"}]";
  constexpr std::string_view kDenied =
      "status.conditions=[{\"type\": \"Denied\", \"status\": \"True\"}]";
  Request().ExpectChanged({{"", kApproved, "status.conditions Forbidden"}}, "status");
  Request().ExpectChanged(
      {{"", kApproved, ""},
       {kApproved, kDenied, "status.conditions Forbidden"},
       {"", "status.conditions=[{\"type\": \"Approved\", \"status\": \"False\"}]",
        "status.conditions[0].status NotSupported"},
       {"", "status.conditions=[{\"type\": \"\"},{\"type\": \"\", \"status\": \"True\"}]",
        "status.conditions[0].type Required; status.conditions[0].status Required; "
        "status.conditions[1].type Required; status.conditions[1].type Duplicate"},
       {kApproved, "status.conditions[1]={\"type\": \"Denied\", \"status\": \"True\"}",
        "status.conditions Invalid"},
       {"", "status.certificate=YQ==", "status.certificate Invalid; status.certificate Forbidden"}},
      "approval");
}

TEST(CertificateRequestRulesTest, ACertificateIsIssuedOnce) {
  const std::string issued = "status.certificate=" + Base64(TheMade().certificate);
  Request().ExpectChanged({{"", issued, ""},
                           {"", "status.certificate=YQ==", "status.certificate Invalid"},
                           {issued, "status.certificate=", "status.certificate Forbidden"}},
                          "status");
}

TEST(ClusterTrustBundleRulesTest, ABundleHoldsAuthoritiesAndIsNamedByItsSigner) {
  const RulesTester tester("certificates.k8s.io/v1beta1", "ClusterTrustBundle",
                           R"({"metadata": {"name": "b"}, "spec": {"trustBundle": "x"}})");
  EXPECT_EQ(tester.New(""), "spec.trustBundle Invalid");
  EXPECT_EQ(tester.New("metadata.name=a:b"), "metadata.name Invalid; spec.trustBundle Invalid");
  EXPECT_EQ(tester.New("spec.signerName=e.com/s"),
            "metadata.name Invalid; spec.trustBundle Invalid");
  EXPECT_EQ(tester.Changed("spec.signerName=e.com/s & metadata.name=e.com:s:b",
                           "spec.signerName=e.com/t & metadata.name=e.com:t:b"),
            "spec.signerName Invalid");
  EXPECT_EQ(tester.Changed("", "metadata.labels.a=b"), "");
}

TEST(PodCertificateRequestRulesTest, ARequestNamesAPodANodeAndAKey) {
  const RulesTester tester(
      "certificates.k8s.io/v1beta1", "PodCertificateRequest",
      R"({"metadata": {"name": "r"}, "spec": {"signerName": "example.com/s", "podName": "p",
      "podUID": "u", "serviceAccountName": "s", "serviceAccountUID": "u", "nodeName": "n",
      "nodeUID": "u", "maxExpirationSeconds": 3600, "stubPKCS10Request": ")" +
          Base64(ReadPem(TheMade().request)[0].der) + R"("}})");
  tester.ExpectNew({
      {"spec.podName=A!", "spec.podName Invalid"},
      {"spec.podUID=", "spec.podUID Invalid"},
      {"spec.maxExpirationSeconds=", "spec.maxExpirationSeconds Required"},
      {"spec.maxExpirationSeconds=60", "spec.maxExpirationSeconds Invalid"},
      {"spec.stubPKCS10Request=", "spec Invalid"},
      {"spec.stubPKCS10Request=YQ==", "spec.stubPKCS10Request Invalid"},
  });
  tester.ExpectChanged({{"", "spec.podName=q", "spec Invalid"}});
  EXPECT_EQ(tester.Changed("", "status.certificateChain=x", "status"), "status Invalid");
}

}  // namespace
}  // namespace skiff::apiserver

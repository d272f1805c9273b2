#include "pki/certificate.h"

#include <gtest/gtest.h>

namespace skiff::pki {
namespace {

constexpr Duration kNow = std::chrono::seconds(1'700'000'000);

CertificateSpec Spec(CertificateUse use, std::string name) {
  CertificateSpec spec;
  spec.common_name = std::move(name);
  spec.use = use;
  spec.not_before = kNow;
  spec.not_after = kNow + std::chrono::hours(24);
  return spec;
}

TEST(PrivateKeyTest, SurvivesPem) {
  const PrivateKey key = PrivateKey::Generate().value();
  const Result<PrivateKey> again = PrivateKey::FromPem(key.ToPem());
  ASSERT_TRUE(again);
  EXPECT_TRUE(key.HasSamePublicKey(*again));
  EXPECT_FALSE(key.HasSamePublicKey(PrivateKey::Generate().value()));
  EXPECT_TRUE(key.ToPem().starts_with("-----BEGIN PRIVATE KEY-----"));
  EXPECT_TRUE(key.PublicPem().starts_with("-----BEGIN PUBLIC KEY-----"));
}

TEST(PrivateKeyTest, RefusesWhatIsNoKey) {
  EXPECT_FALSE(PrivateKey::FromPem(""));
  EXPECT_FALSE(PrivateKey::FromPem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"));
  EXPECT_FALSE(PrivateKey::FromPem(PrivateKey::Generate().value().PublicPem()));
}

TEST(CertificateTest, SaysWhatItWasMadeWith) {
  const PrivateKey ca_key = PrivateKey::Generate().value();
  const Certificate ca =
      Certificate::SelfSigned(Spec(CertificateUse::kCa, "kubernetes"), ca_key).value();
  const PrivateKey key = PrivateKey::Generate().value();
  CertificateSpec spec = Spec(CertificateUse::kServer, "kube-apiserver");
  spec.organizations = {"system:masters", "grüße"};
  spec.dns_names = {"localhost", "a,DNS:b"};
  spec.ip_addresses = {*IpAddress::Parse("10.96.0.1"), *IpAddress::Parse("::1")};
  const Certificate made = Certificate::Signed(spec, key, ca, ca_key).value();

  const Result<Certificate> read = Certificate::FromPem(made.ToPem());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->CommonName(), "kube-apiserver");
  EXPECT_EQ(read->Organizations(), spec.organizations);
  EXPECT_EQ(read->DnsNames(), spec.dns_names);
  EXPECT_EQ(read->IpAddresses(), spec.ip_addresses);
  EXPECT_EQ(read->NotBefore(), spec.not_before);
  EXPECT_EQ(read->NotAfter(), spec.not_after);
  EXPECT_FALSE(read->IsCa());
  EXPECT_TRUE(ca.IsCa());
  EXPECT_TRUE(read->IsSignedBy(ca));
  EXPECT_FALSE(ca.IsSignedBy(*read));
  EXPECT_TRUE(read->BelongsTo(key));
  EXPECT_FALSE(read->BelongsTo(ca_key));
  EXPECT_EQ(read->Fingerprint(), made.Fingerprint());
  EXPECT_EQ(read->Fingerprint().size(), 64U);
}

TEST(CertificateTest, CoversOnlyItsOwnNames) {
  CertificateSpec spec = Spec(CertificateUse::kServer, "x");
  spec.dns_names = {"localhost"};
  spec.ip_addresses = {IpAddress::LoopbackV4()};
  const Certificate made = Certificate::SelfSigned(spec, PrivateKey::Generate().value()).value();
  EXPECT_TRUE(made.Covers({}, {}));
  EXPECT_TRUE(made.Covers({"localhost"}, {IpAddress::LoopbackV4()}));
  EXPECT_FALSE(made.Covers({"x"}, {}));
  EXPECT_FALSE(made.Covers({}, {*IpAddress::Parse("::1")}));
}

TEST(CertificateTest, DoesNotOutliveItsCa) {
  const PrivateKey key = PrivateKey::Generate().value();
  const Certificate ca =
      Certificate::SelfSigned(Spec(CertificateUse::kCa, "kubernetes"), key).value();
  CertificateSpec spec = Spec(CertificateUse::kClient, "admin");
  spec.not_after += std::chrono::hours(1);
  EXPECT_EQ(Certificate::Signed(spec, key, ca, key)->NotAfter(), ca.NotAfter());
}

TEST(CertificateTest, DatesBeyond2050Survive) {
  CertificateSpec spec = Spec(CertificateUse::kCa, "kubernetes");
  spec.not_after = kNow + std::chrono::hours(24 * 365 * 60);
  const Certificate made = Certificate::SelfSigned(spec, PrivateKey::Generate().value()).value();
  EXPECT_EQ(made.NotAfter(), spec.not_after);
}

}  // namespace
}  // namespace skiff::pki

#include "apiserver/registry/core/key_pair.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

// Made for this test alone; valid for a hundred years, which nothing here asks for.
constexpr const char* kCertificate = R"(-----BEGIN CERTIFICATE-----
MIIBbjCCARWgAwIBAgIUV7UR/utb0eK1yPa2YZAmDfJYuzkwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBdDAgFw0yNjExMTUyMjQ1NDZaGA8yMTI2MTAyMjIyNDU0Nlow
DDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAcwom/qn3Uw
k76+LBhgO68UTA5LDdLSIzYPPYKE0gAMTXFhndN1rnhSfCFt1tbx5T/GIyc14sN/
2tPCL5za9zmjUzBRMB0GA1UdDgQWBBR0bI4GO5T0Cxa+bxrKEyhZKRh01zAfBgNV
HSMEGDAWgBR0bI4GO5T0Cxa+bxrKEyhZKRh01zAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0cAMEQCIEt2rXqpxKFNWk/gmac/j7b6vNqfG5GA29IjlkMhiCpY
AiB0Ndwf8euQNckxa99/4W/piYByQjVe4R1No9LphM1oPQ==
-----END CERTIFICATE-----
)";
constexpr const char* kKey = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgudFh2HloFic1BXWm
XT6r8lz/ja2QXP6u+eHn5cGsrOahRANCAAQHMKJv6p91MJO+viwYYDuvFEwOSw3S
0iM2Dz2ChNIADE1xYZ3Tda54UnwhbdbW8eU/xiMnNeLDf9rTwi+c2vc5
-----END PRIVATE KEY-----
)";
constexpr const char* kOtherKey = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8gGeWL2v8+0fbGnT
GgFitZbAe0kTYm57FbTImcEH4AuhRANCAATObIQ2EuIjbb/8lQFg4Fh2NRsIi9CX
D4CkDmtIImnHOUTUDAJ5vPXNPz7hk/4svnTsUsFOAkvdILvmm6Iq5/Q2
-----END PRIVATE KEY-----
)";
constexpr const char* kKeyOfOtherType = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPsawcUfuGa/wGdrI6kwBhH3b2AtGgUsuDvNAM8zVnSJ
-----END PRIVATE KEY-----
)";

TEST(KeyPair, ThatBelongsTogetherHasNoFault) { EXPECT_EQ(KeyPairFault(kCertificate, kKey), ""); }

TEST(KeyPair, TheFirstCertificateCounts) {
  EXPECT_EQ(KeyPairFault(std::string(kKey) + kCertificate + kCertificate, kKey), "");
}

TEST(KeyPair, WithoutPem) {
  EXPECT_EQ(KeyPairFault("", kKey), "tls: failed to find any PEM data in certificate input");
  EXPECT_EQ(KeyPairFault(kCertificate, "x"), "tls: failed to find any PEM data in key input");
}

TEST(KeyPair, ThatIsTheOtherWayRound) {
  EXPECT_EQ(KeyPairFault(kKey, kCertificate),
            "tls: failed to find certificate PEM data in certificate input, but did find a private "
            "key; PEM inputs may have been switched");
  EXPECT_EQ(KeyPairFault(kCertificate, kCertificate),
            "tls: found a certificate rather than a key in the PEM for the private key");
}

TEST(KeyPair, OfOtherThings) {
  constexpr const char* kThing = "-----BEGIN THING-----\nAAAA\n-----END THING-----\n";
  EXPECT_EQ(KeyPairFault(kThing, kKey),
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
            "blocks of the following types: [THING]");
  EXPECT_EQ(KeyPairFault(kCertificate, std::string(kThing) + kThing),
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
            "skipping PEM blocks of the following types: [THING THING]");
}

TEST(KeyPair, ThatCannotBeRead) {
  EXPECT_EQ(KeyPairFault("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", kKey),
            "x509: malformed certificate");
  EXPECT_EQ(
      KeyPairFault(kCertificate, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
      "tls: failed to parse private key");
}

TEST(KeyPair, ThatDoesNotBelongTogether) {
  EXPECT_EQ(KeyPairFault(kCertificate, kOtherKey), "tls: private key does not match public key");
  EXPECT_EQ(KeyPairFault(kCertificate, kKeyOfOtherType),
            "tls: private key type does not match public key type");
}

}  // namespace
}  // namespace skiff::apiserver

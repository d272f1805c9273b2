#include "store/etcd/options.h"

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

std::string ErrorOf(std::string_view url) {
  const auto endpoint = ParseEtcdEndpoint(url);
  return endpoint ? "" : endpoint.error().message();
}

TEST(EtcdEndpointTest, SchemeDecidesAboutTls) {
  EXPECT_FALSE(ParseEtcdEndpoint("http://etcd:2379")->tls);
  EXPECT_TRUE(ParseEtcdEndpoint("https://etcd:2379")->tls);
}

TEST(EtcdEndpointTest, PortIs2379UnlessGiven) {
  EXPECT_EQ(ParseEtcdEndpoint("http://etcd")->port, 2379);
  EXPECT_EQ(ParseEtcdEndpoint("http://etcd/")->port, 2379);
  EXPECT_EQ(ParseEtcdEndpoint("http://etcd:1")->port, 1);
  EXPECT_EQ(ParseEtcdEndpoint("https://[::1]")->port, 2379);
}

TEST(EtcdEndpointTest, RequestsNameTheHostWithItsPort) {
  EXPECT_EQ(ParseEtcdEndpoint("http://10.0.0.1:2379")->Authority(), "10.0.0.1:2379");
  EXPECT_EQ(ParseEtcdEndpoint("https://[fd00::1]:2380")->Authority(), "[fd00::1]:2380");
  EXPECT_EQ(ParseEtcdEndpoint("http://etcd-0.etcd")->Authority(), "etcd-0.etcd:2379");
}

TEST(EtcdEndpointTest, ErrorsSayWhatIsWrong) {
  EXPECT_NE(ErrorOf("10.0.0.1:2379").find("scheme"), std::string::npos);
  EXPECT_NE(ErrorOf("unix:///run/etcd").find("scheme"), std::string::npos);
  EXPECT_NE(ErrorOf("http://").find("host"), std::string::npos);
  EXPECT_NE(ErrorOf("http://:2379").find("host"), std::string::npos);
  EXPECT_NE(ErrorOf("http://a b").find("host"), std::string::npos);
  EXPECT_NE(ErrorOf("http://etcd/v3").find("path"), std::string::npos);
  EXPECT_NE(ErrorOf("http://[::1").find("bracket"), std::string::npos);
  EXPECT_NE(ErrorOf("http://[etcd]:2379").find("IPv6"), std::string::npos);
  EXPECT_NE(ErrorOf("http://[::1]2379").find("bracket"), std::string::npos);
  for (const char* url : {"http://etcd:", "http://etcd:0", "http://etcd:65536", "http://etcd:1x",
                          "http://etcd:-1", "http://::1:2379"})
    EXPECT_NE(ErrorOf(url).find("port"), std::string::npos) << url;
}

TEST(EtcdEndpointTest, ErrorsDoNotRepeatPasswords) {
  EXPECT_EQ(ErrorOf("https://root:secret@etcd:2379").find("secret"), std::string::npos);
  EXPECT_NE(ErrorOf("https://root:secret@etcd:2379"), "");
}

class EtcdOptionsTest : public ::testing::Test {
 protected:
  EtcdOptionsTest() {
    options_.endpoints = {"http://a", "http://b"};
    options_.clock = &clock_;
    options_.random = &random_;
  }
  bool Refused(std::string_view word) {
    const auto checked = CheckEtcdOptions(options_);
    return !checked && checked.error().message().find(word) != std::string::npos;
  }

  ManualClock clock_;
  SeededRandom random_{1};
  EtcdOptions options_;
};

TEST_F(EtcdOptionsTest, OneToFiveEndpointsAreTaken) {
  EXPECT_EQ(CheckEtcdOptions(options_)->size(), 2u);
  options_.endpoints = {"http://a", "http://b", "http://c", "http://d", "http://e"};
  EXPECT_TRUE(CheckEtcdOptions(options_));
  options_.endpoints.push_back("http://f");
  EXPECT_TRUE(Refused("at most 5"));
  options_.endpoints.clear();
  EXPECT_TRUE(Refused("--etcd-servers"));
}

TEST_F(EtcdOptionsTest, AnEndpointMayBeNamedOnce) {
  options_.endpoints = {"http://a", "http://b", "http://a:2379"};
  EXPECT_TRUE(Refused("twice"));
}

TEST_F(EtcdOptionsTest, CertificateAndKeyGoTogether) {
  options_.cert_file = "client.pem";
  EXPECT_TRUE(Refused("--etcd-keyfile"));
  options_.key_file = "client.key";
  EXPECT_TRUE(CheckEtcdOptions(options_));
}

}  // namespace
}  // namespace skiff::store

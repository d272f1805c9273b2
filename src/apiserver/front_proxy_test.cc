#include "apiserver/front_proxy.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

using Outcome = serving::Authentication::Outcome;

class FrontProxyTest : public ::testing::Test {
 protected:
  FrontProxyTest() {
    peer_.common_name = "proxy";
    peer_.verified_by = 2;
    peer_.not_after_seconds = 2'000'000'000;
  }
  serving::Authentication Ask(const std::vector<std::pair<std::string, std::string>>& headers) {
    FrontProxyAuthenticator proxies({.verified_by = 2,
                                     .allowed_names = {"proxy"},
                                     .username_headers = {"X-Remote-User"},
                                     .uid_headers = {"X-Remote-Uid"},
                                     .group_headers = {"X-Remote-Group"},
                                     .extra_header_prefixes = {"X-Remote-Extra-"}},
                                    clock_);
    net::HttpRequest request;
    request.peer = std::make_shared<net::PeerCertificate>(peer_);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    serving::Authentication out;
    proxies.Authenticate(request, [&](serving::Authentication found) { out = found; });
    return out;
  }

  ManualClock clock_;
  net::PeerCertificate peer_;
};

TEST_F(FrontProxyTest, TheHeadersSayWhoAsks) {
  const serving::Authentication found = Ask({{"x-remote-user", "ann"},
                                             {"x-remote-uid", "7"},
                                             {"x-remote-group", "dev"},
                                             {"x-remote-group", "ops"},
                                             {"x-remote-extra-a%2fb", "1"},
                                             {"x-remote-extra-a%2fb", "2"}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.user.name, "ann");
  EXPECT_EQ(found.user.uid, "7");
  EXPECT_EQ(found.user.groups, (std::vector<std::string>{"dev", "ops"}));
  ASSERT_EQ(found.user.extra.size(), 1U);
  EXPECT_EQ(found.user.extra[0].first, "a/b");
  EXPECT_EQ(found.user.extra[0].second, (std::vector<std::string>{"1", "2"}));
}

TEST_F(FrontProxyTest, OnlyProxiesMaySaySo) {
  EXPECT_EQ(Ask({}).outcome, Outcome::kNoCredentials);
  peer_.common_name = "ann";
  EXPECT_EQ(Ask({{"x-remote-user", "bob"}}).outcome, Outcome::kRefused);
  peer_.common_name = "proxy";
  peer_.verified_by = 1;
  EXPECT_EQ(Ask({{"x-remote-user", "bob"}}).outcome, Outcome::kNoCredentials);
}

}  // namespace
}  // namespace skiff::apiserver

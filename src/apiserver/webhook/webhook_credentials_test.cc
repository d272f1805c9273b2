#include "apiserver/webhook/webhook_credentials.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(WebhookCredentialsTest, TheUserIsTheMostExactOneThatIsNamedAfterTheHost) {
  const std::string file = ::testing::TempDir() + "webhooks.kubeconfig";
  std::ofstream(file) << R"(apiVersion: v1
kind: Config
current-context: c
contexts:
- name: c
  context: {user: current}
users:
- name: hook.ns.svc
  user: {token: exact}
- name: hook.ns.svc:8443
  user: {token: with-port}
- name: '*.ns.svc'
  user: {token: namespace}
- name: '*.org'
  user: {token: org}
- name: current
  user: {token: current}
)";
  const Result<WebhookCredentials> read = WebhookCredentials::Read(file);
  ASSERT_TRUE(read) << read.error().ToString();
  const std::pair<std::string, std::string> cases[] = {
      {"hook.ns.svc:443", "exact"},      {"hook.ns.svc:8443", "with-port"},
      {"hook.ns.svc:9443", "current"},   {"other.ns.svc:443", "namespace"},
      {"a.example.org:443", "org"},      {"a.example.org:8443", "current"},
      {"somewhere.else:443", "current"},
  };
  for (const auto& [host, token] : cases) {
    const client::RestConfig* user = read->For(host);
    ASSERT_NE(user, nullptr) << host;
    EXPECT_EQ(user->token.text, token) << host;
  }
  EXPECT_EQ(WebhookCredentials().For("hook.ns.svc:443"), nullptr);
}

}  // namespace
}  // namespace skiff::apiserver

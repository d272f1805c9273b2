#include "cli/up/kubeconfig.h"

#include <gtest/gtest.h>

#include "client/https/kubeconfig.h"

namespace skiff::cli {
namespace {

TEST(KubeconfigTest, WhatSkiffWritesIsRead) {
  const std::string text = MakeKubeconfig({.server = "https://127.0.0.1:6443",
                                           .ca_pem = "ca",
                                           .client_cert_pem = "certificate",
                                           .client_key_pem = "key"});
  const auto config = client::ParseKubeconfig(text, "config");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://127.0.0.1:6443");
  EXPECT_EQ(config->ca.text, "ca");
  EXPECT_EQ(config->certificate.text, "certificate");
  EXPECT_EQ(config->key.text, "key");
  EXPECT_FALSE(config->insecure);
}

}  // namespace
}  // namespace skiff::cli

#include "cli/kubeconfig_reader.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/kubeconfig.h"

namespace skiff {
namespace {

class KubeconfigReaderTest : public testing::Test {
 protected:
  KubeconfigReaderTest() {
    char name[] = "/tmp/skiff-kubeconfig-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~KubeconfigReaderTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string ErrorOf(std::string_view text, std::string_view context = "") {
    const std::string path = Write("bad", text);
    const auto access = ReadKubeconfig(path, context);
    if (access) return "";
    EXPECT_TRUE(access.error().message().starts_with(path + ": ")) << access.error().message();
    return access.error().message().substr(path.size() + 2);
  }

  std::string folder_;
};

TEST_F(KubeconfigReaderTest, WhatSkiffWritesIsRead) {
  const std::string text = MakeKubeconfig({.server = "https://127.0.0.1:6443",
                                           .ca_pem = "ca",
                                           .client_cert_pem = "certificate",
                                           .client_key_pem = "key"});
  const auto access = ReadKubeconfig(Write("config", text), "");
  ASSERT_TRUE(access) << access.error().message();
  EXPECT_EQ(access->server, "https://127.0.0.1:6443");
  EXPECT_EQ(access->tls.ca_pem, "ca");
  EXPECT_EQ(access->tls.certificate_pem, "certificate");
  EXPECT_EQ(access->tls.key_pem, "key");
  EXPECT_FALSE(access->tls.insecure);
}

TEST_F(KubeconfigReaderTest, FilesAreRelativeToTheKubeconfig) {
  Write("ca.crt", "the ca");
  Write("token", "secret\n");
  const auto access = ReadKubeconfig(Write("config", R"(
current-context: a
contexts:
- {name: a, context: {cluster: c, user: u}}
- {name: b, context: {cluster: d}}
clusters:
- {name: c, cluster: {server: "https://c", certificate-authority: ca.crt, tls-server-name: name}}
- {name: d, cluster: {server: "https://d", insecure-skip-tls-verify: true}}
users:
- {name: u, user: {tokenFile: token}}
)"),
                                     "");
  ASSERT_TRUE(access) << access.error().message();
  EXPECT_EQ(access->tls.ca_pem, "the ca");
  EXPECT_EQ(access->tls.server_name, "name");
  EXPECT_EQ(access->token, "secret");
  const auto other = ReadKubeconfig(folder_ + "/config", "b");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->server, "https://d");
  EXPECT_TRUE(other->tls.insecure);
}

TEST_F(KubeconfigReaderTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(ErrorOf("[]"), "this is not a kubeconfig");
  EXPECT_EQ(ErrorOf("{}"), "it has no current context; choose one with --context");
  EXPECT_EQ(ErrorOf("{}", "x"), "it has no context \"x\"");
  EXPECT_EQ(ErrorOf("contexts: [{name: x, context: {cluster: c}}]", "x"),
            "it has no cluster \"c\"");
  EXPECT_NE(ErrorOf("contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                    "clusters: [{name: c, cluster: {server: 'https://c'}}]\n"
                    "users: [{name: u, user: {exec: {command: aws}}}]\n",
                    "x")
                .find("\"exec\""),
            std::string::npos);
}

}  // namespace
}  // namespace skiff

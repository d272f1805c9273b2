#include "client/https/kubeconfig.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "client/https/in_cluster.h"
#include "net/testing_tls.h"

namespace skiff::client {
namespace {

class KubeconfigTest : public testing::Test {
 protected:
  std::string ErrorOf(std::string_view text, std::string_view context = "") {
    const std::string path = folder_.Write("bad", text);
    const auto config = ReadKubeconfig(path, context);
    if (config) return "";
    EXPECT_TRUE(config.error().message().starts_with(path + ": ")) << config.error().message();
    return config.error().message().substr(path.size() + 2);
  }
  RestConfig Read(const std::string& path, std::string_view context = "") {
    auto config = ReadKubeconfig(path, context);
    EXPECT_TRUE(config) << config.error().message();
    return config ? *config : RestConfig();
  }

  net::TestFolder folder_;
};

constexpr std::string_view kTwoContexts = R"(
current-context: a
contexts:
- {name: a, context: {cluster: c, user: u, namespace: ns}}
- {name: b, context: {cluster: d}}
clusters:
- {name: c, cluster: {server: "https://c", certificate-authority: ca.crt, tls-server-name: name}}
- {name: d, cluster: {server: "https://d", insecure-skip-tls-verify: true,
    disable-compression: true}}
users:
- name: u
  user: {tokenFile: token, as: eve, as-uid: "7", as-groups: [g, h], as-user-extra: {k: [v, w]}}
)";

TEST_F(KubeconfigTest, FilesAreRelativeToTheKubeconfig) {
  folder_.Write("ca.crt", "the ca");
  folder_.Write("token", "secret\n");
  const RestConfig config = Read(folder_.Write("config", kTwoContexts));
  EXPECT_EQ(config.ca.file, folder_.Path("ca.crt"));
  EXPECT_EQ(LoadTls(config)->ca_pem, "the ca");
  EXPECT_EQ(config.server_name, "name");
  EXPECT_EQ(config.name_space, "ns");
  EXPECT_EQ(config.token.file, folder_.Path("token"));
  EXPECT_EQ(*LoadToken(config), "secret");
  const RestConfig other = Read(folder_.Path("config"), "b");
  EXPECT_EQ(other.server, "https://d");
  EXPECT_TRUE(other.insecure);
  EXPECT_TRUE(other.token.empty());
  EXPECT_EQ(other.compression, false);
  EXPECT_EQ(config.compression, std::nullopt);
}

TEST_F(KubeconfigTest, ImpersonationIsRead) {
  const RestConfig config = Read(folder_.Write("config", kTwoContexts));
  EXPECT_EQ(config.impersonation.user, "eve");
  EXPECT_EQ(config.impersonation.uid, "7");
  EXPECT_EQ(config.impersonation.groups, (std::vector<std::string>{"g", "h"}));
  EXPECT_EQ(config.impersonation.extra.at("k"), (std::vector<std::string>{"v", "w"}));
  EXPECT_TRUE(config.Anonymous().impersonation.empty());
}

TEST_F(KubeconfigTest, DataStandsBeforeFiles) {
  const RestConfig config = Read(folder_.Write("config", R"(
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://c", certificate-authority-data: Y2E=,
            certificate-authority: nowhere}}]
users: [{name: u, user: {client-certificate-data: Y2VydA==, client-key-data: a2V5, token: t}}]
)"));
  const auto tls = LoadTls(config);
  ASSERT_TRUE(tls) << tls.error().message();
  EXPECT_EQ(tls->ca_pem, "ca");
  EXPECT_EQ(tls->certificate_pem, "cert");
  EXPECT_EQ(tls->key_pem, "key");
  EXPECT_EQ(*LoadToken(config), "t");
}

TEST_F(KubeconfigTest, OfSeveralFilesTheFirstThatHasANameCounts) {
  std::filesystem::create_directory(folder_.Path("sub"));
  const std::string first = folder_.Write("first", R"(
contexts: [{name: a, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: first}}]
)");
  const std::string second = folder_.Write("sub/second", R"(
current-context: a
contexts: [{name: a, context: {cluster: other, user: other}}]
clusters: [{name: c, cluster: {server: "https://c", certificate-authority: ca.crt}}]
users: [{name: u, user: {token: second}}]
)");
  const std::string listed = first + "::" + folder_.Path("missing") + ":" + second + ":" + first;
  const auto paths = FindKubeconfigs(listed, "/nowhere");
  EXPECT_EQ(paths, (std::vector<std::string>{first, second}));
  const auto config = ReadKubeconfig(paths);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://c");
  EXPECT_EQ(config->token.text, "first");
  EXPECT_EQ(config->ca.file, folder_.Path("sub/ca.crt"));
}

TEST_F(KubeconfigTest, WithoutAListItIsThatOfTheHomeFolder) {
  EXPECT_TRUE(FindKubeconfigs("", folder_.Path("")).empty());
  std::filesystem::create_directory(folder_.Path(".kube"));
  const std::string usual = folder_.Write(".kube/config", "{}");
  EXPECT_EQ(FindKubeconfigs("", folder_.Path("")).size(), 1u);
  EXPECT_TRUE(FindKubeconfigs("/nowhere/config", folder_.Path("")).empty());
}

TEST_F(KubeconfigTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(ErrorOf("[]"), "this is not a kubeconfig");
  EXPECT_EQ(ErrorOf("kind: Pod"), "this is not a kubeconfig");
  EXPECT_EQ(ErrorOf("{}"), "it has no current context; choose one with --context");
  EXPECT_EQ(ErrorOf("{}", "x"), "it has no context \"x\"");
  EXPECT_EQ(ErrorOf("contexts: [{name: x, context: {cluster: c}}]", "x"),
            "it has no cluster \"c\"");
  const std::string clusters = "clusters: [{name: c, cluster: {server: 'https://c'}}]\n";
  const std::string context = "contexts: [{name: x, context: {cluster: c, user: u}}]\n";
  EXPECT_EQ(ErrorOf(context + clusters, "x"), "it has no user \"u\"");
  EXPECT_NE(ErrorOf(context + clusters + "users: [{name: u, user: {exec: {command: aws}}}]", "x")
                .find("\"exec\", which is not supported"),
            std::string::npos);
  EXPECT_EQ(
      ErrorOf(context + clusters + clusters.substr(0, 9) + " []\nclusters: [{name: c}, {name: c}]",
              "x"),
      "two of its clusters are called \"c\"");
  EXPECT_EQ(ErrorOf(context + clusters + "users: [{name: u, user: {client-key: k}}]", "x"),
            "there is a client key without its certificate");
}

TEST_F(KubeconfigTest, ErrorsDoNotRepeatWhatIsInTheFile) {
  for (const std::string_view text :
       {"users: [{name: u, user: {token: [hunter2]}}]", "users: [{name: u, user: {token: hunter2",
        "users: hunter2", "users: [{name: u, user: {client-key-data: hunter2*}}]",
        "users:\n- name: u\n\tuser: hunter2",
        "users: [{name: u, user: {token: \"hunter2\\q\"}}]"}) {
    const std::string error = ErrorOf(text);
    EXPECT_FALSE(error.empty()) << text;
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << error;
  }
}

TEST_F(KubeconfigTest, ATokenIsOneWord) {
  RestConfig config;
  config.token.file = folder_.Write("token", "a\r\nx-evil: b\n");
  const auto token = LoadToken(config);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().message(), folder_.Path("token") + ": this is no token");
  config.token.text = "fallback";
  config.token.file = folder_.Path("nowhere");
  EXPECT_EQ(*LoadToken(config), "fallback");
}

TEST_F(KubeconfigTest, APodFindsItsServer) {
  EXPECT_FALSE(InClusterConfig({}));
  InClusterFiles place{.host = "10.0.0.1", .port = "443", .folder = folder_.Path("")};
  EXPECT_FALSE(InClusterConfig(place));
  folder_.Write("token", "t");
  folder_.Write("ca.crt", "ca");
  folder_.Write("namespace", "kube-system\n");
  const auto config = InClusterConfig(place);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->name_space, "kube-system");
  EXPECT_EQ(*LoadToken(*config), "t");
  place.host = "fd00::1";
  EXPECT_EQ(InClusterConfig(place)->server, "https://[fd00::1]:443");
}

}  // namespace
}  // namespace skiff::client

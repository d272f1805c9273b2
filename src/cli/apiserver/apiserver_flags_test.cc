#include "cli/apiserver/apiserver_flags.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cli/common/flag_facts_testing.h"

namespace skiff::cli {
namespace {

class ApiServerFlagsTest : public testing::Test {
 protected:
  // "" or the error.
  std::string Parse(std::initializer_list<std::string_view> words) {
    line_ = {};
    const Result<void> parsed = ParseApiServerFlags(std::vector<std::string_view>(words), line_);
    return parsed ? "" : parsed.error().message();
  }
  const apiserver::ApiServerOptions& options() const { return line_.options; }

  ApiServerCommandLine line_;
};

using Texts = std::vector<std::string>;

TEST_F(ApiServerFlagsTest, SetsWhatItIsGiven) {
  EXPECT_EQ(
      Parse({"--bind-address=::1", "--secure-port", "7443", "--etcd-servers=http://a,http://b",
             "--etcd-servers=http://c", "--profiling=false", "--request-timeout=1m30s",
             "--min-request-timeout=60", "--goaway-chance=0.001", "-v=4",
             "--service-cluster-ip-range=10.96.0.0/12,fd00::/108",
             "--service_node_port_range=1000+99", "--tls-min-version=VersionTLS13",
             "--authorization-mode=Node,RBAC",
             "--runtime-config=api/beta=true,apps/v1=false,batch/v1",
             "--feature-gates=kube:AllAlpha=true,WatchList=false"}),
      "");
  EXPECT_EQ(options().bind_address.ToString(), "::1");
  EXPECT_EQ(options().secure_port, 7443);
  EXPECT_EQ(options().storage.etcd_servers, (Texts{"http://a", "http://b", "http://c"}));
  EXPECT_FALSE(options().profiling);
  EXPECT_EQ(options().requests.request_timeout, std::chrono::seconds(90));
  EXPECT_EQ(options().requests.min_request_timeout, std::chrono::minutes(1));
  EXPECT_EQ(options().requests.goaway_chance, 0.001);
  EXPECT_EQ(options().log_level, 4);
  EXPECT_EQ(options().service.cluster_ip_ranges.size(), 2U);
  EXPECT_EQ(options().service.node_port_max, 1099);
  EXPECT_EQ(options().tls.min_version, apiserver::MinTlsVersion::kTls13);
  EXPECT_EQ(options().authorization_modes, (std::vector{apiserver::AuthorizationMode::kNode,
                                                        apiserver::AuthorizationMode::kRbac}));
  EXPECT_FALSE(options().runtime_config.at("apps/v1"));
  EXPECT_TRUE(options().runtime_config.at("batch/v1"));
  EXPECT_TRUE(options().feature_gates.at("AllAlpha"));
  EXPECT_EQ(line_.warnings, Texts{});
}

TEST_F(ApiServerFlagsTest, ReplacesDefaultsAndAddsToWhatWasGiven) {
  EXPECT_EQ(Parse({"--kubelet-preferred-address-types=InternalIP",
                   "--kubelet-preferred-address-types=Hostname"}),
            "");
  EXPECT_EQ(options().kubelet.preferred_address_types, (Texts{"InternalIP", "Hostname"}));
  EXPECT_EQ(Parse({"--service-account-issuer=https://a,b", "--service-account-issuer=https://c"}),
            "");
  EXPECT_EQ(options().service_account.issuers, (Texts{"https://a,b", "https://c"}));
  EXPECT_EQ(Parse({"--cors-allowed-origins=\"//a,b(:|$)\",//c(:|$)"}), "");
  EXPECT_EQ(options().cors_allowed_origins, (Texts{"//a,b(:|$)", "//c(:|$)"}));
}

TEST_F(ApiServerFlagsTest, ReadsCertificatesForHostNames) {
  EXPECT_EQ(
      Parse({"--tls-sni-cert-key=a.crt,a.key:*.a.com,a.com", "--tls-sni-cert-key=b.crt,b.key"}),
      "");
  ASSERT_EQ(options().tls.sni_cert_keys.size(), 2U);
  EXPECT_EQ(options().tls.sni_cert_keys[0].names, (Texts{"*.a.com", "a.com"}));
  EXPECT_EQ(options().tls.sni_cert_keys[1].key_file, "b.key");
  EXPECT_NE(Parse({"--tls-sni-cert-key=a.crt"}), "");
}

TEST_F(ApiServerFlagsTest, RefusesWhatItWouldBeUnsafeToIgnore) {
  for (const std::string_view word :
       {"--encryption-provider-config=x", "--audit-policy-file=x", "--audit-log-path=-",
        "--oidc-issuer-url=https://x", "--authorization-webhook-config-file=x",
        "--authentication-token-webhook-config-file=x", "--authorization-config=x",
        "--authentication-config=x", "--admission-control=x",
        "--etcd-servers-overrides=/events#http://x", "--egress-selector-config-file=x",
        "--authorization-mode=ABAC", "--tls-min-version=VersionTLS10", "--emulated-version=1.35",
        "--storage-backend=etcd2"}) {
    EXPECT_NE(Parse({word}), "") << word;
  }
  EXPECT_EQ(
      Parse({"--encryption-provider-config=x"}),
      "--encryption-provider-config: cannot be used: encryption at rest is not supported yet, "
      "and secrets would be stored in the clear");
}

TEST_F(ApiServerFlagsTest, TakesWhatTheScriptsOfKubernetesGive) {
  EXPECT_EQ(Parse({"--runtime-config=api/v1", "--storage-media-type=", "--feature-gates=",
                   "--enable-bootstrap-token-auth=true", "--requestheader-allowed-names=proxy",
                   "--requestheader-client-ca-file=ca.crt",
                   "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                   "--requestheader-group-headers=X-Remote-Group",
                   "--requestheader-username-headers=X-Remote-User"}),
            "");
  EXPECT_TRUE(options().runtime_config.at("api/v1"));
  EXPECT_EQ(options().storage.media_type, "");
  EXPECT_TRUE(options().enable_bootstrap_token_auth);
  EXPECT_EQ(options().request_header.allowed_names, Texts{"proxy"});
  EXPECT_EQ(line_.warnings, Texts{});
}

TEST_F(ApiServerFlagsTest, WarnsOnceOfWhatIsIgnored) {
  EXPECT_EQ(Parse({"--audit-log-maxage=7", "--audit-log-maxage=8"}), "");
  EXPECT_EQ(line_.warnings, Texts{"--audit-log-maxage is ignored: there is no audit log yet"});
}

TEST_F(ApiServerFlagsTest, SaysNothingOfDefaults) {
  EXPECT_EQ(
      Parse({"--audit-log-maxage=366", "--kubelet-timeout=5000ms", "--oidc-username-claim=sub",
             "--audit-policy-file=", "--oidc-signing-algs=RS256"}),
      "");
  EXPECT_EQ(line_.warnings, Texts{});
}

TEST_F(ApiServerFlagsTest, ChecksWhatItIgnores) {
  EXPECT_EQ(Parse({"--audit-log-maxage=x"}), "--audit-log-maxage: \"x\" is not a whole number");
  EXPECT_NE(Parse({"--audit-webhook-batch-max-wait=5"}), "");
  EXPECT_NE(Parse({"--allow-metric-labels=x"}), "");
  EXPECT_NE(Parse({"--log-json-info-buffer-size=1Q"}), "");
}

TEST_F(ApiServerFlagsTest, TakesEveryAdmissionPluginByName) {
  EXPECT_EQ(Parse({"--enable-admission-plugins=AlwaysPullImages,NodeRestriction",
                   "--disable-admission-plugins=PodSecurity,ValidatingAdmissionWebhook",
                   "--admission-control-config-file=plugins.yaml"}),
            "");
  EXPECT_EQ(line_.warnings, Texts{});
  EXPECT_EQ(options().enable_admission_plugins, (Texts{"AlwaysPullImages", "NodeRestriction"}));
  EXPECT_EQ(options().disable_admission_plugins,
            (Texts{"PodSecurity", "ValidatingAdmissionWebhook"}));
  EXPECT_EQ(options().admission_control_config_file, "plugins.yaml");
  EXPECT_NE(Parse({"--disable-admission-plugins=NodeRestrictions"}).find("mean NodeRestriction?"),
            std::string::npos);
}

TEST_F(ApiServerFlagsTest, SuggestsWhatWasMeant) {
  EXPECT_EQ(Parse({"--secure-prot=1"}),
            "unknown flag \"--secure-prot\"; did you mean --secure-port?");
  EXPECT_NE(Parse({"--authorization-mode=rbac"}).find("did you mean RBAC?"), std::string::npos);
  EXPECT_NE(Parse({"--enable-admission-plugins=PodSecurtiy"}).find("did you mean PodSecurity?"),
            std::string::npos);
  EXPECT_NE(Parse({"surplus"}), "");
  EXPECT_NE(Parse({"--secure-port=0"}), "");
  EXPECT_NE(Parse({"--secure-port"}), "");
}

TEST_F(ApiServerFlagsTest, TakesAMemoryLimitAsAQuantity) {
  EXPECT_EQ(Parse({"--memory-limit=512Mi"}), "");
  EXPECT_EQ(options().requests.memory_limit_bytes, 512 << 20);
  EXPECT_EQ(Parse({"--memory-limit=0"}), "");
  EXPECT_EQ(options().requests.memory_limit_bytes, 0);
  EXPECT_NE(Parse({"--memory-limit=1Ki"}), "");
  EXPECT_NE(Parse({"--memory-limit=-1Gi"}), "");
  EXPECT_NE(Parse({"--memory-limit=much"}), "");
}

TEST_F(ApiServerFlagsTest, TakesVersionWithAndWithoutAValue) {
  EXPECT_EQ(Parse({"--version"}), "");
  EXPECT_EQ(line_.version, "true");
  EXPECT_EQ(Parse({"--version=raw"}), "");
  EXPECT_EQ(line_.version, "raw");
  EXPECT_EQ(Parse({"--version=false"}), "");
  EXPECT_EQ(line_.version, "");
  EXPECT_NE(Parse({"--version=v9"}), "");
}

TEST_F(ApiServerFlagsTest, HasTheNamesTypesAndDefaultsOfKubeApiserver) {
  std::vector<ApiServerFlag> flags = AllApiServerFlags();
  EXPECT_EQ(std::erase_if(flags,
                          [](const auto& flag) {
                            return flag.name == "data-dir" || flag.name == "memory-limit";
                          }),
            2U);
  ExpectFlagsOf("kube-apiserver", SKIFF_SOURCE_DIR, flags);
}

}  // namespace
}  // namespace skiff::cli

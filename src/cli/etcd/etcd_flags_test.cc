#include "cli/etcd/etcd_flags.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"

namespace skiff::cli {
namespace {

class EtcdFlagsTest : public testing::Test {
 protected:
  // As the command does: the environment first, then the words, then the file.
  Result<store::EtcdServerOptions> Parse(std::vector<std::pair<std::string, std::string>> words) {
    values_ = {};
    FlagSet flags;
    std::string fault;
    DeclareEtcdFlags(flags, values_, &fault);
    if (!fault.empty()) return BadRequest(fault);
    for (const auto& [name, text] : words) {
      const auto flag = std::ranges::find(flags.flags(), name, &Flag::name);
      if (flag == flags.flags().end()) return BadRequest("no flag " + name);
      SKIFF_RETURN_IF_ERROR(flag->value.set(text));
    }
    SKIFF_RETURN_IF_ERROR(ReadEtcdConfigFile(values_));
    return ToServerOptions(values_);
  }
  Result<store::EtcdServerOptions> ParseFile(std::string_view text) {
    const std::string path = directory_.path() + "/etcd.yaml";
    std::ofstream(path) << text;
    return Parse({{"config-file", path}});
  }

  const TemporaryDirectory directory_;
  EtcdFlags values_;
};

TEST_F(EtcdFlagsTest, CommandLinesOfOthersAreTaken) {
  // minikube, k0s and old manifests pass these.
  const auto options = Parse({{"proxy-refresh-interval", "70000"},
                              {"enable-v2", "false"},
                              {"auth-token", "jwt,pub-key=a,priv-key=b,sign-method=RS512"},
                              {"enable-pprof", "false"},
                              {"logger", "zap"},
                              {"log-level", "warn"},
                              {"snapshot-count", "10000"},
                              {"experimental-initial-corrupt-check", "true"},
                              {"experimental-watch-progress-notify-interval", "5s"},
                              {"auto-compaction-mode", "revision"},
                              {"auto-compaction-retention", "1000"},
                              {"quota-backend-bytes", "8589934592"},
                              {"max-request-bytes", "10485760"},
                              {"max-txn-ops", "1024"}});
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->progress_interval, std::chrono::seconds(5));
  EXPECT_EQ(options->compaction_revisions, 1000);
  EXPECT_EQ(options->compaction_retention, Duration(0));
  EXPECT_EQ(options->quota_bytes, 8589934592);
  EXPECT_EQ(options->max_request_bytes, 10485760U);
  EXPECT_EQ(options->max_txn_ops, 1024);
  EXPECT_EQ(values_.log_level, "warn");
}

TEST_F(EtcdFlagsTest, RetentionsAreHoursOrLengthsOfTime) {
  EXPECT_EQ(Parse({{"auto-compaction-retention", "2"}})->compaction_retention,
            std::chrono::hours(2));
  EXPECT_EQ(Parse({{"auto-compaction-retention", "10m"}})->compaction_retention,
            std::chrono::minutes(10));
  EXPECT_FALSE(Parse({{"auto-compaction-retention", "soon"}}));
  EXPECT_FALSE(Parse({{"auto-compaction-mode", "revision"}, {"auto-compaction-retention", "10m"}}));
}

TEST_F(EtcdFlagsTest, WhatMustNotBeIgnoredIsRefused) {
  EXPECT_FALSE(Parse({{"enable-v2", "true"}}));
  EXPECT_FALSE(Parse({{"auto-tls", "true"}}));
  EXPECT_FALSE(Parse({{"discovery-srv", "example.com"}}));
  EXPECT_FALSE(Parse({{"client-crl-file", "/crl"}}));
  EXPECT_FALSE(Parse({{"log-level", "chatty"}}));
  EXPECT_FALSE(ParseFile("client-transport-security: {allowed-cn: [someone]}\n"));
  EXPECT_TRUE(ParseFile("client-transport-security: {allowed-cn: [], auto-tls: false}\n"));
}

TEST_F(EtcdFlagsTest, AVariableThatIsEmptyIsNone) {
  setenv("ETCD_QUOTA_BACKEND_BYTES", "", 1);
  setenv("ETCD_MAX_TXN_OPS", "77", 1);
  const auto options = Parse({});
  unsetenv("ETCD_QUOTA_BACKEND_BYTES");
  setenv("ETCD_MAX_TXN_OPS", "many", 1);
  const auto wrong = Parse({});
  unsetenv("ETCD_MAX_TXN_OPS");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->max_txn_ops, 77);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("ETCD_MAX_TXN_OPS"), std::string::npos);
}

TEST_F(EtcdFlagsTest, AFileInTheFormOfK3sIsRead) {
  const auto options = ParseFile(R"(
advertise-client-urls: https://10.0.0.1:2379
client-transport-security:
  cert-file: /tls/server.crt
  client-cert-auth: true
  key-file: /tls/server.key
  trusted-ca-file: /tls/ca.crt
data-dir: /var/lib/etcd
election-timeout: 5000
experimental-initial-corrupt-check: true
experimental-watch-progress-notify-interval: 5000000000
heartbeat-interval: 500
initial-advertise-peer-urls: https://10.0.0.1:2380
initial-cluster: node-1=https://10.0.0.1:2380
initial-cluster-state: new
listen-client-http-urls: https://127.0.0.1:2382
listen-client-urls: https://127.0.0.1:2379,https://10.0.0.1:2379
listen-metrics-urls: http://127.0.0.1:2381
listen-peer-urls: https://127.0.0.1:2380,https://10.0.0.1:2380
log-outputs:
- stderr
logger: zap
name: node-1
peer-transport-security:
  cert-file: /tls/peer.crt
  client-cert-auth: true
snapshot-count: 10000
socket-options: {reuse-port: false}
what-a-later-etcd-has: [1, 2]
)");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->name, "node-1");
  EXPECT_EQ(options->tls_addresses, (std::vector<std::string>{"127.0.0.1:2379", "10.0.0.1:2379"}));
  EXPECT_EQ(options->metrics_addresses, (std::vector<std::string>{"127.0.0.1:2381"}));
  EXPECT_EQ(options->progress_interval, std::chrono::seconds(5));
  ASSERT_TRUE(options->tls);
  EXPECT_TRUE(options->tls->require_client_certificate);
}

TEST_F(EtcdFlagsTest, MetricsMayBeServedWithTls) {
  const auto options = Parse({{"listen-metrics-urls", "https://[::1]:2381,http://127.0.0.1:2382"},
                              {"cert-file", "/c"},
                              {"key-file", "/k"}});
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->tls_metrics_addresses, (std::vector<std::string>{"[::1]:2381"}));
  EXPECT_EQ(options->metrics_addresses, (std::vector<std::string>{"127.0.0.1:2382"}));
  EXPECT_TRUE(options->tls);
  EXPECT_FALSE(Parse({{"listen-metrics-urls", "https://127.0.0.1:2381"}}));
}

}  // namespace
}  // namespace skiff::cli

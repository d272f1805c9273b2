// Everything that the API server takes: the flags of kube-apiserver v1.36 that mean something here,
// as one plain struct with that version's defaults.
//
// Command-line code fills it in, calls FillDerived(), which replaces "not given" by what v1.36
// derives from other options, then Validate(). The server receives it so and neither derives nor
// checks again. Files are named, not read: whoever uses one reads it (and follows its changes).
//
// The flag that sets a member is its name with dashes unless a comment says otherwise; members of
// `etcd`, `tls`, `service_account`, `request_header` and `kubelet` have that prefix besides.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/feature_gate_table.h"
#include "base/host_facts.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "net/tls_options.h"

namespace skiff::apiserver {

enum class AuthorizationMode : uint8_t { kAlwaysAllow, kAlwaysDeny, kRbac, kNode };
std::string_view AuthorizationModeName(AuthorizationMode mode);

enum class MinTlsVersion : uint8_t { kTls12, kTls13 };  // older ones are refused

struct ServingTlsOptions {
  std::string cert_file;         // --tls-cert-file; with intermediates behind it
  std::string private_key_file;  // --tls-private-key-file
  MinTlsVersion min_version = MinTlsVersion::kTls12;
  // IANA names, as kube-apiserver takes them, for TLS 1.2; empty: the default ones.
  std::vector<std::string> cipher_suites;
  // TLS group numbers (23: P-256, 29: X25519, 4588: X25519MLKEM768), most wanted first; empty: the
  // default ones.
  std::vector<int32_t> curve_preferences;
  // In the order given; the last that matches counts.
  std::vector<net::TlsCertificateFiles> sni_cert_keys;
};

struct ServiceAccountOptions {
  std::vector<std::string> issuers;  // --service-account-issuer: the first signs, all are accepted
  std::vector<std::string> key_files;      // PEM, public or private keys that verify
  std::string signing_key_file;            // PEM; empty: no tokens are made
  std::vector<std::string> api_audiences;  // --api-audiences
  std::string jwks_uri;                    // empty: this server's own
  Duration max_token_expiration{};         // zero: no bound but the API's own
  bool extend_token_expiration = true;
  bool lookup = true;  // whether the service account must still exist
};

// The front proxy: users in headers, if the client has a certificate of this CA.
struct RequestHeaderOptions {
  std::string client_ca_file;  // empty: no such authentication
  std::vector<std::string> allowed_names;
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_headers_prefix;
};

// Where objects are kept: in etcd if it has servers, otherwise in `data_dir`.
struct StorageOptions {
  std::string data_dir;  // --data-dir, which kube-apiserver does not have

  std::vector<std::string> etcd_servers;
  std::string etcd_prefix = "/registry";                        // in the embedded store too
  std::string etcd_ca_file;                                     // --etcd-cafile
  std::string etcd_cert_file;                                   // --etcd-certfile
  std::string etcd_key_file;                                    // --etcd-keyfile
  Duration etcd_compaction_interval = std::chrono::minutes(5);  // zero: no compaction
  Duration etcd_healthcheck_timeout = std::chrono::seconds(2);
  Duration etcd_readycheck_timeout = std::chrono::seconds(2);
  Duration etcd_count_metric_poll_period = std::chrono::minutes(1);
  Duration etcd_db_metric_poll_interval = std::chrono::seconds(30);

  // "application/vnd.kubernetes.protobuf" or "application/json", which FillDerived makes of "";
  // protobuf is for kinds that have it.
  std::string media_type = "application/vnd.kubernetes.protobuf";
  Duration initialization_timeout = std::chrono::minutes(1);  // --storage-initialization-timeout
  bool watch_cache = true;
  int64_t default_watch_cache_size = 100;
  // --watch-cache-sizes, "pods" or "deployments.apps" → size, of which only zero (no cache) counts.
  std::map<std::string, int64_t, std::less<>> watch_cache_sizes;
  Duration event_ttl = std::chrono::hours(1);
  int64_t lease_reuse_duration_seconds = 60;
  int64_t delete_collection_workers = 1;
  bool enable_garbage_collector = true;
};

struct ServiceOptions {
  // --service-cluster-ip-range: one, or one of each family; the first is the primary one.
  std::vector<IpRange> cluster_ip_ranges;
  int32_t node_port_min = 30000;  // --service-node-port-range, both ends included
  int32_t node_port_max = 32767;
  // Of the service default/kubernetes; zero: it has none and is of type ClusterIP.
  int32_t kubernetes_service_node_port = 0;
  bool reconcile_endpoints = true;  // --endpoint-reconciler-type is not "none"
};

// How requests are bounded.
struct RequestOptions {
  int64_t max_requests_inflight = 400;
  int64_t max_mutating_requests_inflight = 200;
  bool enable_priority_and_fairness = true;
  Duration request_timeout = std::chrono::seconds(60);
  // Watches without a timeout of their own get a random one from here to twice this.
  Duration min_request_timeout = std::chrono::seconds(1800);
  double goaway_chance = 0;                      // at most 0.02
  int64_t http2_max_streams_per_connection = 0;  // zero: the server's own default
  // --memory-limit, which kube-apiserver does not have. Zero: that of the cgroup, or the machine's.
  int64_t memory_limit_bytes = 0;
};

struct ShutdownOptions {
  // How long /readyz says no while everything is still served.
  Duration delay_duration{};
  bool send_retry_after = false;
  // How long watches may take to end; zero: they are not waited for.
  Duration watch_termination_grace_period{};
};

// What goes to nodes: logs, exec, proxy.
struct KubeletOptions {
  std::string certificate_authority;
  std::string client_certificate;
  std::string client_key;
  std::vector<std::string> preferred_address_types{"Hostname", "InternalDNS", "InternalIP",
                                                   "ExternalDNS", "ExternalIP"};
  Duration timeout = std::chrono::seconds(5);
};

// Extension API servers behind this one.
struct AggregationOptions {
  std::string proxy_client_cert_file;  // as whom they see this server; empty: it shows nothing
  std::string proxy_client_key_file;
  bool to_endpoints = false;     // --enable-aggregator-routing
  bool reject_redirects = true;  // --aggregator-reject-forwarding-redirect
};

struct ApiServerOptions {
  // Serving.
  IpAddress bind_address = IpAddress::AnyV4();
  // No flag: whether to end the start, asked while it waits for the store.
  std::function<bool()> give_up = {};
  // No flag: all flags and their values, for /flagz; null: nobody knows them. Any thread.
  std::function<std::map<std::string, std::string>()> shown_flags = {};
  bool listen = true;           // no flag; false: only Connect() of the server leads to it
  uint16_t secure_port = 6443;  // zero: any free one, which addresses() of the server tells
  std::optional<IpAddress> advertise_address;  // set by FillDerived
  std::string external_hostname;               // likewise
  ServingTlsOptions tls;
  bool disable_http2_serving = false;
  bool permit_address_sharing = false;
  bool permit_port_sharing = false;
  std::vector<std::string> cors_allowed_origins;  // regular expressions (Go's syntax)
  std::vector<std::string> strict_transport_security_directives;

  // Who somebody is.
  bool anonymous_auth = true;
  std::string client_ca_file;
  std::string token_auth_file;  // CSV: token,user,uid,"group,group"
  ServiceAccountOptions service_account;
  RequestHeaderOptions request_header;
  bool enable_bootstrap_token_auth = false;

  // What somebody may do, asked in this order; never empty after FillDerived.
  std::vector<AuthorizationMode> authorization_modes;

  // What is served: "apps/v1" or "api/beta" or "apps/v1/deployments" → on or off.
  std::map<std::string, bool, std::less<>> runtime_config;
  std::map<std::string, bool, std::less<>> feature_gates;  // AllAlpha and AllBeta too
  std::vector<std::string> enable_admission_plugins;
  std::vector<std::string> disable_admission_plugins;
  std::string admission_control_config_file;
  int64_t default_not_ready_toleration_seconds = 300;
  int64_t default_unreachable_toleration_seconds = 300;
  bool allow_privileged = false;

  StorageOptions storage;
  ServiceOptions service;
  RequestOptions requests;
  ShutdownOptions shutdown;
  KubeletOptions kubelet;
  AggregationOptions aggregation;

  Duration livez_grace_period{};  // start-up may take as long before /livez says no
  bool profiling = true;
  bool contention_profiling = false;
  bool enable_logs_handler = false;
  int64_t max_connection_bytes_per_sec = 0;  // of exec and the like; zero: unbounded
  int32_t log_level = 0;                     // --v

  // As given, by AllAlpha or AllBeta, or by default.
  bool FeatureEnabled(Gate gate) const;
};

// Fills in what was not given: the advertise address, the external host name, 10.0.0.0/24 for
// services, AlwaysAllow (which ends anonymous authentication, as in kube-apiserver), the audiences,
// and the key that verifies service accounts' tokens (the server's own).
void FillDerived(ApiServerOptions& options, const HostFacts& host);

// How others reach the server: the external host name, or else the advertised address, with the
// port unless the name has one.
std::string ExternalAddress(const ApiServerOptions& options);

// Every fault at once: the message has a line for each, which begins with the flag's name, and each
// is a cause besides.
Result<void> Validate(const ApiServerOptions& options);

}  // namespace skiff::apiserver

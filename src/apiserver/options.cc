#include "apiserver/options.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/feature_gates.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr uint64_t kMinServiceAddresses = 8;
constexpr double kMaxGoawayChance = 0.02;

// Collects faults, each under the flag that it is about.
class Faults {
 public:
  void Add(std::string_view flag, std::string message) {
    faults_.push_back({.reason = "FieldValueInvalid",
                       .message = std::move(message),
                       .field = "--" + std::string(flag)});
  }
  void AddIf(bool wrong, std::string_view flag, std::string message) {
    if (wrong) Add(flag, std::move(message));
  }

  Result<void> Finish() && {
    if (faults_.empty()) return {};
    std::string message;
    for (const StatusCause& fault : faults_) {
      if (!message.empty()) message += '\n';
      message += fault.field + ": " + fault.message;
    }
    Status status(StatusReason::kBadRequest, std::move(message));
    for (StatusCause& fault : faults_) status.AddCause(std::move(fault));
    return std::unexpected(std::move(status));
  }

 private:
  std::vector<StatusCause> faults_;
};

// Both files of a pair, or neither.
void CheckPair(Faults& faults, std::string_view first_flag, const std::string& first,
               std::string_view second_flag, const std::string& second) {
  if (first.empty() == second.empty()) return;
  const std::string_view given = first.empty() ? second_flag : first_flag;
  const std::string_view missing = first.empty() ? first_flag : second_flag;
  faults.Add(given, "needs --" + std::string(missing) + " as well");
}

void CheckServing(const ApiServerOptions& options, Faults& faults) {
  CheckPair(faults, "tls-cert-file", options.tls.cert_file, "tls-private-key-file",
            options.tls.private_key_file);
  faults.AddIf(options.tls.cert_file.empty(), "tls-cert-file", "must be given");
  const auto& curves = options.tls.curve_preferences;
  for (size_t i = 0; i < curves.size(); ++i) {
    faults.AddIf(curves[i] <= 0 || curves[i] > UINT16_MAX, "tls-curve-preferences",
                 std::to_string(curves[i]) + " is not the number of a TLS group");
    faults.AddIf(std::find(curves.begin(), curves.begin() + i, curves[i]) != curves.begin() + i,
                 "tls-curve-preferences", std::to_string(curves[i]) + " is given twice");
  }
  if (!options.advertise_address) {
    faults.Add("advertise-address", "must be given, as the host's own address cannot be told");
  } else {
    faults.AddIf(
        options.advertise_address->IsUnspecified() || options.advertise_address->IsMulticast(),
        "advertise-address",
        options.advertise_address->ToString() + " is not an address of one host");
  }
  faults.AddIf(options.requests.http2_max_streams_per_connection < 0,
               "http2-max-streams-per-connection", "must not be negative");
}

void CheckIssuers(const ServiceAccountOptions& options, Faults& faults) {
  faults.AddIf(options.issuers.empty(), "service-account-issuer",
               "must be given, such as https://kubernetes.default.svc.cluster.local");
  std::set<std::string_view> seen;
  for (const std::string& issuer : options.issuers) {
    if (issuer.empty()) {
      faults.Add("service-account-issuer", "must not be empty");
      continue;
    }
    const size_t colon = issuer.find(':');
    // As a URL: a scheme before the colon, and neither control characters nor spaces behind it.
    const bool bad_url =
        colon != std::string::npos &&
        (colon == 0 || std::ranges::any_of(issuer, [](char c) { return c <= ' ' || c == 0x7f; }));
    faults.AddIf(bad_url, "service-account-issuer", Quoted(issuer) + " has a ':' but is not a URL");
    faults.AddIf(!seen.insert(issuer).second, "service-account-issuer",
                 Quoted(issuer) + " is given twice");
  }
}

void CheckAuthentication(const ApiServerOptions& options, Faults& faults) {
  const ServiceAccountOptions& accounts = options.service_account;
  CheckIssuers(accounts, faults);
  faults.AddIf(accounts.signing_key_file.empty(), "service-account-signing-key-file",
               "must be given: the private key that signs service accounts' tokens");
  faults.AddIf(accounts.key_files.empty(), "service-account-key-file",
               "must be given: the keys that verify service accounts' tokens");
  faults.AddIf(!accounts.jwks_uri.empty() && !accounts.jwks_uri.starts_with("https://"),
               "service-account-jwks-uri", "must be a URL that begins with https://");
  constexpr Duration kMinExpiration = std::chrono::hours(1);
  constexpr Duration kMaxExpiration = std::chrono::seconds(int64_t{1} << 32);
  const Duration expiration = accounts.max_token_expiration;
  faults.AddIf(expiration != Duration::zero() &&
                   (expiration < kMinExpiration || expiration > kMaxExpiration),
               "service-account-max-token-expiration", "must be from 1h to 2^32 seconds");

  const RequestHeaderOptions& header = options.request_header;
  faults.AddIf(!header.client_ca_file.empty() && header.username_headers.empty(),
               "requestheader-username-headers",
               "must be given with --requestheader-client-ca-file");
  faults.AddIf(!header.client_ca_file.empty() && header.client_ca_file == options.client_ca_file &&
                   header.allowed_names.empty(),
               "requestheader-allowed-names",
               "must be given when the proxy's CA is that of all clients; otherwise each of them "
               "could speak for any user");
}

void CheckAuthorization(const ApiServerOptions& options, Faults& faults) {
  const auto& modes = options.authorization_modes;
  faults.AddIf(modes.empty(), "authorization-mode", "must name at least one mode");
  for (size_t i = 0; i < modes.size(); ++i) {
    const auto end = modes.begin() + static_cast<ptrdiff_t>(i);
    faults.AddIf(std::find(modes.begin(), end, modes[i]) != end, "authorization-mode",
                 std::string(AuthorizationModeName(modes[i])) + " is given twice");
  }
}

void CheckStorage(const StorageOptions& storage, Faults& faults) {
  faults.AddIf(storage.etcd_servers.empty() && storage.data_dir.empty(), "data-dir",
               "must be given unless there are --etcd-servers");
  faults.AddIf(!storage.etcd_servers.empty() && !storage.data_dir.empty(), "data-dir",
               "cannot be given together with --etcd-servers: objects are in one place only");
  CheckPair(faults, "etcd-certfile", storage.etcd_cert_file, "etcd-keyfile", storage.etcd_key_file);
  faults.AddIf(!storage.etcd_prefix.starts_with('/'), "etcd-prefix", "must begin with '/'");
  faults.AddIf(storage.media_type != "application/json" &&
                   storage.media_type != "application/vnd.kubernetes.protobuf",
               "storage-media-type",
               Quoted(storage.media_type) +
                   " is neither application/json nor application/vnd.kubernetes.protobuf");
  faults.AddIf(storage.initialization_timeout < Duration::zero(), "storage-initialization-timeout",
               "must not be negative");
  faults.AddIf(storage.event_ttl < std::chrono::seconds(1), "event-ttl", "must be at least 1s");
  faults.AddIf(storage.lease_reuse_duration_seconds < 0, "lease-reuse-duration-seconds",
               "must not be negative");
  faults.AddIf(storage.delete_collection_workers < 1, "delete-collection-workers",
               "must be at least 1");
}

void CheckServices(const ApiServerOptions& options, Faults& faults) {
  const ServiceOptions& service = options.service;
  const auto& ranges = service.cluster_ip_ranges;
  constexpr std::string_view kFlag = "service-cluster-ip-range";
  faults.AddIf(ranges.empty(), kFlag, "must be given");
  faults.AddIf(ranges.size() > 2, kFlag, "takes at most two ranges, one of each IP family");
  faults.AddIf(ranges.size() == 2 && ranges[0].is_v4() == ranges[1].is_v4(), kFlag,
               "the two ranges must be of different IP families");
  for (const IpRange& range : ranges) {
    faults.AddIf(range.Size() < kMinServiceAddresses, kFlag,
                 range.ToString() + " is too small: it must have at least " +
                     std::to_string(kMinServiceAddresses) + " addresses");
  }
  faults.AddIf(service.reconcile_endpoints && !ranges.empty() && options.advertise_address &&
                   ranges[0].is_v4() != options.advertise_address->is_v4(),
               kFlag, "must be of the same IP family as --advertise-address");

  const int32_t low = service.node_port_min;
  const int32_t high = service.node_port_max;
  faults.AddIf(low < 0 || high > UINT16_MAX || low > high, "service-node-port-range",
               "must be two ports, the smaller first, such as 30000-32767");
  const int32_t port = service.kubernetes_service_node_port;
  faults.AddIf(port < 0 || port > UINT16_MAX, "kubernetes-service-node-port",
               "must be from 0 to 65535");
  faults.AddIf(port > 0 && (port < low || port > high), "kubernetes-service-node-port",
               std::to_string(port) + " is not in --service-node-port-range");
}

void CheckRequests(const ApiServerOptions& options, Faults& faults) {
  const auto not_negative = [&faults](std::string_view flag, auto value) {
    faults.AddIf(value < decltype(value){}, flag, "must not be negative");
  };
  not_negative("max-requests-inflight", options.requests.max_requests_inflight);
  not_negative("max-mutating-requests-inflight", options.requests.max_mutating_requests_inflight);
  not_negative("request-timeout", options.requests.request_timeout);
  not_negative("min-request-timeout", options.requests.min_request_timeout);
  not_negative("livez-grace-period", options.livez_grace_period);
  not_negative("shutdown-delay-duration", options.shutdown.delay_duration);
  not_negative("shutdown-watch-termination-grace-period",
               options.shutdown.watch_termination_grace_period);
  not_negative("max-connection-bytes-per-sec", options.max_connection_bytes_per_sec);
  faults.AddIf(options.requests.enable_priority_and_fairness &&
                   options.requests.max_requests_inflight +
                           options.requests.max_mutating_requests_inflight <=
                       0,
               "max-requests-inflight",
               "must be positive together with --max-mutating-requests-inflight");
  faults.AddIf(
      !(options.requests.goaway_chance >= 0 && options.requests.goaway_chance <= kMaxGoawayChance),
      "goaway-chance", "must be from 0 to 0.02");
}

void CheckFeatureGates(const ApiServerOptions& options, Faults& faults) {
  for (const auto& [name, on] : options.feature_gates) {
    if (name == kAllAlphaGate || name == kAllBetaGate) continue;
    const FeatureGate* const gate = FindFeatureGate(name);
    if (gate == nullptr) {
      faults.Add("feature-gates", Quoted(name) + " is no feature of Kubernetes v1.36");
    } else if (gate->locked && gate->on != on) {
      faults.Add("feature-gates", name + " is always " + (gate->on ? "on" : "off"));
    }
  }
}

void CheckPlugins(const ApiServerOptions& options, Faults& faults) {
  for (const std::string& name : options.enable_admission_plugins) {
    faults.AddIf(std::ranges::find(options.disable_admission_plugins, name) !=
                     options.disable_admission_plugins.end(),
                 "enable-admission-plugins", name + " is also in --disable-admission-plugins");
  }
}

}  // namespace

std::string_view AuthorizationModeName(AuthorizationMode mode) {
  switch (mode) {
    case AuthorizationMode::kAlwaysAllow:
      return "AlwaysAllow";
    case AuthorizationMode::kAlwaysDeny:
      return "AlwaysDeny";
    case AuthorizationMode::kRbac:
      return "RBAC";
    case AuthorizationMode::kNode:
      return "Node";
  }
  std::unreachable();
}

bool ApiServerOptions::FeatureEnabled(Gate gate) const {
  return IsFeatureOn(feature_gates, gate.name());
}

void FillDerived(ApiServerOptions& options, const HostFacts& host) {
  if (!options.advertise_address || options.advertise_address->IsUnspecified()) {
    // Nobody else can use a loopback address, so that it is told only where there is no other.
    const IpAddress& bound = options.bind_address;
    const bool has_other = host.default_address && host.default_address->is_v4() == bound.is_v4();
    if (bound.IsUnspecified() || (bound.IsLoopback() && has_other)) {
      options.advertise_address = host.default_address;
    } else {
      options.advertise_address = bound;
    }
  }
  if (options.external_hostname.empty()) {
    options.external_hostname =
        options.advertise_address ? options.advertise_address->ToString() : host.host_name;
  }
  if (options.service.cluster_ip_ranges.empty()) {
    options.service.cluster_ip_ranges.push_back(*IpRange::Parse("10.0.0.0/24"));
  }
  if (options.storage.media_type.empty()) options.storage.media_type = "application/json";
  if (options.authorization_modes.empty()) {
    options.authorization_modes.push_back(AuthorizationMode::kAlwaysAllow);
  }
  if (std::ranges::find(options.authorization_modes, AuthorizationMode::kAlwaysAllow) !=
      options.authorization_modes.end()) {
    options.anonymous_auth = false;
  }
  ServiceAccountOptions& accounts = options.service_account;
  if (accounts.api_audiences.empty()) accounts.api_audiences = accounts.issuers;
  if (accounts.key_files.empty() && !options.tls.private_key_file.empty()) {
    accounts.key_files.push_back(options.tls.private_key_file);
  }
}

std::string ExternalAddress(const ApiServerOptions& options) {
  const std::string& host = options.external_hostname;
  const IpAddress advertised = options.advertise_address.value_or(IpAddress::LoopbackV4());
  if (host.empty() || host == advertised.ToString())
    return advertised.WithPort(options.secure_port);
  const size_t colon = host.find(':');
  if (colon != std::string::npos && host.find(':', colon + 1) == std::string::npos) return host;
  const bool is_v6 = colon != std::string::npos && !host.starts_with('[');
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(options.secure_port);
}

Result<void> Validate(const ApiServerOptions& options) {
  Faults faults;
  CheckServing(options, faults);
  CheckAuthentication(options, faults);
  CheckAuthorization(options, faults);
  CheckStorage(options.storage, faults);
  CheckServices(options, faults);
  CheckRequests(options, faults);
  CheckFeatureGates(options, faults);
  CheckPlugins(options, faults);
  return std::move(faults).Finish();
}

}  // namespace skiff::apiserver

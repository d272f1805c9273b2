#include "cli/up/up.h"

#include <unistd.h>

#include <charconv>

#include "base/version.h"
#include "cli/common/host.h"
#include "cli/up/kubeconfig.h"
#include "client/https/kubeconfig.h"
#include "controllers/manager.h"
#include "object/scalar/time.h"
#include "pki/files.h"

namespace skiff::cli {
namespace {

constexpr const char* kServiceRange = "10.96.0.0/12";
constexpr const char* kServiceRangeV6 = "fd00:10:96::/112";
constexpr const char* kIssuer = "https://kubernetes.default.svc.cluster.local";
constexpr Duration kReadyPoll = std::chrono::milliseconds(2);

// The port of "127.0.0.1:6443".
uint16_t PortOf(std::string_view address) {
  uint16_t port = 0;
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return port;
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return port;
}

bool HasLoops(const UpOptions& options) {
  return options.controllers != std::vector<std::string>{"none"};
}

std::string TimeText(Duration wall) {
  std::string out;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wall);
  object::AppendTime({.seconds = seconds.count(), .nanos = 0}, out);
  return out;
}

}  // namespace

ClusterStart::ClusterStart(const UpOptions& options, UpDirectory place, Clock& clock,
                           Random& random, Log& log,
                           std::function<void(const std::string& line)> tell)
    : options_(options),
      place_(std::move(place)),
      clock_(clock),
      random_(random),
      log_(log),
      tell_(std::move(tell)) {}

Result<void> ClusterStart::Prepare() {
  SKIFF_RETURN_IF_ERROR(ReadFlags());
  const apiserver::ApiServerOptions& server = line_.options;
  SKIFF_RETURN_IF_ERROR(
      CheckPortFree(server.bind_address, server.secure_port, "choose another with --port"));
  SKIFF_RETURN_IF_ERROR(EnsureCertificates());
  return apiserver::Validate(line_.options);
}

Result<void> ClusterStart::ReadFlags() {
  const pki::ClusterPki pki = place_.pki();
  apiserver::ApiServerOptions& server = line_.options;
  Result<IpAddress> bind_address = IpAddress::Parse(options_.bind_address);
  if (!bind_address) return BadRequest("--bind-address: " + bind_address.error().message());
  server.bind_address = *bind_address;
  server.secure_port = static_cast<uint16_t>(options_.port);
  server.tls.cert_file = pki.server_cert_file();
  server.tls.private_key_file = pki.server_key_file();
  server.client_ca_file = pki.ca_file();
  server.request_header.client_ca_file = pki.front_proxy_ca_file();
  server.request_header.allowed_names = {pki::kFrontProxyName};
  server.request_header.username_headers = {"X-Remote-User"};
  server.request_header.uid_headers = {"X-Remote-Uid"};
  server.request_header.group_headers = {"X-Remote-Group"};
  server.request_header.extra_headers_prefix = {"X-Remote-Extra-"};
  server.aggregation.proxy_client_cert_file = pki.front_proxy_cert_file();
  server.aggregation.proxy_client_key_file = pki.front_proxy_key_file();
  server.service_account.issuers = {kIssuer};
  server.service_account.signing_key_file = pki.service_account_key_file();
  server.service_account.key_files = {pki.service_account_public_file()};
  server.authorization_modes = {apiserver::AuthorizationMode::kRbac};
  server.service.cluster_ip_ranges = {*IpRange::Parse(kServiceRange)};
  server.storage.data_dir = place_.root();  // the server adds "/store"
  server.allow_privileged = true;

  const std::vector<std::string_view> words(options_.apiserver_flags.begin(),
                                            options_.apiserver_flags.end());
  SKIFF_RETURN_IF_ERROR(ParseApiServerFlags(words, line_));
  for (const std::string& warning : line_.warnings) log_.Warning(warning);
  log_.SetLevel(server.log_level);
  // The two exclude each other, and the default one is not what somebody asked for.
  if (!server.storage.etcd_servers.empty()) server.storage.data_dir.clear();
  HostFacts host = FindHostFacts();
  if (!host.default_address) host.default_address = IpAddress::LoopbackV4();
  apiserver::FillDerived(server, host);
  if (server.advertise_address && !server.service.cluster_ip_ranges.empty() &&
      server.advertise_address->is_v4() != server.service.cluster_ip_ranges[0].is_v4()) {
    return BadRequest("the server's address is " + server.advertise_address->ToString() +
                      ", and services need addresses of the same family: add '-- "
                      "--service-cluster-ip-range=" +
                      (server.advertise_address->is_v4() ? kServiceRange : kServiceRangeV6) + "'");
  }

  names_.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                      "kubernetes.default.svc.cluster.local"};
  if (!host.host_name.empty() && host.host_name != "localhost") {
    names_.dns_names.push_back(host.host_name);
  }
  names_.ip_addresses = {IpAddress::LoopbackV4(), *IpAddress::Parse("::1")};
  for (const IpRange& range : server.service.cluster_ip_ranges) {
    if (const auto first = range.At(1)) names_.ip_addresses.push_back(*first);
  }
  if (server.advertise_address) names_.ip_addresses.push_back(*server.advertise_address);
  if (!server.bind_address.IsUnspecified()) names_.ip_addresses.push_back(server.bind_address);
  for (const std::string& name : options_.tls_sans) {
    if (const Result<IpAddress> address = IpAddress::Parse(name)) {
      names_.ip_addresses.push_back(*address);
    } else {
      names_.dns_names.push_back(name);
    }
  }
  return {};
}

Result<void> ClusterStart::EnsureCertificates() {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> done, place_.pki().Ensure(names_, clock_));
  for (const std::string& line : done) tell_(line);
  return {};
}

Result<void> ClusterStart::Renew() {
  SKIFF_RETURN_IF_ERROR(EnsureCertificates());
  return WriteKubeconfigs();
}

Result<std::unique_ptr<apiserver::ApiServer>> ClusterStart::Start(StopSignals& signals) {
  bool asked_to_stop = false;
  line_.options.shown_flags = [this] {
    return ShowFlags<ApiServerCommandLine>(AllApiServerFlags(), line_);
  };
  line_.options.give_up = [&] {
    return asked_to_stop = asked_to_stop || signals.WaitFor(Duration::zero()).has_value();
  };
  Result<std::unique_ptr<apiserver::ApiServer>> server =
      apiserver::ApiServer::Start(line_.options, clock_, random_, log_);
  if (asked_to_stop) return nullptr;
  if (!server) return server;
  while (!(*server)->ready()) {
    if (signals.WaitFor(kReadyPoll)) return nullptr;
  }
  SKIFF_RETURN_IF_ERROR(Announce(**server));
  return server;
}

Result<std::unique_ptr<UpControllers>> ClusterStart::StartLoops(apiserver::ApiServer& server) {
  if (!HasLoops(options_)) return nullptr;
  UpControllersOptions loops;
  loops.controllers = options_.controllers;
  // A store of its own is nobody else's.
  loops.elect = !line_.options.storage.etcd_servers.empty();
  SKIFF_ASSIGN_OR_RETURN(loops.root_ca, pki::ReadSmallFile(place_.pki().ca_file()));
  const std::string& key = line_.options.service_account.signing_key_file;
  if (!key.empty()) {
    SKIFF_ASSIGN_OR_RETURN(loops.service_account_private_key, pki::ReadSmallFile(key));
  }
  return UpControllers::Start(loops, server, clock_, random_, log_);
}

Result<void> ClusterStart::Announce(const apiserver::ApiServer& server) {
  const std::vector<std::string> addresses = server.addresses();
  uint16_t port = line_.options.secure_port;
  if (!addresses.empty()) port = PortOf(addresses.front());
  IpAddress host = line_.options.bind_address;
  if (host.IsUnspecified())
    host = host.is_v4() ? IpAddress::LoopbackV4() : *IpAddress::Parse("::1");
  server_url_ = "https://" + host.WithPort(port);
  SKIFF_RETURN_IF_ERROR(WriteKubeconfigs());
  RunningState state;
  state.pid = getpid();
  state.server = server_url_;
  state.version = kKubernetesVersion;
  state.started_at = TimeText(clock_.Wall());
  return place_.WriteRunning(state);
}

Result<void> ClusterStart::WriteKubeconfigs() {
  const pki::ClusterPki pki = place_.pki();
  SKIFF_ASSIGN_OR_RETURN(const std::string ca, pki::ReadSmallFile(pki.ca_file()));
  SKIFF_ASSIGN_OR_RETURN(const std::string cert, pki::ReadSmallFile(pki.admin_cert_file()));
  SKIFF_ASSIGN_OR_RETURN(const std::string key, pki::ReadSmallFile(pki.admin_key_file()));
  const std::string content = MakeKubeconfig(
      {.server = server_url_, .ca_pem = ca, .client_cert_pem = cert, .client_key_pem = key});
  std::vector<std::string> paths{place_.kubeconfig()};
  if (!options_.kubeconfig.empty()) paths.push_back(options_.kubeconfig);
  for (const std::string& path : paths) {
    // What people have changed in it besides, such as the namespace of the context, stays.
    const Result<client::RestConfig> present = client::ReadKubeconfig(path);
    if (present && present->server == server_url_ && client::LoadText(present->ca) == ca &&
        client::LoadText(present->certificate) == cert && client::LoadText(present->key) == key) {
      continue;
    }
    SKIFF_RETURN_IF_ERROR(pki::WriteSmallFile(path, content, pki::kSecretFileMode));
  }
  return {};
}

Result<void> CheckLoops(const UpOptions& options) {
  return HasLoops(options) ? controllers::CheckControllers(options.controllers) : Result<void>();
}

std::string ConnectText(const UpOptions& options, const UpDirectory& place,
                        const std::string& server_url) {
  const std::string& copy = options.kubeconfig;
  return "The cluster is ready at " + server_url +
         "\n\n  export KUBECONFIG=" + (copy.empty() ? place.kubeconfig() : copy) +
         "\n  kubectl get ns\n";
}

}  // namespace skiff::cli

#include "cli/controller_manager/controller_manager_access.h"

#include "base/version.h"
#include "client/https/in_cluster.h"
#include "client/https/kubeconfig.h"
#include "pki/certificate.h"
#include "pki/cluster_pki.h"
#include "pki/files.h"
#include "pki/key.h"
#include "serving/auth/jwt_key.h"

namespace skiff::cli {
namespace {

constexpr Duration kCertificateLife = std::chrono::hours(24 * 365);
constexpr Duration kClockSkew = std::chrono::hours(1);

std::unexpected<Status> In(std::string_view flag, const Status& why) {
  return Fail(StatusReason::kInvalid, "--" + std::string(flag) + ": " + why.message());
}

Result<std::optional<client::RestConfig>> ReadOptional(std::string_view flag,
                                                       const std::string& path) {
  if (!path.empty()) {
    Result<client::RestConfig> config = client::ReadKubeconfig(path);
    if (!config) return In(flag, config.error());
    const Result<std::string> ca = client::LoadText(config->ca);
    if (!ca) return In(flag, ca.error());
    if (!ca->empty() && !pki::Certificate::FromPem(*ca)) {
      return In(flag, Status(StatusReason::kInvalid,
                             path + ": the certificate of the CA cannot be read"));
    }
    return std::optional(std::move(*config));
  }
  const client::InClusterFiles place = client::InClusterFiles::OfEnvironment();
  if (!place.is_pod()) return std::optional<client::RestConfig>();
  SKIFF_ASSIGN_OR_RETURN(client::RestConfig config, client::InClusterConfig(place));
  return std::optional(std::move(config));
}

Result<client::RestConfig> ReadMain(const ControllerManagerCommandLine& line) {
  if (line.kubeconfig.empty() && !line.master.empty())
    return client::RestConfig{.server = line.master};
  SKIFF_ASSIGN_OR_RETURN(std::optional<client::RestConfig> config,
                         ReadOptional("kubeconfig", line.kubeconfig));
  if (!config) {
    return Fail(StatusReason::kInvalid,
                "nothing says where the API server is: give --kubeconfig, or run in a pod");
  }
  if (!line.master.empty()) config->server = line.master;
  return std::move(*config);
}

Result<std::string> ReadPem(std::string_view flag, const std::string& path) {
  Result<std::string> text = pki::ReadSmallFile(path);
  if (!text) return In(flag, text.error());
  return text;
}

pki::ServerNames NamesToServe(const ControllerManagerCommandLine& line) {
  pki::ServerNames names;
  names.dns_names = {"localhost"};
  names.ip_addresses = {IpAddress::LoopbackV4()};
  if (line.bind_address != IpAddress::AnyV4()) names.ip_addresses.push_back(line.bind_address);
  return names;
}

Result<ServingFiles> MakeInMemory(const ControllerManagerCommandLine& line, Clock& clock) {
  const pki::ServerNames names = NamesToServe(line);
  pki::CertificateSpec spec;
  spec.common_name = "kube-controller-manager";
  spec.dns_names = names.dns_names;
  spec.ip_addresses = names.ip_addresses;
  spec.not_before = clock.Wall() - kClockSkew;
  spec.not_after = clock.Wall() + kCertificateLife;
  SKIFF_ASSIGN_OR_RETURN(const pki::PrivateKey key, pki::PrivateKey::Generate());
  SKIFF_ASSIGN_OR_RETURN(const pki::Certificate made, pki::Certificate::SelfSigned(spec, key));
  ServingFiles out;
  SKIFF_ASSIGN_OR_RETURN(out.certificate, component::MemoryFile::Make("certificate", made.ToPem()));
  SKIFF_ASSIGN_OR_RETURN(out.key, component::MemoryFile::Make("key", key.ToPem()));
  out.files = {
      .certificate_file = out.certificate->path(), .key_file = out.key->path(), .names = {}};
  return out;
}

}  // namespace

Result<ControllerManagerAccess> FindAccess(const ControllerManagerCommandLine& line) {
  ControllerManagerAccess out;
  SKIFF_ASSIGN_OR_RETURN(out.main, ReadMain(line));
  SKIFF_ASSIGN_OR_RETURN(out.authentication,
                         ReadOptional("authentication-kubeconfig", line.authentication_kubeconfig));
  SKIFF_ASSIGN_OR_RETURN(out.authorization,
                         ReadOptional("authorization-kubeconfig", line.authorization_kubeconfig));
  const std::string agent = "kube-controller-manager/" + std::string(kKubernetesVersion) +
                            " (linux/amd64) skiff/" + std::string(kVersion);
  out.main.user_agent = agent;
  out.election = out.main;
  out.election.user_agent = agent + "/leader-election";
  out.election.timeout = line.renew_deadline / 2;  // so that its error comes in time to be told
  out.main.qps = line.kube_api_qps;
  out.main.burst = line.kube_api_burst;
  out.main.protobuf = line.kube_api_content_type != "application/json";
  for (std::optional<client::RestConfig>* each : {&out.authentication, &out.authorization}) {
    if (*each) (*each)->user_agent = agent;
  }
  return out;
}

Result<controllers::ControllerOptions> LoadLoopOptions(const ControllerManagerCommandLine& line,
                                                       const client::RestConfig& main) {
  controllers::ControllerOptions loops = line.manager.loops;
  if (line.root_ca_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(loops.root_ca, client::LoadText(main.ca));
  } else {
    SKIFF_ASSIGN_OR_RETURN(loops.root_ca, ReadPem("root-ca-file", line.root_ca_file));
    const Result<pki::Certificate> certificate = pki::Certificate::FromPem(loops.root_ca);
    if (!certificate) return In("root-ca-file", certificate.error());
  }
  if (!line.service_account_key_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(
        loops.service_account_private_key,
        ReadPem("service-account-private-key-file", line.service_account_key_file));
    const Result<serving::JwtKey> key = serving::JwtKey::ParsePrivate(
        loops.service_account_private_key, line.service_account_key_file);
    if (!key) return In("service-account-private-key-file", key.error());
  }
  return loops;
}

Result<ServingFiles> FindServingCertificate(const ControllerManagerCommandLine& line,
                                            Clock& clock) {
  if (!line.tls.certificate.certificate_file.empty()) {
    return ServingFiles{.files = line.tls.certificate, .certificate = {}, .key = {}};
  }
  if (line.cert_dir.empty()) return MakeInMemory(line, clock);
  SKIFF_RETURN_IF_ERROR(pki::MakeDirectories(line.cert_dir, 0755));
  const std::string base = line.cert_dir + "/kube-controller-manager";
  SKIFF_RETURN_IF_ERROR(pki::EnsureSelfSigned(
      base + ".crt", base + ".key", "kube-controller-manager", NamesToServe(line), clock));
  ServingFiles out;
  out.files = {.certificate_file = base + ".crt", .key_file = base + ".key", .names = {}};
  return out;
}

}  // namespace skiff::cli

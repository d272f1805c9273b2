#include "pki/cluster_pki.h"

#include <array>
#include <utility>

#include "pki/files.h"

namespace skiff::pki {
namespace {

CertificateSpec AdminSpec() {
  CertificateSpec spec;
  spec.common_name = "kubernetes-admin";
  spec.organizations = {"system:masters"};
  spec.use = CertificateUse::kClient;
  return spec;
}

CertificateSpec FrontProxySpec() {
  CertificateSpec spec;
  spec.common_name = kFrontProxyName;
  spec.use = CertificateUse::kClient;
  return spec;
}

CertificateSpec ServerSpec(const ServerNames& names) {
  CertificateSpec spec;
  spec.common_name = "kube-apiserver";
  spec.dns_names = names.dns_names;
  spec.ip_addresses = names.ip_addresses;
  return spec;
}

bool IsMissing(const Status& error) { return error.reason() == StatusReason::kNotFound; }

// The error with the file's name before it.
std::unexpected<Status> InFile(const std::string& path, Status error) {
  error.SetMessage(path + ": " + error.message());
  return std::unexpected(std::move(error));
}

Result<Certificate> ReadCertificate(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string pem, ReadSmallFile(path));
  Result<Certificate> certificate = Certificate::FromPem(pem);
  if (!certificate) return InFile(path, std::move(certificate).error());
  return certificate;
}

Result<PrivateKey> ReadKey(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string pem, ReadSmallFile(path));
  Result<PrivateKey> key = PrivateKey::FromPem(pem);
  if (!key) return InFile(path, std::move(key).error());
  return key;
}

// The key first: a certificate whose key is missing is made anew, a key without one is harmless.
Result<void> WritePair(const std::string& cert_file, const Certificate& certificate,
                       const std::string& key_file, const PrivateKey& key) {
  SKIFF_RETURN_IF_ERROR(WriteSmallFile(key_file, key.ToPem(), kSecretFileMode));
  return WriteSmallFile(cert_file, certificate.ToPem(), kPublicFileMode);
}

// Why a certificate cannot be used at this moment; nothing when it can.
std::optional<std::string> TimeFault(const Certificate& certificate, Duration now) {
  if (now >= certificate.NotAfter()) {
    return "it expired " + RelativeTime(certificate.NotAfter(), now);
  }
  if (now < certificate.NotBefore()) {
    return "it is not valid yet, but " + RelativeTime(certificate.NotBefore(), now) +
           "; is the machine's clock right?";
  }
  return std::nullopt;
}

}  // namespace

std::string RelativeTime(Duration moment, Duration now) {
  struct Unit {
    Duration length;
    const char* name;
  };
  static constexpr std::array<Unit, 4> kUnits{{{std::chrono::hours(24), "day"},
                                               {std::chrono::hours(1), "hour"},
                                               {std::chrono::minutes(1), "minute"},
                                               {std::chrono::seconds(1), "second"}}};
  const Duration distance = moment >= now ? moment - now : now - moment;
  const Unit* unit = kUnits.begin();
  while (unit != &kUnits.back() && distance < 2 * unit->length) ++unit;
  const int64_t count = distance / unit->length;
  const std::string text = std::to_string(count) + " " + unit->name + (count == 1 ? "" : "s");
  return moment >= now ? "in " + text : text + " ago";
}

Result<std::vector<std::string>> ClusterPki::Ensure(const ServerNames& names, Clock& clock) const {
  std::vector<std::string> done;
  SKIFF_RETURN_IF_ERROR(MakeDirectories(directory_, 0700));
  SKIFF_ASSIGN_OR_RETURN(const Ca ca, EnsureCa(kClusterCa, clock, done));
  SKIFF_ASSIGN_OR_RETURN(const Ca front_proxy_ca, EnsureCa(kFrontProxyCa, clock, done));
  SKIFF_RETURN_IF_ERROR(EnsureServiceAccountKey(done));
  SKIFF_RETURN_IF_ERROR(EnsureLeaf("apiserver", ServerSpec(names), ca, clock, done));
  SKIFF_RETURN_IF_ERROR(EnsureLeaf("admin", AdminSpec(), ca, clock, done));
  SKIFF_RETURN_IF_ERROR(
      EnsureLeaf("front-proxy-client", FrontProxySpec(), front_proxy_ca, clock, done));
  return done;
}

const ClusterPki::CaName ClusterPki::kClusterCa = {
    .file = "ca",
    .common_name = "kubernetes",
    .shown = "CA",
    .users = "every client then needs the new kubeconfig"};
const ClusterPki::CaName ClusterPki::kFrontProxyCa = {
    .file = "front-proxy-ca",
    .common_name = "front-proxy-ca",
    .shown = "CA of front proxies",
    .users = "extension API servers then need to read it again"};

Result<ClusterPki::Ca> ClusterPki::EnsureCa(const CaName& name, Clock& clock,
                                            std::vector<std::string>& done) const {
  const std::string cert_file = PathOf(std::string(name.file) + ".crt");
  const std::string key_file = PathOf(std::string(name.file) + ".key");
  const Duration now = clock.Wall();
  Result<Certificate> certificate = ReadCertificate(cert_file);
  if (!certificate && IsMissing(certificate.error())) {
    // A key without its certificate is what an interrupted start leaves behind.
    CertificateSpec spec;
    spec.common_name = name.common_name;
    spec.dns_names = {name.common_name};
    spec.use = CertificateUse::kCa;
    spec.not_before = now - kClockSkew;
    spec.not_after = now + kCaLifetime;
    SKIFF_ASSIGN_OR_RETURN(const PrivateKey key, PrivateKey::Generate());
    SKIFF_ASSIGN_OR_RETURN(const Certificate made, Certificate::SelfSigned(spec, key));
    SKIFF_RETURN_IF_ERROR(WritePair(cert_file, made, key_file, key));
    done.push_back(std::string("made the ") + name.shown);
    return Ca{made, key};
  }
  if (!certificate) return std::unexpected(std::move(certificate).error());
  const std::string the = std::string("the ") + name.shown;
  const std::string remedy = "; to make a new CA, remove " + cert_file + " and " + key_file +
                             " and start again (" + name.users + ")";
  if (const std::optional<std::string> fault = TimeFault(*certificate, now)) {
    return BadRequest(the + " " + cert_file + " cannot be used: " + *fault + remedy);
  }
  Result<PrivateKey> key = ReadKey(key_file);
  if (!key) {
    Status error = std::move(key).error();
    error.SetMessage("the key of " + the + " is missing or damaged: " + error.message() + remedy);
    return std::unexpected(std::move(error));
  }
  if (!certificate->BelongsTo(*key)) {
    return BadRequest(key_file + " is not the key of " + cert_file + remedy);
  }
  return Ca{*certificate, *key};
}

std::optional<std::string> ClusterPki::RenewalReason(const std::string& name,
                                                     const CertificateSpec& spec, const Ca& ca,
                                                     Clock& clock) const {
  const Result<Certificate> certificate = ReadCertificate(PathOf(name + ".crt"));
  const Result<PrivateKey> key = ReadKey(PathOf(name + ".key"));
  if (!certificate) return certificate.error().message();
  if (!key) return key.error().message();
  const Duration now = clock.Wall();
  if (const std::optional<std::string> fault = TimeFault(*certificate, now)) return fault;
  if (!certificate->BelongsTo(*key)) return "it does not fit its key";
  if (!certificate->IsSignedBy(ca.certificate)) return "another CA made it";
  if (certificate->CommonName() != spec.common_name ||
      certificate->Organizations() != spec.organizations) {
    return "it is for somebody else";
  }
  if (!certificate->Covers(spec.dns_names, spec.ip_addresses)) {
    return "names or addresses have been added";
  }
  // It cannot outlive the CA, so near the CA's end there is nothing to gain.
  const bool ends_with_ca = certificate->NotAfter() >= ca.certificate.NotAfter();
  if (now + kRenewBefore >= certificate->NotAfter() && !ends_with_ca) {
    return "it expires " + RelativeTime(certificate->NotAfter(), now);
  }
  return std::nullopt;
}

Result<void> ClusterPki::EnsureLeaf(const std::string& name, CertificateSpec spec, const Ca& ca,
                                    Clock& clock, std::vector<std::string>& done) const {
  const std::string cert_file = PathOf(name + ".crt");
  const Result<std::string> present = ReadSmallFile(cert_file);
  const bool is_new = !present && IsMissing(present.error());
  const std::optional<std::string> why = RenewalReason(name, spec, ca, clock);
  if (!why) return {};
  spec.not_before = clock.Wall() - kClockSkew;
  spec.not_after = clock.Wall() + kLeafLifetime;
  SKIFF_ASSIGN_OR_RETURN(const PrivateKey key, PrivateKey::Generate());
  SKIFF_ASSIGN_OR_RETURN(const Certificate made,
                         Certificate::Signed(spec, key, ca.certificate, ca.key));
  SKIFF_RETURN_IF_ERROR(WritePair(cert_file, made, PathOf(name + ".key"), key));
  done.push_back(is_new ? "made the certificate of " + name
                        : "renewed the certificate of " + name + ": " + *why);
  return {};
}

Result<void> ClusterPki::EnsureServiceAccountKey(std::vector<std::string>& done) const {
  Result<PrivateKey> key = ReadKey(service_account_key_file());
  if (!key && !IsMissing(key.error())) return std::unexpected(std::move(key).error());
  if (!key) {
    SKIFF_ASSIGN_OR_RETURN(key, PrivateKey::Generate());
    SKIFF_RETURN_IF_ERROR(
        WriteSmallFile(service_account_key_file(), key->ToPem(), kSecretFileMode));
    done.push_back("made the key of service accounts");
  }
  const std::string wanted = key->PublicPem();
  const Result<std::string> present = ReadSmallFile(service_account_public_file());
  if (present && *present == wanted) return {};
  return WriteSmallFile(service_account_public_file(), wanted, kPublicFileMode);
}

std::vector<CertificateState> ClusterPki::Inspect(Clock& clock) const {
  std::vector<CertificateState> out;
  const Result<Certificate> cluster_ca = ReadCertificate(ca_file());
  const Result<Certificate> proxy_ca = ReadCertificate(front_proxy_ca_file());
  for (const char* name : {"ca", "apiserver", "admin", "front-proxy-ca", "front-proxy-client"}) {
    CertificateState state;
    state.name = name;
    const Result<Certificate>& ca = state.name.starts_with("front-proxy") ? proxy_ca : cluster_ca;
    state.path = PathOf(state.name + ".crt");
    const Result<Certificate> certificate = ReadCertificate(state.path);
    if (!certificate) {
      state.fault = certificate.error().message();
    } else {
      state.not_after = certificate->NotAfter();
      state.fault = TimeFault(*certificate, clock.Wall()).value_or("");
      if (state.fault.empty() && ca && !certificate->IsSignedBy(*ca)) {
        state.fault = "another CA made it";
      }
    }
    out.push_back(std::move(state));
  }
  return out;
}

std::vector<std::string> ClusterPki::Files() const {
  std::vector<std::string> out;
  for (const char* name :
       {"ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key",
        "front-proxy-ca.crt", "front-proxy-ca.key", "front-proxy-client.crt",
        "front-proxy-client.key", "sa.key", "sa.pub"}) {
    out.push_back(PathOf(name));
  }
  return out;
}

Result<void> EnsureSelfSigned(const std::string& cert_file, const std::string& key_file,
                              const std::string& host, const ServerNames& names, Clock& clock) {
  const Result<Certificate> present = ReadCertificate(cert_file);
  const Result<PrivateKey> present_key = ReadKey(key_file);
  if (present && present_key && present->BelongsTo(*present_key) &&
      !TimeFault(*present, clock.Wall())) {
    return {};
  }
  // What is there and cannot be read may be somebody else's.
  if (!present && !IsMissing(present.error())) return std::unexpected(present.error());
  if (!present_key && !IsMissing(present_key.error())) return std::unexpected(present_key.error());
  CertificateSpec spec;
  spec.common_name = host;
  spec.dns_names = names.dns_names;
  spec.ip_addresses = names.ip_addresses;
  spec.not_before = clock.Wall() - kClockSkew;
  spec.not_after = clock.Wall() + kLeafLifetime;
  SKIFF_ASSIGN_OR_RETURN(const PrivateKey key, PrivateKey::Generate());
  SKIFF_ASSIGN_OR_RETURN(const Certificate made, Certificate::SelfSigned(spec, key));
  return WritePair(cert_file, made, key_file, key);
}

}  // namespace skiff::pki

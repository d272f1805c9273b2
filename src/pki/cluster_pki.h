// The keys and certificates of a cluster that runs by itself, in one directory:
//
//   ca.crt, ca.key                     the CA of servers and clients; made once, kept
//   apiserver.crt, apiserver.key       the API server's
//   admin.crt, admin.key               a client's: user kubernetes-admin, group system:masters
//   front-proxy-ca.crt, .key           the CA of front proxies; made once, kept
//   front-proxy-client.crt, .key       the API server's towards extension API servers
//   sa.key, sa.pub                     sign and verify service accounts' tokens; made once, kept
//
// Ensure() makes what is missing and renews what must be: a certificate that ends within
// kRenewBefore, lacks a name that is wanted, is not the CA's or does not fit its key. It never
// replaces a CA or the key of service accounts, on which others rely, and says what to do when they
// are unusable. Whoever calls it holds a lock on the directory.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "pki/certificate.h"

namespace skiff::pki {

inline constexpr std::chrono::hours kCaLifetime{24 * 3650};
inline constexpr std::chrono::hours kLeafLifetime{24 * 365};
inline constexpr std::chrono::hours kRenewBefore{24 * 90};
// How far the clocks of two machines may be apart.
inline constexpr std::chrono::hours kClockSkew{1};

// The name of the front proxy's certificate, by which it is believed.
inline constexpr const char* kFrontProxyName = "front-proxy-client";

struct ServerNames {
  std::vector<std::string> dns_names;
  std::vector<IpAddress> ip_addresses;
};

// One certificate as `skiff status` shows it.
struct CertificateState {
  std::string name;  // "apiserver"
  std::string path;
  std::string fault;     // why it cannot be used; empty: it can
  Duration not_after{};  // since 1970; zero when it cannot be read
};

class ClusterPki {
 public:
  explicit ClusterPki(std::string directory) : directory_(std::move(directory)) {}

  // What was done, for people: "made the CA", "renewed apiserver: it ends in 12 days".
  Result<std::vector<std::string>> Ensure(const ServerNames& names, Clock& clock) const;

  // Looks only.
  std::vector<CertificateState> Inspect(Clock& clock) const;

  std::string ca_file() const { return PathOf("ca.crt"); }
  std::string server_cert_file() const { return PathOf("apiserver.crt"); }
  std::string server_key_file() const { return PathOf("apiserver.key"); }
  std::string admin_cert_file() const { return PathOf("admin.crt"); }
  std::string admin_key_file() const { return PathOf("admin.key"); }
  std::string front_proxy_ca_file() const { return PathOf("front-proxy-ca.crt"); }
  std::string front_proxy_cert_file() const { return PathOf("front-proxy-client.crt"); }
  std::string front_proxy_key_file() const { return PathOf("front-proxy-client.key"); }
  std::string service_account_key_file() const { return PathOf("sa.key"); }
  std::string service_account_public_file() const { return PathOf("sa.pub"); }
  // All that Ensure() makes.
  std::vector<std::string> Files() const;

 private:
  struct Ca {
    Certificate certificate;
    PrivateKey key;
  };
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  struct CaName {
    const char* file;         // "ca", of ca.crt and ca.key
    const char* common_name;  // "kubernetes"
    const char* shown;        // "CA"
    const char* users;        // what a new one means
  };
  static const CaName kClusterCa;
  static const CaName kFrontProxyCa;
  Result<Ca> EnsureCa(const CaName& name, Clock& clock, std::vector<std::string>& done) const;
  Result<void> EnsureLeaf(const std::string& name, CertificateSpec spec, const Ca& ca, Clock& clock,
                          std::vector<std::string>& done) const;
  // Why the certificate there must be made anew; nothing when it need not.
  std::optional<std::string> RenewalReason(const std::string& name, const CertificateSpec& spec,
                                           const Ca& ca, Clock& clock) const;
  Result<void> EnsureServiceAccountKey(std::vector<std::string>& done) const;

  const std::string directory_;
};

// A certificate that signs itself, for a server that was given none, as kube-apiserver makes it:
// `cert_file` and `key_file` are written unless they are there and still valid.
Result<void> EnsureSelfSigned(const std::string& cert_file, const std::string& key_file,
                              const std::string& host, const ServerNames& names, Clock& clock);

// "in 12 days", "in 5 hours", "3 days ago"
std::string RelativeTime(Duration moment, Duration now);

}  // namespace skiff::pki

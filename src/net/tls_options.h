// How a server speaks TLS, in the words of kube-apiserver's flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::net {

// A certificate chain and its key, as PEM files. `names` are those of --tls-sni-cert-key, exact or
// with a leading "*."; without any, those of the certificate itself.
struct TlsCertificateFiles {
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> names;
};

struct TlsOptions {
  TlsCertificateFiles certificate;           // --tls-cert-file, --tls-private-key-file
  std::vector<TlsCertificateFiles> by_name;  // --tls-sni-cert-key
  // --client-ca-file, --requestheader-client-ca-file: certificates of clients are asked for, and
  // verified against each of these (PeerCertificate::verified_by). None: not asked for.
  std::vector<std::string> client_ca_files;
  // Without a certificate that one of them has signed there is no connection.
  bool require_client_certificate = false;
  std::vector<std::string> cipher_suites;  // Go's names; none: a good choice
  std::string min_version;                 // "VersionTLS12" or "VersionTLS13"; "" for the first
  std::vector<int> curve_preferences;      // --tls-curve-preferences, by IANA's numbers
  bool http2 = true;                       // --disable-http2-serving
};

// OpenSSL's list of ciphers up to TLS 1.2. TLS 1.3 has no weak ones, and its are always offered, as
// Go does; their names are taken and have no effect.
Result<std::string> CipherList(const std::vector<std::string>& go_names);
// OpenSSL's list of groups for the key exchange; "" for its own. Those that only newer libraries
// have are left out, as long as something remains.
Result<std::string> CurveList(const std::vector<int>& numbers);
// OpenSSL's number of "VersionTLS12".
Result<int> TlsVersion(std::string_view go_name);

}  // namespace skiff::net

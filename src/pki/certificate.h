// X.509 certificates: made, signed by a CA, and looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "pki/key.h"

struct x509_st;

namespace skiff::pki {

enum class CertificateUse : uint8_t { kCa, kServer, kClient };

struct CertificateSpec {
  std::string common_name;
  std::vector<std::string> organizations;  // groups, in client certificates
  std::vector<std::string> dns_names;
  std::vector<IpAddress> ip_addresses;
  CertificateUse use = CertificateUse::kServer;
  Duration not_before{};  // since 1970, as Clock::Wall
  Duration not_after{};
};

// A value; copies share it.
class Certificate {
 public:
  // The first certificate of a PEM text.
  static Result<Certificate> FromPem(std::string_view pem);
  // Signed by itself.
  static Result<Certificate> SelfSigned(const CertificateSpec& spec, const PrivateKey& key);
  // For the holder of `key`, signed by a CA. Ends no later than the CA's own.
  static Result<Certificate> Signed(const CertificateSpec& spec, const PrivateKey& key,
                                    const Certificate& ca, const PrivateKey& ca_key);

  std::string ToPem() const;

  std::string CommonName() const;
  std::vector<std::string> Organizations() const;
  std::vector<std::string> DnsNames() const;
  std::vector<IpAddress> IpAddresses() const;
  Duration NotBefore() const;
  Duration NotAfter() const;
  bool IsCa() const;
  std::string Fingerprint() const;  // SHA-256, lower-case hexadecimal

  bool BelongsTo(const PrivateKey& key) const;
  bool IsSignedBy(const Certificate& ca) const;
  // Whether all these names and addresses are its own.
  bool Covers(const std::vector<std::string>& dns_names,
              const std::vector<IpAddress>& ip_addresses) const;

 private:
  explicit Certificate(x509_st* certificate);
  static Result<Certificate> Make(const CertificateSpec& spec, const PrivateKey& key,
                                  const Certificate* ca, const PrivateKey& signer);

  std::shared_ptr<x509_st> certificate_;
};

}  // namespace skiff::pki

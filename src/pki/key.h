// Private keys: ECDSA on P-256, which is small and quick and which every client of Kubernetes
// knows. Other kinds of keys can be read, not made.
//
// Their randomness is OpenSSL's own, which is seeded by the kernel: nothing that tests decide about
// may end up in a key.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct evp_pkey_st;

namespace skiff::pki {

// A value; copies share the key.
class PrivateKey {
 public:
  static Result<PrivateKey> Generate();
  // The first private key of a PEM text, not encrypted.
  static Result<PrivateKey> FromPem(std::string_view pem);

  // "-----BEGIN PRIVATE KEY-----" (PKCS #8) and "-----BEGIN PUBLIC KEY-----".
  std::string ToPem() const;
  std::string PublicPem() const;
  bool HasSamePublicKey(const PrivateKey& other) const;

  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit PrivateKey(evp_pkey_st* key);

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace skiff::pki

// What rules need to know of PEM texts, certificates and requests for them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "object/scalar/time.h"

struct evp_pkey_st;

namespace skiff::apiserver {

struct PemBlock {
  std::string type;
  bool has_headers = false;
  std::string der;
};
// The blocks of a text, in order; what is between them, and what is no block, is skipped.
std::vector<PemBlock> ReadPem(std::string_view text);

// A value; copies share it.
class PublicKey {
 public:
  enum class Kind { kEd25519, kEcdsa, kRsa, kOther };

  PublicKey() = default;
  explicit PublicKey(evp_pkey_st* key);  // takes a reference of its own
  // Of SubjectPublicKeyInfo; empty when it is none.
  static PublicKey FromPkix(std::string_view der);

  explicit operator bool() const { return key_ != nullptr; }
  Kind kind() const;
  int Bits() const;
  // Whether the curve, or the size of an RSA key, is one that pods may use.
  bool IsAllowedForPods() const;
  bool Equals(const PublicKey& other) const;
  // Whether the holder of the key signed the text: RSA with PSS, all but Ed25519 over its SHA-256.
  bool Signed(std::string_view text, std::string_view signature) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

struct ParsedRequest {
  bool is_request = false;
  bool is_signed = false;  // by the key in it
  PublicKey key;
};
ParsedRequest ParseCertificateRequest(std::string_view der);

struct ParsedCertificate {
  bool is_certificate = false;
  bool has_basic_constraints = false;
  bool is_ca = false;
  object::Timestamp not_before = {};
  object::Timestamp not_after = {};
  std::vector<std::string> dns_names;
  PublicKey key;
};
ParsedCertificate ParseCertificate(std::string_view der);

}  // namespace skiff::apiserver

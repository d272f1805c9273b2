// Keys that sign and verify JSON web tokens: RSA (RS256) and the NIST curves (ES256, ES384, ES512),
// read from PEM. A key knows its id as Kubernetes computes it: the SHA-256 of the public key's DER
// form, in base64url.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

struct evp_pkey_st;

namespace skiff::serving {

enum class JwtAlgorithm : uint8_t { kRs256, kEs256, kEs384, kEs512 };
std::string_view JwtAlgorithmName(JwtAlgorithm algorithm);

// Immutable; copies share the key. Any thread.
class JwtKey {
 public:
  // Every key of a file: public, private or certificate. `path` is for messages.
  static Result<std::vector<JwtKey>> LoadPublic(const std::string& path);
  static Result<std::vector<JwtKey>> ParsePublic(std::string_view pem, const std::string& path);
  // The first private key of a file.
  static Result<JwtKey> LoadPrivate(const std::string& path);
  static Result<JwtKey> ParsePrivate(std::string_view pem, const std::string& path);

  const std::string& id() const { return id_; }
  JwtAlgorithm algorithm() const { return algorithm_; }
  // Of the key's own algorithm, in the form of JWS. A key without a private part cannot sign.
  Result<std::string> Sign(std::string_view message) const;
  bool Verify(std::string_view message, std::string_view signature) const;
  // {"use":"sig","kty":"RSA",...}: the public part.
  std::string ToJwk() const;

 private:
  using Handle = std::shared_ptr<evp_pkey_st>;
  static Result<JwtKey> Make(Handle key);
  JwtKey(Handle key, JwtAlgorithm algorithm, std::string id)
      : key_(std::move(key)), algorithm_(algorithm), id_(std::move(id)) {}

  Handle key_;
  JwtAlgorithm algorithm_;
  std::string id_;
};

}  // namespace skiff::serving

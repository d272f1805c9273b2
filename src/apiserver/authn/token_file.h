// --token-auth-file: fixed tokens, one record each: token, user name, uid, and optionally groups as
// one quoted field: `s3cret,ann,17,"dev,ops"`.
//
// Tokens are kept and looked up by their SHA-256, so that neither memory nor the time of a look-up
// tells anything about them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "crypto/digest.h"
#include "serving/auth/authenticator.h"

namespace skiff::apiserver {

// Immutable once made. Any thread.
class TokenFile final : public serving::TokenAuthenticator {
 public:
  static Result<std::unique_ptr<TokenFile>> Load(const std::string& path);
  // `path` is for messages.
  static Result<std::unique_ptr<TokenFile>> Parse(std::string_view text, const std::string& path);

  void AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                         serving::AuthenticationCallback done) override;
  size_t size() const { return users_.size(); }
  // Records that were skipped for their empty token, and tokens that were there twice (the last
  // one counts).
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  TokenFile() = default;

  std::unordered_map<crypto::Sha256Digest, serving::UserInfo, crypto::Sha256Hash> users_;
  std::vector<std::string> warnings_;
};

}  // namespace skiff::apiserver

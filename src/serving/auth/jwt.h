// JSON web tokens in their compact form: HEADER.CLAIMS.SIGNATURE, each in base64url.
//
// A token names the key that signed it by its id; the algorithm is the key's, never the token's
// choice, so neither "none" nor a public key taken for a shared secret gets anybody in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/value.h"
#include "serving/auth/jwt_key.h"

namespace skiff::serving {

// `claims` is the text of a JSON object.
Result<std::string> SignJwt(const JwtKey& key, std::string_view claims);

// A token that is well-formed; nothing of it is to be believed before Verify() says so.
class Jwt {
 public:
  // Nothing when the text is no token of this form.
  static std::optional<Jwt> Parse(std::string_view token);

  // A claim that is a string; "" when it is absent or something else.
  std::string_view TextClaim(std::string_view name) const;
  const object::Value& claims() const { return claims_.root(); }

  enum class Verdict : uint8_t { kGood, kNoKey, kBadSignature };
  // With the keys of the token's id, or with all of them if it names none.
  Verdict Verify(const std::vector<JwtKey>& keys) const;

 private:
  std::string key_id_;
  std::string algorithm_;
  std::string signed_text_;
  std::string signature_;
  object::Document claims_;
};

}  // namespace skiff::serving

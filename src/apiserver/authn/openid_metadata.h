// What others need to verify tokens of service accounts: the bodies of
// /.well-known/openid-configuration and /openid/v1/jwks. Both are served with
// `Cache-Control: public, max-age=3600`.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "serving/auth/jwt_key.h"

namespace skiff::apiserver {

struct OpenIdMetadata {
  std::string configuration;  // application/json
  std::string keys;           // application/jwk-set+json

  static constexpr char kConfigurationPath[] = "/.well-known/openid-configuration";
  static constexpr char kKeysPath[] = "/openid/v1/jwks";
  static constexpr char kKeysContentType[] = "application/jwk-set+json";
  static constexpr char kCacheControl[] = "public, max-age=3600";

  // `keys_url` is --service-account-jwks-uri; when it is empty the keys are at the external
  // address (host and port). Fails where OpenID does not allow the issuer: then the two are not
  // served.
  static Result<OpenIdMetadata> Make(const std::string& issuer, std::string keys_url,
                                     const std::string& external_address,
                                     const std::vector<serving::JwtKey>& keys);
};

}  // namespace skiff::apiserver

#include "apiserver/authn/openid_metadata.h"

#include <set>

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kHttps = "https://";

Result<void> CheckIssuer(const std::string& issuer) {
  if (issuer.empty()) return BadRequest("empty issuer URL");
  if (!issuer.starts_with(kHttps)) {
    return BadRequest("issuer URL must use https scheme, got: " + issuer);
  }
  if (issuer.find('?') != issuer.npos) {
    return BadRequest("issuer URL may not include a query, got: " + issuer);
  }
  if (issuer.find('#') != issuer.npos) {
    return BadRequest("issuer URL may not include a fragment, got: " + issuer);
  }
  return {};
}

}  // namespace

Result<OpenIdMetadata> OpenIdMetadata::Make(const std::string& issuer, std::string keys_url,
                                            const std::string& external_address,
                                            const std::vector<serving::JwtKey>& keys) {
  SKIFF_RETURN_IF_ERROR(CheckIssuer(issuer));
  if (keys_url.empty() && external_address.empty()) {
    return BadRequest("either the JWKS URI or the default external address, or both, must be set");
  }
  if (keys_url.empty()) {
    keys_url = std::string(kHttps) + external_address + kKeysPath;
  } else if (!keys_url.starts_with(kHttps)) {
    return BadRequest("jwksURI requires https scheme, parsed as: " + keys_url);
  }
  if (keys.empty()) return BadRequest("no keys provided for validating keyset");

  OpenIdMetadata metadata;
  std::set<std::string_view> algorithms;
  metadata.keys = R"({"keys":[)";
  for (const serving::JwtKey& key : keys) {
    if (!algorithms.empty()) metadata.keys += ",";
    algorithms.insert(serving::JwtAlgorithmName(key.algorithm()));
    metadata.keys += key.ToJwk();
  }
  metadata.keys += "]}";

  ByteBuffer out;
  out.Append(R"({"issuer":)");
  object::AppendJsonString(out, issuer);
  out.Append(R"(,"jwks_uri":)");
  object::AppendJsonString(out, keys_url);
  out.Append(R"(,"response_types_supported":["id_token"],"subject_types_supported":["public"],)"
             R"("id_token_signing_alg_values_supported":[)");
  bool first = true;
  for (const std::string_view algorithm : algorithms) {
    if (!first) out.Append(",");
    first = false;
    object::AppendJsonString(out, algorithm);
  }
  out.Append("]}");
  metadata.configuration = out.view();
  return metadata;
}

}  // namespace skiff::apiserver

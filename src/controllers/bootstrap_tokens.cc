#include "controllers/bootstrap_tokens.h"

#include <algorithm>

#include "controllers/objects.h"
#include "crypto/digest.h"
#include "object/scalar/base64url.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNamePrefix = "bootstrap-token-";
constexpr size_t kIdBytes = 6;

// The part of the secret's name that must be the token's id; empty: it has none.
std::string_view IdOfName(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return {};
  const std::string_view id = name.substr(kNamePrefix.size());
  const bool good = id.size() == kIdBytes && std::ranges::all_of(id, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                    });
  return good ? id : std::string_view();
}

}  // namespace

client::Informer& BootstrapTokens(client::InformerSet& informers) {
  return informers.For(
      client::BuiltIn("", "v1", "secrets"),
      {.field_selector = "metadata.namespace=kube-system,type=bootstrap.kubernetes.io/token"});
}

std::optional<Duration> TokenTimeLeft(const object::Document& secret, object::Timestamp now) {
  const std::string_view expiration = core::Secret(secret).data().Get("expiration");
  if (expiration.empty()) return std::nullopt;
  const Result<object::Timestamp> when = object::ParseTime(expiration);
  if (!when) return Duration::zero();
  return std::max(TimeUntil(*when, now), Duration::zero());
}

std::optional<SigningToken> ReadSigningToken(const object::Document& document,
                                             object::Timestamp now) {
  const core::Secret secret(document);
  const SigningToken token = {.id = secret.data().Get("token-id"),
                              .secret = secret.data().Get("token-secret")};
  if (token.id.empty() || token.id != IdOfName(secret.metadata().name())) return std::nullopt;
  if (token.secret.empty() || secret.data().Get("usage-bootstrap-signing") != "true") {
    return std::nullopt;
  }
  if (TokenTimeLeft(document, now) == Duration::zero()) return std::nullopt;
  return token;
}

std::string DetachedSignature(std::string_view content, const SigningToken& token) {
  const std::string header =
      object::EncodeBase64Url("{\"alg\":\"HS256\",\"kid\":" + object::JsonText(token.id) + "}");
  const crypto::Sha256Digest signature =
      crypto::HmacSha256(token.secret, header + "." + object::EncodeBase64Url(content));
  return header + ".." + object::EncodeBase64Url(crypto::AsBytes(signature));
}

}  // namespace skiff::controllers

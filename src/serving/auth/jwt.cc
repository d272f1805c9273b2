#include "serving/auth/jwt.h"

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/scalar/base64url.h"

namespace skiff::serving {
namespace {

std::optional<object::Document> DecodePart(std::string_view part) {
  const auto text = object::DecodeBase64Url(part);
  if (!text) return std::nullopt;
  auto document = object::DecodeJson(*text, nullptr);
  if (!document || !document->root().is_map()) return std::nullopt;
  return std::move(*document);
}

std::string_view TextOf(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace

Result<std::string> SignJwt(const JwtKey& key, std::string_view claims) {
  const std::string header = R"({"alg":")" + std::string(JwtAlgorithmName(key.algorithm())) +
                             R"(","kid":")" + key.id() + R"("})";
  std::string token = object::EncodeBase64Url(header) + "." + object::EncodeBase64Url(claims);
  SKIFF_ASSIGN_OR_RETURN(const std::string signature, key.Sign(token));
  return token + "." + object::EncodeBase64Url(signature);
}

std::optional<Jwt> Jwt::Parse(std::string_view token) {
  if (token.size() > limits::kMaxTokenBytes) return std::nullopt;
  const size_t first = token.find('.');
  const size_t second = first == token.npos ? first : token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos) return std::nullopt;
  const auto header = DecodePart(token.substr(0, first));
  auto claims = DecodePart(token.substr(first + 1, second - first - 1));
  auto signature = object::DecodeBase64Url(token.substr(second + 1));
  if (!header || !claims || !signature) return std::nullopt;
  // Extensions that must be understood: there are none that are.
  if (header->root().Find("crit") != nullptr) return std::nullopt;
  Jwt jwt;
  jwt.key_id_ = TextOf(header->root(), "kid");
  jwt.algorithm_ = TextOf(header->root(), "alg");
  jwt.signed_text_ = token.substr(0, second);
  jwt.signature_ = std::move(*signature);
  jwt.claims_ = std::move(*claims);
  return jwt;
}

std::string_view Jwt::TextClaim(std::string_view name) const {
  return TextOf(claims_.root(), name);
}

Jwt::Verdict Jwt::Verify(const std::vector<JwtKey>& keys) const {
  bool tried = false;
  for (const JwtKey& key : keys) {
    if (!key_id_.empty() && key.id() != key_id_) continue;
    tried = true;
    if (JwtAlgorithmName(key.algorithm()) != algorithm_) continue;
    if (key.Verify(signed_text_, signature_)) return Verdict::kGood;
  }
  return tried ? Verdict::kBadSignature : Verdict::kNoKey;
}

}  // namespace skiff::serving

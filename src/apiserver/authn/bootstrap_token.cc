#include "apiserver/authn/bootstrap_token.h"

#include <algorithm>
#include <optional>
#include <set>

#include "crypto/digest.h"
#include "object/scalar/time.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kIdBytes = 6;
constexpr size_t kSecretBytes = 16;
constexpr std::string_view kBootstrappers = "system:bootstrappers";

bool IsPlain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Whether a token has the form of bootstrap tokens.
bool HasForm(std::string_view token) {
  return token.size() == kIdBytes + 1 + kSecretBytes && token[kIdBytes] == '.' &&
         std::ranges::all_of(token.substr(0, kIdBytes), IsPlain) &&
         std::ranges::all_of(token.substr(kIdBytes + 1), IsPlain);
}

bool IsGroup(std::string_view name) {
  constexpr size_t kMaxBytes = 256;  // behind the prefix
  if (!name.starts_with(kBootstrappers) || name.substr(kBootstrappers.size()).size() < 2) {
    return false;
  }
  name.remove_prefix(kBootstrappers.size());
  return name.front() == ':' && name.size() - 1 <= kMaxBytes && IsPlain(name.back()) &&
         std::ranges::all_of(name, [](char c) { return IsPlain(c) || c == ':' || c == '-'; });
}

// Sorted, each once. Nothing if one of them is no group of this kind.
std::optional<std::vector<std::string>> GroupsOf(std::string_view listed) {
  std::set<std::string> groups = {std::string(kBootstrappers)};
  for (bool is_last = listed.empty(); !is_last;) {
    const size_t comma = listed.find(',');
    const std::string_view group = listed.substr(0, comma);
    if (!IsGroup(group)) return std::nullopt;
    groups.emplace(group);
    is_last = comma == std::string_view::npos;
    if (!is_last) listed.remove_prefix(comma + 1);
  }
  return std::vector<std::string>(groups.begin(), groups.end());
}

serving::Authentication FromSecret(std::string_view token, const BoundObject& secret,
                                   Duration now) {
  const auto data = [&](std::string_view key) -> std::string_view {
    const auto found = secret.bootstrap_data.find(key);
    return found == secret.bootstrap_data.end() ? std::string_view() : found->second;
  };
  const std::string_view id = token.substr(0, kIdBytes);
  if (secret.deletion || !crypto::EqualSecrets(data("token-secret"), token.substr(kIdBytes + 1)) ||
      data("token-id") != id || data("usage-bootstrap-authentication") != "true") {
    return {};
  }
  if (const std::string_view expiration = data("expiration"); !expiration.empty()) {
    const Result<object::Timestamp> end = object::ParseTime(expiration);
    if (!end || *end <= object::MakeTimestamp(0, now.count())) return {};
  }
  auto groups = GroupsOf(data("auth-extra-groups"));
  if (!groups) return {};
  return serving::Authentication::Of({.name = "system:bootstrap:" + std::string(id),
                                      .uid = {},
                                      .groups = std::move(*groups),
                                      .extra = {}});
}

}  // namespace

void BootstrapTokenAuthenticator::AuthenticateToken(std::string_view token,
                                                    serving::WantedAudiences /*audiences*/,
                                                    serving::AuthenticationCallback done) {
  if (!HasForm(token)) return done({});
  lookup_.Find(BoundKind::kSecret, "kube-system",
               "bootstrap-token-" + std::string(token.substr(0, kIdBytes)),
               [this, token, done = std::move(done)](const Result<BoundObject>& secret) mutable {
                 if (secret) return done(FromSecret(token, *secret, clock_.Wall()));
                 if (secret.error().reason() == StatusReason::kNotFound) return done({});
                 done(serving::Authentication::Refused(secret.error().message()));
               });
}

}  // namespace skiff::apiserver

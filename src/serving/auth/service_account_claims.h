// What tokens of service accounts say: the claims of v1.36, bound to a service account and maybe to
// a pod, secret or node, and those of the older tokens that are kept in secrets.
//
//   {"aud":[...],"exp":...,"iat":...,"iss":"...","jti":"...","kubernetes.io":{"namespace":"...",
//    "node":{"name":"...","uid":"..."},"pod":{...},"serviceaccount":{...},"warnafter":...},
//    "nbf":...,"sub":"system:serviceaccount:NAMESPACE:NAME"}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/auth/user.h"

namespace skiff::serving {

struct ClaimedObject {
  std::string name;
  std::string uid;
};

struct ServiceAccountClaims {
  std::string issuer = {};
  std::string subject = {};
  std::vector<std::string> audiences = {};
  // Seconds since 1970; zero: not there.
  int64_t expires = 0;
  int64_t issued = 0;
  int64_t not_before = 0;
  int64_t warn_after = 0;
  std::string id = {};
  std::string name_space = {};
  ClaimedObject service_account = {};
  std::optional<ClaimedObject> pod = {};
  std::optional<ClaimedObject> secret = {};
  std::optional<ClaimedObject> node = {};

  std::string ToJson() const;
  // An error when a claim has the wrong type.
  static Result<ServiceAccountClaims> Read(const object::Value& claims);
};

// Tokens in secrets of type kubernetes.io/service-account-token.
struct LegacyClaims {
  std::string subject = {};
  std::string name_space = {};
  std::string secret = {};
  std::string service_account = {};
  std::string service_account_uid = {};

  std::string ToJson() const;
  static LegacyClaims Read(const object::Value& claims);
};
inline constexpr std::string_view kLegacyIssuer = "kubernetes/serviceaccount";

// The "aud" of any token: a string or a list of them.
Result<std::vector<std::string>> ReadAudiences(const object::Value& claims);

// system:serviceaccount:NAMESPACE:NAME
std::string ServiceAccountUserName(std::string_view name_space, std::string_view name);
// The user of a service account in its groups, without extras.
UserInfo ServiceAccountUser(std::string_view name_space, std::string_view name,
                            std::string_view uid);

}  // namespace skiff::serving

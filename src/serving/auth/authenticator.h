// The seam between the pipeline and what finds out who makes a request.
//
// An Authenticator looks at one kind of credential (a client certificate, a bearer token). It knows
// the user, or there is no such credential in the request, or there is one that it refuses. What it
// says about a refusal is for the log: clients only ever read "Unauthorized". No answer repeats a
// secret.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http.h"
#include "serving/auth/user.h"

namespace skiff::serving {

struct Authentication {
  enum class Outcome : uint8_t { kNoCredentials, kUser, kRefused };

  Outcome outcome = Outcome::kNoCredentials;
  UserInfo user = {};
  // Of those that were asked for, the audiences that the credential is meant for. Empty when it is
  // not bound to any.
  std::vector<std::string> audiences = {};
  std::string error = {};  // why it was refused
  std::vector<std::string> warnings = {};
  std::vector<std::pair<std::string, std::string>> audit_annotations = {};

  bool ok() const { return outcome == Outcome::kUser; }
  static Authentication Of(UserInfo user) {
    return {.outcome = Outcome::kUser, .user = std::move(user)};
  }
  static Authentication Refused(std::string error) {
    return {.outcome = Outcome::kRefused, .error = std::move(error)};
  }
};

using AuthenticationCallback = std::move_only_function<void(Authentication)>;

// Any thread. `done` is called once, before Authenticate() returns or later; the request and the
// authenticator live until then.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual void Authenticate(const net::HttpRequest& request, AuthenticationCallback done) = 0;
};

// The audiences that a token must be meant for, one of them at least. Null: those of this server.
using WantedAudiences = const std::vector<std::string>*;

// Any thread, likewise. kNoCredentials: the token is not of a kind that this one knows. The token
// and the audiences live until `done` is called.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  virtual void AuthenticateToken(std::string_view token, WantedAudiences audiences,
                                 AuthenticationCallback done) = 0;
};

inline constexpr char kCredentialIdKey[] = "authentication.kubernetes.io/credential-id";

}  // namespace skiff::serving

// Tokens where requests carry them: `Authorization: Bearer TOKEN`, and for browsers, which cannot
// set that header on a WebSocket, the sub-protocol
// `base64url.bearer.authorization.k8s.io.BASE64URL(TOKEN)` beside at least one other.
#pragma once

#include "serving/auth/authenticator.h"

namespace skiff::serving {

// The tokens of both outlive them. A token that nobody knows is refused.
class BearerTokenAuthenticator final : public Authenticator {
 public:
  explicit BearerTokenAuthenticator(TokenAuthenticator& tokens) : tokens_(tokens) {}
  void Authenticate(const net::HttpRequest& request, AuthenticationCallback done) override;

 private:
  TokenAuthenticator& tokens_;
};

class WebSocketTokenAuthenticator final : public Authenticator {
 public:
  explicit WebSocketTokenAuthenticator(TokenAuthenticator& tokens) : tokens_(tokens) {}
  void Authenticate(const net::HttpRequest& request, AuthenticationCallback done) override;

 private:
  TokenAuthenticator& tokens_;
};

inline constexpr std::string_view kWebSocketTokenPrefix = "base64url.bearer.authorization.k8s.io.";

}  // namespace skiff::serving

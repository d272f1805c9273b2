// --enable-bootstrap-token-auth: tokens with which nodes join a cluster, ID.SECRET.
//
// The token is the secret bootstrap-token-ID in kube-system, of type bootstrap.kubernetes.io/token,
// with token-id and token-secret, usage-bootstrap-authentication=true and, if it is to end, an
// expiration. Its user is system:bootstrap:ID in the group system:bootstrappers and in those of
// auth-extra-groups, which all begin with system:bootstrappers: themselves.
#pragma once

#include "apiserver/authn/bound_object.h"
#include "base/clock.h"
#include "serving/auth/authenticator.h"

namespace skiff::apiserver {

class BootstrapTokenAuthenticator final : public serving::TokenAuthenticator {
 public:
  // Both outlive it.
  BootstrapTokenAuthenticator(BoundObjectLookup& lookup, Clock& clock)
      : lookup_(lookup), clock_(clock) {}
  // A token whose secret does not say all of this is one that nobody knows.
  void AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                         serving::AuthenticationCallback done) override;

 private:
  BoundObjectLookup& lookup_;
  Clock& clock_;
};

}  // namespace skiff::apiserver

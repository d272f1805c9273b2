// Users by their client certificate: the common name is the user's name, the organizations are the
// groups. The connection has verified the certificate against --client-ca-file; what remains is
// that it may have expired since.
#pragma once

#include "apiserver/authn/authenticator.h"
#include "base/clock.h"

namespace skiff {

class ClientCertificateAuthenticator final : public Authenticator {
 public:
  explicit ClientCertificateAuthenticator(Clock& clock) : clock_(clock) {}
  void Authenticate(const HttpRequest& request, AuthenticationCallback done) override;

 private:
  Clock& clock_;
};

}  // namespace skiff

// Users by their client certificate: the common name is the user's name, the organizations are the
// groups. The connection verifies the certificate against --client-ca-file, and again when that
// file changes; what remains is that it may have expired since.
#pragma once

#include "base/clock.h"
#include "serving/auth/authenticator.h"

namespace skiff::serving {

class ClientCertificateAuthenticator final : public Authenticator {
 public:
  // `cas` are the bits of the CAs whose certificates make users (PeerCertificate::verified_by).
  explicit ClientCertificateAuthenticator(Clock& clock, uint32_t cas = 1)
      : clock_(clock), cas_(cas) {}
  void Authenticate(const net::HttpRequest& request, AuthenticationCallback done) override;

 private:
  Clock& clock_;
  const uint32_t cas_;
};

}  // namespace skiff::serving

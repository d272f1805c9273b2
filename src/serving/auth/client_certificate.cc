#include "serving/auth/client_certificate.h"

namespace skiff::serving {
namespace {

Authentication FromCertificate(const net::PeerCertificate& certificate, Duration now) {
  if (now >= std::chrono::seconds(certificate.not_after_seconds + 1)) {
    return Authentication::Refused("the client certificate has expired");
  }
  if (certificate.common_name.empty()) return {};
  UserInfo user;
  user.name = certificate.common_name;
  user.uid = certificate.uid;
  user.groups = certificate.organizations;
  user.extra.push_back({kCredentialIdKey, {"X509SHA256=" + certificate.fingerprint}});
  return Authentication::Of(std::move(user));
}

}  // namespace

void ClientCertificateAuthenticator::Authenticate(const net::HttpRequest& request,
                                                  AuthenticationCallback done) {
  const net::PeerCertificate* peer = request.peer.get();
  if (peer != nullptr && (peer->verified_by & cas_) != 0) {
    done(FromCertificate(*peer, clock_.Wall()));
  } else if (peer != nullptr || request.peer_refused) {
    done(Authentication::Refused("the client certificate is not signed by a known authority"));
  } else {
    done({});
  }
}

}  // namespace skiff::serving

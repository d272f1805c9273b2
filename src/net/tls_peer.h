// Certificates of clients: whether they are to be believed, and what they say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/clock.h"
#include "crypto/openssl.h"
#include "net/serving.h"

namespace skiff::net {

// What clients' certificates are verified against: a store for each CA file, and the file's text.
// Immutable once made.
struct ClientCas {
  Clock* clock = nullptr;
  bool required = false;  // whoever has no certificate of theirs is turned away
  std::vector<crypto::openssl::X509StorePtr> stores;
  std::vector<std::string> texts;
};

// Verifies a chain that a client sent, for client authentication and at the time of the clock. For
// SSL_CTX_set_cert_verify_callback, whose argument is a ClientCas: refuses the handshake only if a
// certificate is required, and leaves as the session's verify result which of the CAs know the
// certificate. The result also stays with the session when it is resumed, unlike the chain.
int VerifyTlsPeer(X509_STORE_CTX* context, void* client_cas);

// What the certificate of a client says, or that it is not to be believed. Without `changed`, by
// what VerifyTlsPeer() found in the handshake; with it, by these CAs, which have taken the place of
// those. A session that was resumed has no chain any more, so that a certificate which needs one is
// not believed then.
void ReadTlsPeer(SSL* ssl, Clock& clock, const ClientCas* changed, ConnectionPeer& peer);

// Null when the subject has more than one uid.
std::shared_ptr<PeerCertificate> DescribeCertificate(X509* certificate);

}  // namespace skiff::net

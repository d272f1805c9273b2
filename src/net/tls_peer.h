// Certificates of clients: whether they are to be believed, and what they say.
#pragma once

#include <memory>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/clock.h"
#include "net/serving.h"

namespace skiff {

// Verifies a chain that a client sent, for client authentication and at the time of `clock`. For
// SSL_CTX_set_cert_verify_callback, whose argument is the clock: never refuses the handshake, but
// leaves the outcome as the session's verify result, which also stays with a resumed session.
int VerifyTlsPeer(X509_STORE_CTX* context, void* clock);

// What the certificate of a client says, or that it is not to be believed.
void ReadTlsPeer(SSL* ssl, Clock& clock, ConnectionPeer& peer);

// Null when the subject has more than one uid.
std::shared_ptr<const PeerCertificate> DescribeCertificate(X509* certificate);

}  // namespace skiff

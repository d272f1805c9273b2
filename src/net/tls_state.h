// One reading of a server's certificate files, made into what OpenSSL needs. Immutable.
#pragma once

#include <memory>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/status.h"
#include "net/tls_options.h"
#include "net/tls_peer.h"

namespace skiff::net {

struct TlsState;

// The clock decides about the validity of clients' certificates and must outlive all sessions. A
// state whose CAs of clients are those of `before`, which may be null, shares them with it.
Result<std::shared_ptr<const TlsState>> LoadTlsState(const TlsOptions& options, Clock& clock,
                                                     const TlsState* before);
// The session keeps the state alive.
SSL* NewTlsSession(std::shared_ptr<const TlsState> state);
const ClientCas& ClientCasOf(const TlsState& state);
// Those under which the handshake of a session of NewTlsSession() was made.
const ClientCas& ClientCasOf(SSL* ssl);

}  // namespace skiff::net

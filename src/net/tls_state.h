// One reading of a server's certificate files, made into what OpenSSL needs. Immutable.
#pragma once

#include <memory>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/status.h"
#include "net/tls_options.h"

namespace skiff {

struct TlsState;

// The clock decides about the validity of clients' certificates and must outlive all sessions.
Result<std::shared_ptr<const TlsState>> LoadTlsState(const TlsOptions& options, Clock& clock);
// The session keeps the state alive.
SSL* NewTlsSession(std::shared_ptr<const TlsState> state);

}  // namespace skiff

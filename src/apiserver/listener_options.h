// How the server listens: its address, its limits and TLS, as the options say.
#pragma once

#include <cstdint>

#include "apiserver/options.h"
#include "net/server.h"

namespace skiff::apiserver {

// Without what the listener calls, which is its owner's to fill in. `memory_bytes` is what the
// process may have.
net::HttpServerOptions ListenerOptions(const ApiServerOptions& options, uint64_t memory_bytes);

}  // namespace skiff::apiserver

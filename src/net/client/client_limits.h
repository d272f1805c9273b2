// The bounds of HTTP clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skiff::limits {

// A client of an HTTP server: connections to it, addresses that are tried, requests that wait for a
// connection with room; what a server may send ahead on a stream and on a connection.
inline constexpr size_t kClientConnections = 4;
inline constexpr size_t kMaxClientAddresses = 16;
inline constexpr size_t kMaxClientWaiting = 100'000;
inline constexpr int32_t kClientStreamWindowBytes = 4 * 1024 * 1024;
inline constexpr int32_t kClientConnectionWindowBytes = 16 * 1024 * 1024;
inline constexpr std::chrono::seconds kClientConnectTimeout{10};
inline constexpr std::chrono::seconds kClientRequestTimeout{60};
// A server that is silent for so long while answers are awaited is asked whether it is there, and
// is taken for lost after that long again. A connection that is not used is closed.
inline constexpr std::chrono::seconds kClientPingAfter{15};
inline constexpr std::chrono::seconds kClientIdleTimeout{60};

}  // namespace skiff::limits

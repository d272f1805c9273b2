// Bounds of what is passed on to extension API servers: limits.h has the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skiff::limits {

// Requests that are being passed on, watches among them; the next ones are sent away.
inline constexpr size_t kMaxForwardedRequests = 20'000;
// What of a body waits between two connections, in each direction.
inline constexpr size_t kForwardedBufferBytes = size_t{128} << 10;
// How much of an answer a server may send over HTTP/2 while the client takes none of it.
inline constexpr int32_t kForwardedWindowBytes = 256 << 10;
// An answer whose length is known and not beyond this is passed on once it is there.
inline constexpr size_t kForwardedAtOnceBytes = size_t{64} << 10;
// Connections over HTTP/2 to one place.
inline constexpr size_t kMaxBackendConnections = 200;
// Places that connections are kept to, and how long they are kept without a request.
inline constexpr size_t kMaxBackendChannels = 1000;
inline constexpr std::chrono::seconds kBackendChannelIdle{90};
// How often it is looked for clients that have gone before there was an answer.
inline constexpr std::chrono::milliseconds kForwardedGoneInterval{500};
// Documents of servers that tell what they serve: all that are being read.
inline constexpr size_t kMaxBackendRepliesBytes = size_t{128} << 20;
// The client has no more time than this for the documents about a version: what it serves.
inline constexpr std::chrono::seconds kForwardedDiscoveryTimeout{5};
// What a server says that it serves, and what is kept of that of all servers.
inline constexpr size_t kMaxBackendDiscoveryBytes = size_t{8} << 20;
inline constexpr size_t kMaxDiscoveredBytes = size_t{32} << 20;
// An OpenAPI document of a server, and what is kept of those of all servers.
inline constexpr size_t kMaxBackendOpenApiBytes = size_t{32} << 20;
inline constexpr size_t kMaxKeptOpenApiBytes = size_t{64} << 20;
inline constexpr size_t kMaxBackendOpenApiIndexBytes = size_t{1} << 20;

}  // namespace skiff::limits

// Calls of clients as requests of HTTP: method, path and query, body, and what answers are
// accepted.
//
// Objects of built-in kinds go and come as protobuf, unless that is not wanted, others as JSON;
// which one an answer is, its Content-Type says. With metadata only, both are asked for as
// PartialObjectMetadata.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "client/client.h"
#include "net/client/client_connection.h"

namespace skiff::client {

inline constexpr std::string_view kJsonMedia = "application/json";
inline constexpr std::string_view kProtobufMedia = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// Everything but a-z, A-Z, 0-9, '-', '.', '_' and '~' as %XX.
std::string PercentEncoded(std::string_view text);

// An error when something is missing that the path needs.
Result<net::ClientRequest> MakeRequest(const ClientCall& call, bool protobuf = true);
// The server ends the watch after `timeout_seconds`.
net::ClientRequest MakeWatchRequest(const WatchCall& call, int64_t timeout_seconds,
                                    bool protobuf = true);

// Whether the call may be made twice as well as once.
bool IsIdempotent(ClientVerb verb);

}  // namespace skiff::client

// Bounds of the calls that a server makes to webhooks: limits.h has the others.
#pragma once

#include <chrono>
#include <cstddef>

namespace skiff::limits {

// Webhooks that connections are kept to. Those that were not called for longest go.
inline constexpr size_t kMaxWebhookChannels = 200;
// Calls of one webhook at once, and so connections to it; others wait.
inline constexpr size_t kMaxWebhookConnections = 64;
// An answer of a webhook, and all that are being read.
inline constexpr size_t kMaxWebhookReplyBytes = size_t{16} << 20;
inline constexpr size_t kMaxWebhookRepliesBytes = size_t{128} << 20;
// How much of an answer that is none is told to who wrote.
inline constexpr size_t kMaxRepeatedReplyBytes = 2048;
// Names of hosts whose addresses are remembered, and how long.
inline constexpr size_t kMaxWebhookHosts = 1000;
inline constexpr std::chrono::seconds kWebhookHostTtl{30};

}  // namespace skiff::limits

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
// What one call of a conversion webhook is asked for: so many objects, and no more of them once
// there are so many bytes.
inline constexpr size_t kMaxConvertedAtOnce = 500;
inline constexpr size_t kConvertedBytesAtOnce = size_t{2} << 20;
inline constexpr std::chrono::seconds kConversionTimeout{30};
// A list whose objects are converted, which is held as a whole before it is sent.
inline constexpr size_t kMaxConvertedListBytes = size_t{256} << 20;
// Converted objects that are remembered, of all definitions together.
inline constexpr size_t kConversionMemoryBytes = size_t{32} << 20;

}  // namespace skiff::limits

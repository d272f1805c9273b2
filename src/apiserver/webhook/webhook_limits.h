// TEMPORARY: moves to base/limits.h.
#pragma once
#include <chrono>
#include <cstddef>
namespace skiff::limits {
inline constexpr size_t kMaxWebhookChannels = 200;
inline constexpr size_t kMaxWebhookConnections = 64;
inline constexpr size_t kMaxWebhookReplyBytes = size_t{16} << 20;
inline constexpr size_t kMaxWebhookRepliesBytes = size_t{128} << 20;
inline constexpr size_t kMaxRepeatedReplyBytes = 2048;
inline constexpr size_t kMaxWebhookHosts = 1000;
inline constexpr std::chrono::seconds kWebhookHostTtl{30};
}  // namespace skiff::limits

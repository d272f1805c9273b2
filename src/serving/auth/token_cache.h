// Remembers for some seconds whom a token belongs to, so that a client that makes many requests
// costs one verification. Refusals are not remembered: a token may become good any moment.
//
// Bounded in number; when it is full the oldest go. Tokens are known by their SHA-256 alone.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/clock.h"
#include "base/limits.h"
#include "crypto/digest.h"
#include "serving/auth/authenticator.h"

namespace skiff::serving {

// Any thread. The clock outlives the cache; the cache outlives the calls that are under way.
class TokenCache final : public TokenAuthenticator {
 public:
  TokenCache(std::unique_ptr<TokenAuthenticator> tokens, Clock& clock,
             Duration age = limits::kTokenCacheAge, size_t max_entries = limits::kMaxCachedTokens);
  void AuthenticateToken(std::string_view token, WantedAudiences audiences,
                         AuthenticationCallback done) override;

 private:
  struct Entry {
    Authentication found;
    Duration expires;
  };
  // Entries expire in the order in which they come, as all live equally long.
  struct Shard {
    std::mutex mutex;
    std::unordered_map<crypto::Sha256Digest, std::shared_ptr<const Entry>, crypto::Sha256Hash>
        entries;
    std::deque<std::pair<crypto::Sha256Digest, Duration>> order;
  };
  static constexpr size_t kShards = 16;

  Shard& ShardOf(const crypto::Sha256Digest& key) { return shards_[key[31] % kShards]; }
  std::shared_ptr<const Entry> Find(const crypto::Sha256Digest& key);
  void Keep(const crypto::Sha256Digest& key, const Authentication& found);

  const std::unique_ptr<TokenAuthenticator> tokens_;
  Clock& clock_;
  const Duration age_;
  const size_t max_per_shard_;
  std::array<Shard, kShards> shards_;
};

}  // namespace skiff::serving

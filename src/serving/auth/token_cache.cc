#include "serving/auth/token_cache.h"

#include <algorithm>
#include <string>

namespace skiff::serving {
namespace {

// The audiences are a part of the question.
crypto::Sha256Digest KeyOf(std::string_view token, WantedAudiences audiences) {
  if (audiences == nullptr) return crypto::Sha256(token);
  std::string text(crypto::AsBytes(crypto::Sha256(token)));
  for (const std::string& audience : *audiences) {
    text += std::to_string(audience.size()) + ":" + audience;
  }
  return crypto::Sha256(text);
}

}  // namespace

TokenCache::TokenCache(std::unique_ptr<TokenAuthenticator> tokens, Clock& clock, Duration age,
                       size_t max_entries)
    : tokens_(std::move(tokens)),
      clock_(clock),
      age_(age),
      max_per_shard_(std::max<size_t>(1, max_entries / kShards)) {}

void TokenCache::AuthenticateToken(std::string_view token, WantedAudiences audiences,
                                   AuthenticationCallback done) {
  const crypto::Sha256Digest key = KeyOf(token, audiences);
  if (const auto entry = Find(key)) {
    done(entry->found);
    return;
  }
  tokens_->AuthenticateToken(token, audiences,
                             [this, key, done = std::move(done)](Authentication found) mutable {
                               if (found.ok()) Keep(key, found);
                               done(std::move(found));
                             });
}

std::shared_ptr<const TokenCache::Entry> TokenCache::Find(const crypto::Sha256Digest& key) {
  const Duration now = clock_.Monotonic();
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.entries.find(key);
  if (found == shard.entries.end() || found->second->expires <= now) return nullptr;
  return found->second;
}

void TokenCache::Keep(const crypto::Sha256Digest& key, const Authentication& found) {
  const Duration now = clock_.Monotonic();
  auto entry = std::make_shared<const Entry>(Entry{found, now + age_});
  Shard& shard = ShardOf(key);
  const std::lock_guard lock(shard.mutex);
  while (!shard.order.empty() &&
         (shard.order.front().second <= now || shard.order.size() >= max_per_shard_)) {
    const auto& [old_key, expires] = shard.order.front();
    const auto old = shard.entries.find(old_key);
    // A token that was verified twice at once has a younger entry than this one.
    if (old != shard.entries.end() && old->second->expires <= expires) shard.entries.erase(old);
    shard.order.pop_front();
  }
  shard.order.emplace_back(key, entry->expires);
  shard.entries.insert_or_assign(key, std::move(entry));
}

}  // namespace skiff::serving

#include "apiserver/rest/noop_apply_cache.h"

#include "base/limits.h"

namespace skiff::apiserver {

crypto::Sha256Digest NoopApplyCache::DigestOf(std::string_view path,
                                              const serving::QueryParameters& query,
                                              std::string_view body) {
  std::string text(crypto::AsBytes(crypto::Sha256(body)));
  text += path;
  // The length of each value keeps two of them apart.
  for (const std::string_view option : {"fieldManager", "force", "fieldValidation", "dryRun"}) {
    const std::string_view value = query.Get(option);
    text += '\n' + std::to_string(value.size()) + ' ';
    text += value;
  }
  return crypto::Sha256(text);
}

bool NoopApplyCache::ChangesNothing(const crypto::Sha256Digest& apply,
                                    store::Revision object) const {
  const std::lock_guard lock(mutex_);
  if (known_.empty()) return false;
  const Known& known = known_[crypto::Sha256Hash()(apply) % known_.size()];
  return known.object == object && known.apply == apply;
}

void NoopApplyCache::Remember(const crypto::Sha256Digest& apply, store::Revision object) {
  const std::lock_guard lock(mutex_);
  if (known_.empty()) known_.resize(limits::kNoopApplyCacheEntries);
  known_[crypto::Sha256Hash()(apply) % known_.size()] = {apply, object};
}

}  // namespace skiff::apiserver

#include "apiserver/rest/known_applies.h"

#include "base/limits.h"

namespace skiff {

Sha256Digest KnownApplies::DigestOf(const HttpRequest& request) {
  // The digest of the body stands in a text that no other request has.
  const Sha256Digest body = Sha256(request.body);
  std::string text;
  text += AsBytes(body);
  text += request.path + '?' + request.query;
  return Sha256(text);
}

bool KnownApplies::ChangesNothing(const Sha256Digest& apply, Revision object) const {
  const std::lock_guard lock(mutex_);
  if (known_.empty()) return false;
  const Known& known = known_[Sha256Hash()(apply) % known_.size()];
  return known.object == object && known.apply == apply;
}

void KnownApplies::Remember(const Sha256Digest& apply, Revision object) {
  const std::lock_guard lock(mutex_);
  if (known_.empty()) known_.resize(limits::kKnownApplies);
  known_[Sha256Hash()(apply) % known_.size()] = {apply, object};
}

}  // namespace skiff

#include "apiserver/extensions/converted_objects.h"

namespace skiff::apiserver {

std::optional<SharedBytes> ConvertedObjects::Find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  objects_.splice(objects_.begin(), objects_, found->second);
  return found->second->second;
}

void ConvertedObjects::Put(const Key& key, SharedBytes object) {
  const size_t size = object.size() + kOverhead;
  const std::lock_guard lock(mutex_);
  if (const auto known = places_.find(key); known != places_.end()) {
    bytes_ -= known->second->second.size() + kOverhead;
    objects_.erase(known->second);
    places_.erase(known);
  }
  if (size > max_bytes_) return;
  objects_.emplace_front(key, std::move(object));
  places_[key] = objects_.begin();
  bytes_ += size;
  while (bytes_ > max_bytes_) {
    const auto& [oldest, gone] = objects_.back();
    bytes_ -= gone.size() + kOverhead;
    places_.erase(oldest);
    objects_.pop_back();
  }
}

size_t ConvertedObjects::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace skiff::apiserver

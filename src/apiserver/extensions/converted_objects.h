// Objects that webhooks have converted, as long as there is room: what was not used for longest
// goes. So a list, and each of many watches that are told of a change, asks for what nobody has
// asked for before.
//
// Any thread. Owner: the API server, for all definitions together.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/shared_bytes.h"
#include "crypto/digest.h"

namespace skiff::apiserver {

class ConvertedObjects {
 public:
  // Of the definition as it is now, the version that is wanted, and the object as it was.
  using Key = crypto::Sha256Digest;

  explicit ConvertedObjects(size_t max_bytes) : max_bytes_(max_bytes) {}

  std::optional<SharedBytes> Find(const Key& key);
  void Put(const Key& key, SharedBytes object);
  size_t bytes() const;

 private:
  using Objects = std::list<std::pair<Key, SharedBytes>>;  // the one used last comes first
  // What an object takes beside its bytes.
  static constexpr size_t kOverhead = 160;

  mutable std::mutex mutex_;
  const size_t max_bytes_;
  size_t bytes_ = 0;
  Objects objects_;
  std::unordered_map<Key, Objects::iterator, crypto::Sha256Hash> places_;
};

}  // namespace skiff::apiserver

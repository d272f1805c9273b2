// A cache of applies that are no-ops, so that the many controllers which apply the same
// configuration again and again cost little.
//
// Applying is idempotent: what it makes of an object depends on nothing but the request and the
// object. So one that once left an object as it was does so again while the object has the same
// revision: neither the configuration nor the object's managers need to be read. Admission does
// depend on more, and is asked every time.
//
// Keeps limits::kNoopApplyCacheEntries of them, each in the place that its digest gives it, where
// it stays until another one needs it. Any thread.
#pragma once

#include <mutex>
#include <vector>

#include "crypto/digest.h"
#include "serving/request/query.h"
#include "store/store.h"

namespace skiff::apiserver {

class NoopApplyCache {
 public:
  // Stands for the object, the writer, the options and the configuration of a request.
  static crypto::Sha256Digest DigestOf(std::string_view path, const serving::QueryParameters& query,
                                       std::string_view body);

  bool ChangesNothing(const crypto::Sha256Digest& apply, store::Revision object) const;
  void Remember(const crypto::Sha256Digest& apply, store::Revision object);

 private:
  struct Known {
    crypto::Sha256Digest apply;
    store::Revision object;
  };
  mutable std::mutex mutex_;
  std::vector<Known> known_;  // empty until there is one
};

}  // namespace skiff::apiserver

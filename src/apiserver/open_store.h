// The cluster store that the options name: etcd if it has servers, else the embedded one.
#pragma once

#include <memory>

#include "apiserver/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::apiserver {

struct OpenedStore {
  std::unique_ptr<store::Store> store;
  bool embedded = true;
  // Lets go of old states in etcd, together with the other servers that use it; null when embedded,
  // where the store does that itself.
  std::shared_ptr<void> compactor;
};

// Clock, randomness and log outlive the store.
Result<OpenedStore> OpenStore(const StorageOptions& options, Clock& clock, Random& random,
                              Log& log);

}  // namespace skiff::apiserver

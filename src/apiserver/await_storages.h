// Waits until the caches of all resources are filled from the cluster store.
#pragma once

#include <functional>

#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::apiserver {

struct StoragePatience {
  Duration timeout;
  std::function<bool()> give_up;  // asked now and then; may be null
};

// Logs what it waits for. Fails when the time is over, or when somebody wants to give up.
Result<void> AwaitStorages(StorageSet& storages, store::Store& store,
                           const StoragePatience& patience, Clock& clock, Log& log);

}  // namespace skiff::apiserver

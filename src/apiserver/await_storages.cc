#include "apiserver/await_storages.h"

#include <algorithm>
#include <string>

namespace skiff::apiserver {
namespace {

// How often somebody may ask to stop, and how often it is told what is waited for.
constexpr Duration kLookAround = std::chrono::milliseconds(100);
constexpr Duration kSilence = std::chrono::seconds(3);

}  // namespace

Result<void> AwaitStorages(StorageSet& storages, store::Store& store,
                           const StoragePatience& patience, Clock& clock, Log& log) {
  const Duration deadline = clock.Monotonic() + patience.timeout;
  Duration next_word = clock.Monotonic() + kSilence;
  while (true) {
    const Duration now = clock.Monotonic();
    if (storages.WaitUntilReady(std::min(deadline, now + kLookAround))) return {};
    const std::string reason = storages.fault(store.Health().reason);
    if (clock.Monotonic() >= deadline) {
      return Fail(StatusReason::kServiceUnavailable,
                  "the cluster store could not be read in time: " + reason);
    }
    if (patience.give_up && patience.give_up()) {
      return Fail(StatusReason::kServiceUnavailable, "the start was given up");
    }
    if (clock.Monotonic() < next_word) continue;
    next_word += kSilence;
    log.Warning("waiting for the cluster store", {{"reason", reason}});
  }
}

}  // namespace skiff::apiserver

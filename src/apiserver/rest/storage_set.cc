#include "apiserver/rest/storage_set.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::apiserver {

Result<std::unique_ptr<StorageSet>> StorageSet::Make(
    std::span<const object::ResourceHub* const> hubs, StorageEnvironment& environment) {
  std::unique_ptr<StorageSet> out(new StorageSet(environment));
  for (const object::ResourceHub* hub : hubs) {
    if (hub->storage == nullptr || out->Find(hub) != nullptr) continue;
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<ResourceStorage> storage,
                           ResourceStorage::Make(*hub, environment, out->symbols_));
    const auto place = std::ranges::upper_bound(out->storages_, hub, {},
                                                [](const auto& each) { return &each->hub(); });
    out->storages_.insert(place, std::move(storage));
  }
  return out;
}

StorageSet::~StorageSet() { Stop(); }

void StorageSet::Start() {
  waiting_for_ = storages_.size();
  for (const auto& storage : storages_) {
    storage->cache().Start([this](const Result<store::Revision>&) {
      std::lock_guard lock(mutex_);
      waiting_for_.fetch_sub(1, std::memory_order_acq_rel);
      wake_.notify_all();
    });
  }
  ticker_ = std::make_unique<Thread>("cache-ticker", [this] { TickUntilStopped(); });
}

void StorageSet::Stop() {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    wake_.notify_all();
  }
  if (ticker_ != nullptr) ticker_->Join();
  for (const auto& storage : storages_) storage->cache().Stop();
}

ResourceStorage* StorageSet::Find(const object::ResourceHub* hub) const {
  const auto found =
      std::ranges::lower_bound(storages_, hub, {}, [](const auto& each) { return &each->hub(); });
  return found != storages_.end() && &(*found)->hub() == hub ? found->get() : nullptr;
}

std::string StorageSet::fault(std::string_view otherwise) const {
  for (const auto& storage : storages_) {
    const std::string fault = storage->cache().fault();
    if (!fault.empty()) return std::string(storage->hub().resource->name) + ": " + fault;
  }
  return std::string(otherwise);
}

bool StorageSet::WaitUntilReady(Duration deadline) {
  std::unique_lock lock(mutex_);
  while (!ready() && environment_.clock.Monotonic() < deadline) {
    environment_.clock.WaitUntil(wake_, lock, deadline);
  }
  return ready();
}

void StorageSet::TickUntilStopped() {
  std::unique_lock lock(mutex_);
  Duration next = environment_.clock.Monotonic() + limits::kProgressInterval;
  while (!stopping_) {
    environment_.clock.WaitUntil(wake_, lock, next);
    if (stopping_ || environment_.clock.Monotonic() < next) continue;
    next += limits::kProgressInterval;
    lock.unlock();
    for (const auto& storage : storages_) storage->cache().Tick();
    lock.lock();
  }
}

}  // namespace skiff::apiserver

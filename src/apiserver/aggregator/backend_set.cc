#include "apiserver/aggregator/backend_set.h"

#include <utility>

namespace skiff::apiserver {

BackendSet::BackendSet(store::ResourceCache* api_services, BackendCaller& caller,
                       std::vector<ApiServiceObserver*> observers, std::function<void()> schedule)
    : caller_(caller),
      observers_(std::move(observers)),
      follower_(*this, {FollowedCache{api_services}}, std::move(schedule)) {}

void BackendSet::Run() {
  follower_.Run();
  if (!std::exchange(changed_, false)) return;
  for (const std::function<void()>& tell : told_) tell();
}

bool BackendSet::Put(size_t, const store::CacheEntry& entry) {
  const Result<object::Document> object = DecodeEntry(entry.value().view());
  if (!object) return false;
  for (ApiServiceObserver* each : observers_) each->OnObject(entry.name(), &*object);
  const std::unique_ptr<BackendState> state = ReadBackendState(*object);
  if (state == nullptr) {
    Change(entry.name(), nullptr);
    for (ApiServiceObserver* each : observers_) each->OnLocal(entry.name(), *object);
    return true;
  }
  const RemoteBackendPtr before = FindRemote(entry.name());
  if (before != nullptr && before->state() == *state) return true;
  const auto made = std::make_shared<const RemoteBackend>(std::move(*state), caller_);
  Change(entry.name(), made);
  for (ApiServiceObserver* each : observers_) each->OnRemote(made);
  return true;
}

void BackendSet::Remove(size_t, std::string_view, std::string_view name) {
  Change(name, nullptr);
  for (ApiServiceObserver* each : observers_) each->OnObject(name, nullptr);
  for (ApiServiceObserver* each : observers_) each->OnGone(name);
}

void BackendSet::Change(std::string_view name, RemoteBackendPtr backend) {
  const std::lock_guard lock(mutex_);
  if (backend != nullptr) {
    known_.insert_or_assign(std::string(name), std::move(backend));
    changed_ = true;
  } else if (const auto found = known_.find(name); found != known_.end()) {
    known_.erase(found);
    changed_ = true;
  }
  empty_.store(known_.empty(), std::memory_order_release);
}

RemoteBackendPtr BackendSet::FindRemote(std::string_view name) const {
  if (empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(name);
  return found != known_.end() ? found->second : nullptr;
}

std::vector<std::shared_ptr<const Backend>> BackendSet::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Backend>> out;
  for (const auto& [name, backend] : known_) out.push_back(backend);
  return out;
}

}  // namespace skiff::apiserver

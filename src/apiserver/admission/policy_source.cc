#include "apiserver/admission/policy_source.h"

#include <utility>
#include <vector>

#include "base/limits.h"
#include "object/value.h"

namespace skiff::apiserver {
namespace {

store::ResourceCache* CacheOf(ResourceStorage* storage) {
  return storage == nullptr ? nullptr : &storage->cache();
}
std::string LastPart(std::string_view key) { return std::string(key.substr(key.rfind('/') + 1)); }

}  // namespace

PolicySource::PolicySource(ResourceStorage* policies, ResourceStorage* bindings, Clock& clock)
    : clock_(clock), follower_(*this, {{CacheOf(policies)}, {CacheOf(bindings)}}, [this] {
        has_news_.store(true, std::memory_order_release);
      }) {}

PolicySource::~PolicySource() = default;

bool PolicySource::Put(size_t feed, const store::CacheEntry& entry) {
  has_changed_ = true;
  const std::string name = LastPart(entry.key());
  if (feed == kPolicies) {
    policies_[name] = {store::EntryRef(&entry)};
    return true;
  }
  const Result<object::Document> object = DecodeEntry(entry.value().view());
  if (!object) return false;
  bindings_[name] = std::make_shared<const PolicyBinding>(ReadPolicyBinding(object->root()));
  return true;
}

void PolicySource::Remove(size_t feed, std::string_view, std::string_view name) {
  has_changed_ = true;
  if (feed == kPolicies) {
    policies_.erase(std::string(name));
  } else {
    bindings_.erase(std::string(name));
  }
}

std::shared_ptr<const PolicySnapshot> PolicySource::MakeSnapshot() {
  std::map<std::string_view, std::vector<std::shared_ptr<const PolicyBinding>>> bound;
  for (const auto& [name, binding] : bindings_) bound[binding->policy].push_back(binding);
  std::vector<BoundPolicy> policies;
  for (auto& [name, bindings] : bound) {
    const auto found = policies_.find(name);
    if (found == policies_.end()) continue;
    Known& known = found->second;
    if (known.policy == nullptr) {
      const Result<object::Document> object = DecodeEntry(known.entry->value().view());
      if (!object) continue;
      known.policy = std::make_shared<const Policy>(CompilePolicy(object->root()));
    }
    policies.push_back({known.policy, std::move(bindings)});
  }
  return std::make_shared<const PolicySnapshot>(std::move(policies));
}

void PolicySource::Refresh() {
  has_news_.store(false, std::memory_order_release);
  follower_.Tick();
  follower_.Run();
  next_tick_ns_ = (clock_.Monotonic() + limits::kCacheRetryInterval).count();
  if (!follower_.synced() || !std::exchange(has_changed_, false)) return;
  std::shared_ptr<const PolicySnapshot> made = MakeSnapshot();
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(made);
}

std::shared_ptr<const PolicySnapshot> PolicySource::Current() {
  const bool is_due = has_news_.load(std::memory_order_acquire) ||
                      clock_.Monotonic().count() >= next_tick_ns_.load(std::memory_order_relaxed);
  if (is_due) {
    // Who comes while another does it takes what there was, but not nothing.
    std::unique_lock lock(refreshing_, std::try_to_lock);
    if (!lock.owns_lock() && Last() == nullptr) lock.lock();
    if (lock.owns_lock()) Refresh();
  }
  return Last();
}

std::shared_ptr<const PolicySnapshot> PolicySource::Last() {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

}  // namespace skiff::apiserver

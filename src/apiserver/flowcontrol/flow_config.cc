#include "apiserver/flowcontrol/flow_config.h"

#include <utility>

namespace skiff::apiserver {

FlowConfig::FlowConfig(store::ResourceCache& schemas, store::ResourceCache& levels, Decode decode)
    : schemas_(schemas), levels_(levels), decode_(std::move(decode)) {
  Use(std::make_shared<const FlowMatcher>(std::span<const object::Document>(),
                                          std::span<const object::Document>()));
}

void FlowConfig::Use(std::shared_ptr<const FlowMatcher> matcher) {
  static std::atomic<uint64_t> last{0};
  const std::lock_guard lock(mutex_);
  matcher_ = std::move(matcher);
  number_ = ++last;
}

std::shared_ptr<const FlowConfig::Listed> FlowConfig::List(store::ResourceCache& cache) const {
  auto listed = std::make_shared<Listed>();
  // From memory, and so before the call returns; unless the cache is being filled anew.
  cache.List({.resource_version = "0", .without_damaged = true},
             [listed, decode = decode_](Result<store::ListReply> reply) {
               if (!reply) return;
               for (store::ListCursor at = reply->Entries();
                    const store::CacheEntry* entry = at.Next();) {
                 listed->version.append(entry->key()).append("@");
                 listed->version.append(std::to_string(entry->revision().value)).append(" ");
                 Result<object::Document> object = decode(entry->value().view());
                 if (object) listed->objects.push_back(std::move(*object));
               }
               listed->complete.store(true, std::memory_order_release);
             });
  return listed->complete.load(std::memory_order_acquire) ? listed : nullptr;
}

void FlowConfig::Refresh() {
  const std::unique_lock lock(refreshing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto schemas = List(schemas_);
  const auto levels = List(levels_);
  if (schemas == nullptr || levels == nullptr) return;
  std::string version = schemas->version + "/" + levels->version;
  if (version == version_) return;
  version_ = std::move(version);
  Use(std::make_shared<const FlowMatcher>(schemas->objects, levels->objects));
}

const FlowMatcher& FlowConfig::Matcher() {
  thread_local uint64_t number = 0;
  thread_local std::shared_ptr<const FlowMatcher> matcher;
  const auto look = [this] {
    if (number == number_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    number = number_;
    matcher = matcher_;
  };
  look();
  if (!matcher->complete()) {
    Refresh();
    look();
  }
  return *matcher;
}

}  // namespace skiff::apiserver

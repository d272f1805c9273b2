#include "apiserver/flowcontrol/flow_config.h"

#include <utility>

namespace skiff {

std::shared_ptr<const FlowConfig::Listed> FlowConfig::List(ResourceCache& cache) const {
  auto listed = std::make_shared<Listed>();
  // From memory, and so before the call returns; unless the cache is being filled anew.
  cache.List({.resource_version = "0"}, [listed, decode = decode_](Result<ListReply> reply) {
    if (!reply) return;
    for (ListCursor at = reply->Entries(); const CacheEntry* entry = at.Next();) {
      listed->version.append(entry->key()).append("@");
      listed->version.append(std::to_string(entry->revision().value)).append(" ");
      Result<Document> object = decode(entry->value().view());
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
  matcher_ = std::make_shared<const FlowMatcher>(schemas->objects, levels->objects);
}

std::shared_ptr<const FlowMatcher> FlowConfig::Matcher() {
  std::shared_ptr<const FlowMatcher> matcher = matcher_.load();
  if (matcher->complete()) return matcher;
  Refresh();
  return matcher_.load();
}

}  // namespace skiff

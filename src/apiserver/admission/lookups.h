// What the watch caches hold, in the form in which plugins need it: decoded once per state of an
// object and remembered, since the same few objects (a service account, a priority class) are asked
// for with every pod.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/admission/plugin.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "base/limits.h"

namespace skiff::apiserver {

// Null when the resource is not served.
ResourceStorage* StorageOf(const PluginContext& context, std::string_view group,
                           std::string_view resource);
// The object as it is in the cache; nothing when there is none.
std::optional<object::Document> DecodeNow(ResourceStorage* storage, std::string_view name_space,
                                          std::string_view name);
// Whether the transaction makes the object.
bool IsMadeIn(const store::Transaction& transaction, const ResourceStorage& storage,
              std::string_view name_space, std::string_view name);

// Calls with each entry of the namespace, in order of name, until the call returns false. False:
// the cache is not filled. A resource that is not served has no entries.
template <typename Call>
bool ForEachInCachedNamespace(ResourceStorage* storage, std::string_view name_space, Call call) {
  if (storage == nullptr) return true;
  if (!storage->cache().ready()) return false;
  auto list = std::make_shared<std::optional<store::ListReply>>();
  store::CacheListRequest request;
  request.resource_version = "0";
  request.selection.name_space = std::string(name_space);
  storage->cache().List(std::move(request), [list](Result<store::ListReply> reply) {
    if (reply) list->emplace(std::move(*reply));
  });
  if (!*list) return false;
  store::ListCursor at = (*list)->Entries();
  while (const store::CacheEntry* entry = at.Next()) {
    if (!call(*entry)) break;
  }
  return true;
}

// What `State(Document&)` makes of single objects. Any thread.
template <typename State>
class Remembered {
 public:
  explicit Remembered(ResourceStorage* storage) : storage_(storage) {}

  ResourceStorage* storage() const { return storage_; }
  // Null: there is no such object.
  std::shared_ptr<const State> Find(std::string_view name_space, std::string_view name) {
    const store::EntryRef entry = FindInCache(storage_, name_space, name);
    return entry ? Of(*entry) : nullptr;
  }
  // Null when the entry cannot be decoded.
  std::shared_ptr<const State> Of(const store::CacheEntry& entry) {
    const std::string key(entry.key());
    {
      const std::lock_guard lock(mutex_);
      const auto found = known_.find(key);
      if (found != known_.end() && found->second.revision == entry.revision()) {
        return found->second.state;
      }
    }
    Result<object::Document> object = DecodeStored(entry.value().view(), entry.revision());
    if (!object) return nullptr;
    auto state = std::make_shared<const State>(*object);
    const std::lock_guard lock(mutex_);
    // Forgetting all is simple, and the few that matter are back soon.
    if (known_.size() >= limits::kMaxRememberedObjects) known_.clear();
    known_.insert_or_assign(key, Known{entry.revision(), state});
    return state;
  }

 private:
  struct Known {
    store::Revision revision;
    std::shared_ptr<const State> state;
  };
  ResourceStorage* storage_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  // guarded by mutex_
};

// What `State` makes of all objects of a resource, given one after another to
// `void Add(Document&)`: the default class among all classes. Any thread.
template <typename State>
class Summary {
 public:
  explicit Summary(ResourceStorage* storage) : storage_(storage) {}

  ResourceStorage* storage() const { return storage_; }
  // Never null.
  std::shared_ptr<const State> Get() {
    std::shared_ptr<const Known> known;
    {
      const std::lock_guard lock(mutex_);
      known = known_;
    }
    std::vector<store::EntryRef> entries;
    size_t at = 0;
    bool same = true;
    ForEachInCache(storage_, [&](const store::CacheEntry& entry) {
      // An entry is never changed, so the same entries make the same state.
      if (same && at < known->entries.size() && known->entries[at].get() == &entry) {
        ++at;
        return;
      }
      if (same) entries.assign(known->entries.begin(), known->entries.begin() + at);
      same = false;
      entries.emplace_back(&entry);
    });
    if (same && at == known->entries.size()) return {known, &known->state};
    if (same) entries.assign(known->entries.begin(), known->entries.begin() + at);
    return Remember(std::move(entries));
  }

 private:
  struct Known {
    std::vector<store::EntryRef> entries;
    State state;
  };

  std::shared_ptr<const State> Remember(std::vector<store::EntryRef> entries) {
    auto made = std::make_shared<Known>();
    for (const store::EntryRef& entry : entries) {
      Result<object::Document> object = DecodeStored(entry->value().view(), entry->revision());
      if (object) made->state.Add(*object);
    }
    made->entries = std::move(entries);
    const std::lock_guard lock(mutex_);
    known_ = made;
    return {made, &made->state};
  }

  ResourceStorage* storage_;
  std::mutex mutex_;
  std::shared_ptr<const Known> known_ = std::make_shared<const Known>();  // guarded by mutex_
};

}  // namespace skiff::apiserver

// Reads of what a watch cache holds at this moment, without waiting: for behaviours, which must
// not. It may be a little behind the store; conditions of the transaction guard against that.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/resource_storage.h"

namespace skiff::apiserver {

// Null: there is none, or the cache is not filled.
inline store::EntryRef FindInCache(ResourceStorage* storage, std::string_view name_space,
                                   std::string_view name) {
  if (storage == nullptr || !storage->cache().ready()) return {};
  // Any state will do ("0"), so the answer comes before the call returns; if it should not, what it
  // writes to is still there.
  auto found = std::make_shared<store::EntryRef>();
  storage->cache().Get({std::string(name_space), std::string(name), "0"},
                       [found](Result<store::CacheGetReply> reply) {
                         if (reply) *found = reply->entry;
                       });
  return *found;
}

// Calls with every entry, or those of one namespace; with none when the cache is not filled. False:
// that was so.
template <typename Call>
bool ForEachInCache(ResourceStorage* storage, Call call, std::string_view name_space = {}) {
  if (storage == nullptr || !storage->cache().ready()) return false;
  auto list = std::make_shared<std::optional<store::ListReply>>();
  store::CacheListRequest request;
  request.resource_version = "0";
  request.selection.name_space = name_space;
  storage->cache().List(std::move(request), [list](Result<store::ListReply> reply) {
    if (reply) list->emplace(std::move(*reply));
  });
  if (!*list) return false;
  store::ListCursor at = (*list)->Entries();
  while (const store::CacheEntry* entry = at.Next()) call(*entry);
  return true;
}

}  // namespace skiff::apiserver

// What admission plugins ask about a request, and look up in the watch caches.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/resource_storage.h"

namespace skiff {

// The name of the object that is written; on a create, whose URL has none, that of the body.
inline std::string_view NameOf(const AdmissionRequest& request) {
  if (!request.name.empty() || request.object == nullptr) return request.name;
  return MetaOf(*request.object).name();
}

inline bool IsResource(const AdmissionRequest& request, std::string_view group,
                       std::string_view resource) {
  return request.resource.name == resource && request.resource.version->desc->group == group;
}

// A request that is judged again, because somebody else was faster, warns only once.
inline void AddWarning(AdmissionRequest& request, std::string warning) {
  if (std::ranges::find(request.warnings, warning) != request.warnings.end()) return;
  request.warnings.push_back(std::move(warning));
}

// 403 of a plugin that cannot judge yet, because the server has only just started.
inline std::unexpected<Status> NotReadyYet(const AdmissionRequest& request) {
  return std::unexpected(
      Forbidden(request.resource, NameOf(request), "not yet ready to handle request"));
}

// Calls with each entry of the namespace, in order of name, until the call returns false. False:
// the cache is not filled. A resource that is not served has no entries.
template <typename Call>
bool ForEachInNamespaceNow(ResourceStorage* storage, std::string_view name_space, Call call) {
  if (storage == nullptr) return true;
  if (!storage->cache().ready()) return false;
  auto list = std::make_shared<std::optional<ListReply>>();
  CacheListRequest request;
  request.resource_version = "0";
  request.selection.name_space = std::string(name_space);
  storage->cache().List(std::move(request), [list](Result<ListReply> reply) {
    if (reply) list->emplace(std::move(*reply));
  });
  if (!*list) return false;
  ListCursor at = (*list)->Entries();
  while (const CacheEntry* entry = at.Next()) {
    if (!call(*entry)) break;
  }
  return true;
}

}  // namespace skiff

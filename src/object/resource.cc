#include "object/resource.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace skiff::object {
namespace {

// The entry of a sorted table whose key is `name`.
template <typename Table, typename Projection>
auto FindSorted(const Table& table, std::string_view name, Projection key)
    -> decltype(&*table.begin()) {
  auto found = std::ranges::lower_bound(table, name, {}, key);
  return found != table.end() && std::invoke(key, *found) == name ? &*found : nullptr;
}

// The entry of a short table in no particular order.
template <typename Table, typename Projection>
auto FindAny(const Table& table, std::string_view name, Projection key)
    -> decltype(&*table.begin()) {
  auto found = std::ranges::find(table, name, key);
  return found != table.end() ? &*found : nullptr;
}

std::pair<std::string_view, std::string_view> SortKey(const MessageDesc* message) {
  return {message->group_version->path, message->name};
}

// The entry of a message in a table that ascends by group-version and name.
template <typename Table, typename Projection>
auto FindByMessage(const Table& table, const MessageDesc* message, Projection projection)
    -> decltype(&*table.begin()) {
  auto found = std::ranges::lower_bound(table, SortKey(message), {}, [&](const auto& entry) {
    return SortKey(std::invoke(projection, entry));
  });
  return found != table.end() && std::invoke(projection, *found) == message ? &*found : nullptr;
}

}  // namespace

std::string_view VerbName(Verb verb) {
  static constexpr std::string_view kNames[] = {"create", "delete", "deletecollection", "get",
                                                "list",   "patch",  "update",           "watch"};
  static_assert(std::size(kNames) == kVerbCount);
  return kNames[static_cast<size_t>(verb)];
}

const EndpointPaths* StorageDesc::FindReset(std::string_view endpoint) const {
  return FindAny(reset, endpoint, &EndpointPaths::endpoint);
}

const EndpointPaths* StorageDesc::FindKeepOnly(std::string_view endpoint) const {
  return FindAny(keep_only, endpoint, &EndpointPaths::endpoint);
}

std::span<const ActionDesc> StorageDesc::FindActions(std::string_view event) const {
  const EventActions* found = FindAny(actions, event, &EventActions::event);
  return found != nullptr ? found->actions : std::span<const ActionDesc>();
}

const SelectableField* ResourceHub::FindSelectable(std::string_view label) const {
  return FindAny(selectable, label, &SelectableField::label);
}

const SubresourceDesc* ResourceDesc::FindSubresource(std::string_view subresource) const {
  return FindSorted(subresources, subresource, &SubresourceDesc::name);
}

const ResourceDesc* GroupVersionInfo::FindResource(std::string_view name) const {
  return FindSorted(resources, name, &ResourceDesc::name);
}

const GroupVersionInfo* FindGroupVersion(std::string_view group, std::string_view version) {
  for (const GroupVersionInfo& info : ServedGroupVersions()) {
    if (info.desc->group == group && info.desc->version == version) return &info;
  }
  return nullptr;
}

const ResourceDesc* FindResource(std::string_view group, std::string_view version,
                                 std::string_view resource) {
  const GroupVersionInfo* info = FindGroupVersion(group, version);
  return info != nullptr ? info->FindResource(resource) : nullptr;
}

const ResourceDesc* FindPreferredResource(std::string_view group, std::string_view resource) {
  for (const GroupVersionInfo& info : ServedGroupVersions()) {
    if (info.desc->group != group) continue;
    if (const ResourceDesc* found = info.FindResource(resource)) return found->hub->resource;
  }
  return nullptr;
}

const ColumnsDesc* FindColumns(const MessageDesc* kind) {
  return FindByMessage(AllColumns(), kind, &ColumnsDesc::kind);
}

const DefaultsDesc* FindDefaults(const MessageDesc* message) {
  return FindByMessage(AllDefaults(), message, &DefaultsDesc::message);
}

}  // namespace skiff::object

#include "client/object_index.h"

#include <utility>

namespace skiff::client {

void ObjectIndex::Index::Add(const ObjectName& name, const ObjectPtr& object) {
  for (std::string& key : keys(*object)) found[std::move(key)][name] = object;
}

void ObjectIndex::Index::Remove(const ObjectName& name, const object::Document& object) {
  for (const std::string& key : keys(object)) {
    const auto entry = found.find(key);
    if (entry == found.end()) continue;
    entry->second.erase(name);
    if (entry->second.empty()) found.erase(entry);
  }
}

void ObjectIndex::AddIndex(std::string name, IndexFunction keys) {
  const auto [entry, fresh] = indexes_.try_emplace(std::move(name));
  if (!fresh) return;
  entry->second.keys = std::move(keys);
  for (const auto& [object_name, object] : objects_) entry->second.Add(object_name, object);
}

ObjectPtr ObjectIndex::Set(const ObjectName& name, ObjectPtr object) {
  ObjectPtr& place = objects_[name];
  for (auto& [index_name, index] : indexes_) {
    if (place != nullptr) index.Remove(name, *place);
    index.Add(name, object);
  }
  return std::exchange(place, std::move(object));
}

ObjectPtr ObjectIndex::Remove(const ObjectName& name) {
  const auto entry = objects_.find(name);
  if (entry == objects_.end()) return nullptr;
  ObjectPtr object = std::move(entry->second);
  objects_.erase(entry);
  for (auto& [index_name, index] : indexes_) index.Remove(name, *object);
  return object;
}

ObjectPtr ObjectIndex::Find(const ObjectName& name) const {
  const auto entry = objects_.find(name);
  return entry == objects_.end() ? nullptr : entry->second;
}

std::vector<ObjectPtr> ObjectIndex::List(std::string_view name_space) const {
  std::vector<ObjectPtr> out;
  auto entry =
      name_space.empty() ? objects_.begin() : objects_.lower_bound({std::string(name_space), {}});
  for (; entry != objects_.end(); ++entry) {
    if (!name_space.empty() && entry->first.name_space != name_space) break;
    out.push_back(entry->second);
  }
  return out;
}

std::vector<ObjectPtr> ObjectIndex::ByIndex(std::string_view index, std::string_view key) const {
  std::vector<ObjectPtr> out;
  const auto found = indexes_.find(index);
  if (found == indexes_.end()) return out;
  const auto entry = found->second.found.find(key);
  if (entry == found->second.found.end()) return out;
  for (const auto& [name, object] : entry->second) out.push_back(object);
  return out;
}

}  // namespace skiff::client

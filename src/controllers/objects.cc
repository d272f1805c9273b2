#include "controllers/objects.h"

#include <memory>

namespace skiff {
namespace {

std::string_view EntryOf(const Document& object, std::string_view map, std::string_view key) {
  const Value* value = object.root().FindPath({"metadata", map, key});
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

}  // namespace

std::string KeyOf(const Document& object) {
  ObjectName name = NameOf(object);
  return name.name_space.empty() ? std::move(name.name) : name.name_space + "/" + name.name;
}

ObjectName NameOfKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {.name_space = {}, .name = std::string(key)};
  return {.name_space = std::string(key.substr(0, slash)),
          .name = std::string(key.substr(slash + 1))};
}

Timestamp WallTime(Clock& clock) {
  const auto now = clock.Wall();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return MakeTimestamp(seconds.count(), (now - seconds).count());
}

Duration TimeUntil(Timestamp when, Timestamp now) {
  constexpr std::chrono::seconds kMost = std::chrono::years(100);
  const std::chrono::seconds seconds(when.seconds - now.seconds);
  if (seconds > kMost) return kMost;
  if (seconds < -kMost) return -kMost;
  return seconds + Duration(static_cast<int64_t>(when.nanos) - static_cast<int64_t>(now.nanos));
}

std::string_view LabelOf(const Document& object, std::string_view key) {
  return EntryOf(object, "labels", key);
}

std::string_view AnnotationOf(const Document& object, std::string_view key) {
  return EntryOf(object, "annotations", key);
}

bool HasFinalizer(const Document& object, std::string_view finalizer) {
  const Value* const list = object.root().FindPath({"metadata", "finalizers"});
  if (list == nullptr || !list->is_list()) return false;
  for (const Value& item : list->items()) {
    if (item.is_string() && item.AsText() == finalizer) return true;
  }
  return false;
}

ObjectPtr WithFinalizer(const Document& object, std::string_view finalizer) {
  std::shared_ptr<Document> copy = MutableCopy(object);
  Arena& arena = copy->arena();
  Value* metadata = copy->root().Find("metadata");
  if (metadata == nullptr) return copy;
  Value* list = metadata->Find("finalizers");
  if (list == nullptr || !list->is_list()) {
    list = &metadata->Set(arena, "finalizers", Value::EmptyList());
  }
  list->Append(arena, Value::String(arena.Copy(finalizer)));
  return copy;
}

ObjectPtr WithoutFinalizer(const Document& object, std::string_view finalizer) {
  std::shared_ptr<Document> copy = MutableCopy(object);
  Value* metadata = copy->root().Find("metadata");
  Value* list = metadata != nullptr ? metadata->Find("finalizers") : nullptr;
  if (list == nullptr || !list->is_list()) return copy;
  for (size_t i = list->size(); i-- > 0;) {
    const Value& item = list->items()[i];
    if (item.is_string() && item.AsText() == finalizer) list->EraseItem(i);
  }
  if (list->size() == 0) metadata->Erase("finalizers");
  return copy;
}

}  // namespace skiff

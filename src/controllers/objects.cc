#include "controllers/objects.h"

#include <memory>

namespace skiff::controllers {
namespace {

std::string_view EntryOf(const object::Document& object, std::string_view map,
                         std::string_view key) {
  const object::Value* value = object.root().FindPath({"metadata", map, key});
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

}  // namespace

std::string KeyOf(const object::Document& object) {
  client::ObjectName name = client::NameOf(object);
  return name.name_space.empty() ? std::move(name.name) : name.name_space + "/" + name.name;
}

client::ObjectName NameOfKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {.name_space = {}, .name = std::string(key)};
  return {.name_space = std::string(key.substr(0, slash)),
          .name = std::string(key.substr(slash + 1))};
}

object::Timestamp WallTime(Clock& clock) {
  const auto now = clock.Wall();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  return object::MakeTimestamp(seconds.count(), (now - seconds).count());
}

Duration TimeUntil(object::Timestamp when, object::Timestamp now) {
  constexpr std::chrono::seconds kMost = std::chrono::years(100);
  const std::chrono::seconds seconds(when.seconds - now.seconds);
  if (seconds > kMost) return kMost;
  if (seconds < -kMost) return -kMost;
  return seconds + Duration(static_cast<int64_t>(when.nanos) - static_cast<int64_t>(now.nanos));
}

std::string_view LabelOf(const object::Document& object, std::string_view key) {
  return EntryOf(object, "labels", key);
}

std::string_view AnnotationOf(const object::Document& object, std::string_view key) {
  return EntryOf(object, "annotations", key);
}

bool HasFinalizer(const object::Document& object, std::string_view finalizer) {
  const object::Value* const list = object.root().FindPath({"metadata", "finalizers"});
  if (list == nullptr || !list->is_list()) return false;
  for (const object::Value& item : list->items()) {
    if (item.is_string() && item.AsText() == finalizer) return true;
  }
  return false;
}

client::ObjectPtr WithFinalizer(const object::Document& object, std::string_view finalizer) {
  std::shared_ptr<object::Document> copy = client::MutableCopy(object);
  Arena& arena = copy->arena();
  object::Value* metadata = copy->root().Find("metadata");
  if (metadata == nullptr) return copy;
  object::Value* list = metadata->Find("finalizers");
  if (list == nullptr || !list->is_list()) {
    list = &metadata->Set(arena, "finalizers", object::Value::EmptyList());
  }
  list->Append(arena, object::Value::String(arena.Copy(finalizer)));
  return copy;
}

client::ObjectPtr WithoutFinalizer(const object::Document& object, std::string_view finalizer) {
  std::shared_ptr<object::Document> copy = client::MutableCopy(object);
  object::Value* metadata = copy->root().Find("metadata");
  object::Value* list = metadata != nullptr ? metadata->Find("finalizers") : nullptr;
  if (list == nullptr || !list->is_list()) return copy;
  for (size_t i = list->size(); i-- > 0;) {
    const object::Value& item = list->items()[i];
    if (item.is_string() && item.AsText() == finalizer) list->EraseItem(i);
  }
  if (list->size() == 0) metadata->Erase("finalizers");
  return copy;
}

}  // namespace skiff::controllers

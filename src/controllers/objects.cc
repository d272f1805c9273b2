#include "controllers/objects.h"

#include <limits>
#include <memory>

#include "base/buffer.h"
#include "object/json/text.h"

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
  constexpr int64_t kMostSeconds = 9'000'000'000;
  const int64_t seconds = when.seconds - now.seconds;
  if (seconds > kMostSeconds) return Duration::max();
  if (seconds < -kMostSeconds) return Duration::min();
  return std::chrono::seconds(seconds) +
         Duration(static_cast<int64_t>(when.nanos) - static_cast<int64_t>(now.nanos));
}

std::string_view LabelOf(const Document& object, std::string_view key) {
  return EntryOf(object, "labels", key);
}

std::string_view AnnotationOf(const Document& object, std::string_view key) {
  return EntryOf(object, "annotations", key);
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

std::string JsonText(std::string_view text) {
  ByteBuffer out;
  AppendJsonString(out, text);
  return std::string(out.data(), out.size());
}

}  // namespace skiff

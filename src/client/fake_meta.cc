#include "client/fake_meta.h"

#include <algorithm>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::client {
namespace {

std::vector<std::string> TextsOf(const object::Value* list) {
  std::vector<std::string> out;
  if (list == nullptr || !list->is_list()) return out;
  for (const object::Value& item : list->items()) {
    if (item.is_string()) out.emplace_back(item.AsText());
  }
  return out;
}

}  // namespace

const object::Value* FakeMeta::Find(std::string_view name) const {
  return document_.root().FindPath({"metadata", name});
}

object::Value& FakeMeta::Metadata() {
  object::Value& root = document_.root();
  if (object::Value* metadata = root.Find("metadata");
      metadata != nullptr && metadata->tag() >= object::Tag::kMap) {
    return *metadata;
  }
  object::Value fresh = object::Value::EmptyMap();
  if (root.is_object()) {
    const object::FieldDesc& field = root.type()->fields[root.type()->FindField("metadata")];
    fresh = object::Value::EmptyObject(document_.arena(), field.message);
  }
  return root.Set(document_.arena(), "metadata", fresh);
}

std::string_view FakeMeta::Text(std::string_view name) const {
  const object::Value* value = Find(name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

void FakeMeta::SetText(std::string_view name, std::string_view text) {
  if (text.empty()) return Erase(name);
  Metadata().Set(document_.arena(), name, object::Value::String(document_.arena().Copy(text)));
}

void FakeMeta::SetInt(std::string_view name, int64_t number) {
  Metadata().Set(document_.arena(), name, object::Value::Int(number));
}

std::optional<object::Timestamp> FakeMeta::Time(std::string_view name) const {
  const object::Value* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->tag() == object::Tag::kTime) return value->AsTime();
  if (!value->is_string()) return std::nullopt;
  const Result<object::Timestamp> time = object::ParseTime(value->AsText());
  return time ? std::optional(*time) : std::nullopt;
}

void FakeMeta::SetTime(std::string_view name, object::Timestamp time) {
  time.nanos = 0;
  if (document_.root().is_object()) {
    Metadata().Set(document_.arena(), name, object::Value::Time(time));
    return;
  }
  std::string text;
  object::AppendTime(time, text);
  SetText(name, text);
}

void FakeMeta::SetTexts(std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return Erase(name);
  std::vector<object::Value> items;
  for (const std::string& text : texts) {
    items.push_back(object::Value::String(document_.arena().Copy(text)));
  }
  Metadata().Set(document_.arena(), name, object::Value::List(document_.arena(), items));
}

void FakeMeta::Take(std::string_view name, const object::Document& from) {
  const object::Value* value = from.root().FindPath({"metadata", name});
  if (value == nullptr) return Erase(name);
  Metadata().Set(document_.arena(), name, value->CopyInto(document_.arena()));
}

void FakeMeta::Erase(std::string_view name) {
  if (Find(name) != nullptr) Metadata().Erase(name);
}

bool FakeMeta::HasFinalizer(std::string_view finalizer) const {
  return std::ranges::count(TextsAt(document_, "metadata", "finalizers"), finalizer) != 0;
}

void FakeMeta::AddFinalizer(std::string_view finalizer) {
  std::vector<std::string> all = TextsAt(document_, "metadata", "finalizers");
  if (std::ranges::count(all, finalizer) != 0) return;
  all.emplace_back(finalizer);
  SetTexts("finalizers", all);
}

void FakeMeta::RemoveFinalizer(std::string_view finalizer) {
  std::vector<std::string> all = TextsAt(document_, "metadata", "finalizers");
  std::erase(all, finalizer);
  SetTexts("finalizers", all);
}

int64_t MetaInt(const object::Document& document, std::string_view name) {
  const object::Value* value = document.root().FindPath({"metadata", name});
  return value != nullptr && value->tag() == object::Tag::kInt ? value->AsInt() : 0;
}

std::vector<std::string> TextsAt(const object::Document& document, std::string_view outer,
                                 std::string_view inner) {
  return TextsOf(document.root().FindPath({outer, inner}));
}

Result<std::shared_ptr<object::Document>> InFormOf(const ApiResource& resource,
                                                   const object::Document& object) {
  const std::string version = resource.api_version();
  if (object.type() == resource.type && object.api_version() == version &&
      object.kind() == resource.kind) {
    return MutableCopy(object);
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document document,
                         object::DecodeJson(object::EncodeJson(object.root()), resource.type));
  if (!document.root().is_object() && !document.root().is_map()) {
    return BadRequest("an object of the API must be a JSON object");
  }
  Arena& arena = document.arena();
  document.root().Set(arena, "kind", object::Value::String(arena.Copy(resource.kind)));
  document.root().Set(arena, "apiVersion", object::Value::String(arena.Copy(version)));
  return std::make_shared<object::Document>(std::move(document));
}

ObjectPtr PartialOf(const object::Document& object) {
  object::Document out =
      object::Document::OfType(object::FindKind("meta.k8s.io/v1", "PartialObjectMetadata"));
  Arena& arena = out.arena();
  out.root().Set(arena, "kind", object::Value::String("PartialObjectMetadata"));
  out.root().Set(arena, "apiVersion", object::Value::String("meta.k8s.io/v1"));
  if (const object::Value* metadata = object.root().Find("metadata"); metadata != nullptr) {
    const object::FieldDesc& field = out.type()->fields[out.type()->FindField("metadata")];
    if (metadata->is_object() && metadata->type() == field.message) {
      out.root().Set(arena, "metadata", metadata->CopyInto(arena));
    } else if (const auto typed = object::DecodeJson(object::EncodeJson(*metadata), field.message);
               typed) {
      out.root().Set(arena, "metadata", typed->root().CopyInto(arena));
    }
  }
  return std::make_shared<const object::Document>(std::move(out));
}

}  // namespace skiff::client

#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {

MetaOf::MetaOf(object::Document& document) : arena_(&document.arena()) {
  object::Value& root = document.root();
  meta_ = root.Find("metadata");
  if (meta_ != nullptr && (meta_->is_object() || meta_->is_map())) return;
  if (const object::MessageDesc* type = document.type(); type != nullptr) {
    const object::FieldDesc& field = type->fields[type->FindField("metadata")];
    meta_ = &root.Set(*arena_, "metadata", object::Value::EmptyObject(*arena_, field.message));
  } else {
    meta_ = &root.Set(*arena_, "metadata", object::Value::EmptyMap());
  }
}

std::string_view MetaOf::Text(std::string_view name) const {
  const object::Value* found = meta_->Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

int64_t MetaOf::generation() const {
  const object::Value* found = meta_->Find("generation");
  return found != nullptr && found->tag() == object::Tag::kInt ? found->AsInt() : 0;
}

std::optional<int64_t> MetaOf::grace_period_seconds() const {
  const object::Value* found = meta_->Find("deletionGracePeriodSeconds");
  if (found == nullptr || found->tag() != object::Tag::kInt) return std::nullopt;
  return found->AsInt();
}

std::optional<object::Timestamp> MetaOf::deletion_timestamp() const {
  const object::Value* found = meta_->Find("deletionTimestamp");
  if (found == nullptr || found->tag() != object::Tag::kTime) return std::nullopt;
  return found->AsTime();
}

size_t MetaOf::finalizer_count() const {
  const object::Value* found = meta_->Find("finalizers");
  return found != nullptr ? found->size() : 0;
}

bool MetaOf::HasFinalizer(std::string_view finalizer) const {
  const object::Value* found = meta_->Find("finalizers");
  if (found == nullptr || !found->is_list()) return false;
  for (const object::Value& item : found->items()) {
    if (item.is_string() && item.AsText() == finalizer) return true;
  }
  return false;
}

void MetaOf::SetText(std::string_view name, std::string_view text) {
  if (text.empty()) {
    meta_->Erase(name);
  } else {
    meta_->Set(*arena_, name, object::Value::String(arena_->Copy(text)));
  }
}

void MetaOf::SetGeneration(int64_t generation) {
  if (generation == 0) {
    meta_->Erase("generation");
  } else {
    meta_->Set(*arena_, "generation", object::Value::Int(generation));
  }
}

void MetaOf::SetGracePeriodSeconds(int64_t seconds) {
  meta_->Set(*arena_, "deletionGracePeriodSeconds", object::Value::Int(seconds));
}

void MetaOf::SetDeletionTimestamp(object::Timestamp time) {
  meta_->Set(*arena_, "deletionTimestamp", object::Value::Time(time));
}

void MetaOf::AddFinalizer(std::string_view finalizer) {
  if (HasFinalizer(finalizer)) return;
  object::Value* list = meta_->Find("finalizers");
  if (list == nullptr || !list->is_list()) {
    list = &meta_->Set(*arena_, "finalizers", object::Value::EmptyList());
  }
  list->Append(*arena_, object::Value::String(arena_->Copy(finalizer)));
}

void MetaOf::RemoveFinalizer(std::string_view finalizer) {
  object::Value* list = meta_->Find("finalizers");
  if (list == nullptr || !list->is_list()) return;
  list->EraseItemsIf(
      [&](const object::Value& item) { return item.is_string() && item.AsText() == finalizer; });
  if (list->size() == 0) meta_->Erase("finalizers");
}

void MetaOf::Take(std::string_view name, const MetaOf& from) {
  if (const object::Value* value = from.Find(name); value != nullptr) {
    meta_->Set(*arena_, name, value->CopyInto(*arena_));
  } else {
    meta_->Erase(name);
  }
}

object::Timestamp NowOf(Clock& clock) {
  return {std::chrono::duration_cast<std::chrono::seconds>(clock.Wall()).count(), 0};
}

}  // namespace skiff::apiserver

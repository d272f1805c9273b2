#include "apiserver/rest/object_meta.h"

namespace skiff {

MetaOf::MetaOf(Document& document) : arena_(&document.arena()) {
  Value& root = document.root();
  meta_ = root.Find("metadata");
  if (meta_ != nullptr && (meta_->is_object() || meta_->is_map())) return;
  if (root.is_object()) {
    const uint16_t field = root.type()->FindField("metadata");
    meta_ = &root.SetMember(*arena_, field,
                            Value::EmptyObject(*arena_, root.type()->fields[field].message));
  } else {
    meta_ = &root.Set(*arena_, "metadata", Value::EmptyMap());
  }
}

std::string_view MetaOf::Text(std::string_view name) const {
  const Value* found = meta_->Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

int64_t MetaOf::generation() const {
  const Value* found = meta_->Find("generation");
  return found != nullptr && found->tag() == Tag::kInt ? found->AsInt() : 0;
}

std::optional<int64_t> MetaOf::grace_period_seconds() const {
  const Value* found = meta_->Find("deletionGracePeriodSeconds");
  if (found == nullptr || found->tag() != Tag::kInt) return std::nullopt;
  return found->AsInt();
}

std::optional<Timestamp> MetaOf::deletion_timestamp() const {
  const Value* found = meta_->Find("deletionTimestamp");
  if (found == nullptr || found->tag() != Tag::kTime) return std::nullopt;
  return found->AsTime();
}

size_t MetaOf::finalizer_count() const {
  const Value* found = meta_->Find("finalizers");
  return found != nullptr ? found->size() : 0;
}

bool MetaOf::HasFinalizer(std::string_view finalizer) const {
  const Value* found = meta_->Find("finalizers");
  if (found == nullptr || !found->is_list()) return false;
  for (const Value& item : found->items()) {
    if (item.is_string() && item.AsText() == finalizer) return true;
  }
  return false;
}

void MetaOf::SetText(std::string_view name, std::string_view text) {
  if (text.empty()) {
    meta_->Erase(name);
  } else {
    meta_->Set(*arena_, name, Value::String(arena_->Copy(text)));
  }
}

void MetaOf::SetGeneration(int64_t generation) {
  if (generation == 0) {
    meta_->Erase("generation");
  } else {
    meta_->Set(*arena_, "generation", Value::Int(generation));
  }
}

void MetaOf::SetGracePeriodSeconds(int64_t seconds) {
  meta_->Set(*arena_, "deletionGracePeriodSeconds", Value::Int(seconds));
}

void MetaOf::SetDeletionTimestamp(Timestamp time) {
  meta_->Set(*arena_, "deletionTimestamp", Value::Time(time));
}

void MetaOf::AddFinalizer(std::string_view finalizer) {
  if (HasFinalizer(finalizer)) return;
  Value* list = meta_->Find("finalizers");
  if (list == nullptr || !list->is_list()) {
    list = &meta_->Set(*arena_, "finalizers", Value::EmptyList());
  }
  list->Append(*arena_, Value::String(arena_->Copy(finalizer)));
}

void MetaOf::RemoveFinalizer(std::string_view finalizer) {
  Value* list = meta_->Find("finalizers");
  if (list == nullptr || !list->is_list()) return;
  list->EraseItemsIf(
      [&](const Value& item) { return item.is_string() && item.AsText() == finalizer; });
  if (list->size() == 0) meta_->Erase("finalizers");
}

void MetaOf::Take(std::string_view name, const MetaOf& from) {
  if (const Value* value = from.Find(name); value != nullptr) {
    meta_->Set(*arena_, name, value->CopyInto(*arena_));
  } else {
    meta_->Erase(name);
  }
}

Timestamp NowOf(Clock& clock) {
  return {std::chrono::duration_cast<std::chrono::seconds>(clock.Wall()).count(), 0};
}

std::string NewUid(Random& random) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t high = random.Next();
  uint64_t low = random.Next();
  high = (high & ~uint64_t{0xf000}) | 0x4000;                // version 4
  low = (low & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);  // the variant of RFC 9562
  std::string out(36, '-');
  size_t at = 0;
  for (int i = 0; i < 32; ++i) {
    if (at == 8 || at == 13 || at == 18 || at == 23) ++at;
    const uint64_t half = i < 16 ? high : low;
    out[at++] = kDigits[half >> (60 - i % 16 * 4) & 15];
  }
  return out;
}

}  // namespace skiff

#include "apiserver/managed_fields/entries.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/buffer.h"
#include "base/strings.h"
#include "object/fields/fields_v1.h"
#include "object/fields/reconcile.h"

namespace skiff::apiserver {
namespace {

std::string_view TextAt(const object::Value& entry, std::string_view name) {
  const object::Value* found = entry.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

const object::Value* MetadataOf(const object::Document& object) {
  const object::Value* meta = object.root().Find("metadata");
  return meta != nullptr && meta->size() != 0 ? meta : nullptr;
}

object::Value* MakeMetadata(object::Document& object) {
  object::Value& root = object.root();
  if (object::Value* meta = root.Find("metadata"); meta != nullptr) return meta;
  const object::MessageDesc* const type = object.type();
  if (type == nullptr) return &root.Set(object.arena(), "metadata", object::Value::EmptyMap());
  const uint16_t field = type->FindField("metadata");
  if (field == object::MessageDesc::kNoField) return nullptr;
  return &root.Set(object.arena(), "metadata",
                   object::Value::EmptyObject(object.arena(), type->fields[field].message));
}

int64_t SecondsOf(const ManagedEntry& entry) { return entry.time ? entry.time->seconds : 0; }

bool InOrder(const ManagedEntry* a, const ManagedEntry* b) {
  return std::tuple(!a->applies, SecondsOf(*a), a->manager, a->api_version, a->subresource) <
         std::tuple(!b->applies, SecondsOf(*b), b->manager, b->api_version, b->subresource);
}

// The type of an entry, where the object has types.
const object::MessageDesc* EntryType(const object::Value& meta) {
  if (!meta.is_object()) return nullptr;
  const uint16_t field = meta.type()->FindField("managedFields");
  return field == object::MessageDesc::kNoField ? nullptr : meta.type()->fields[field].message;
}

}  // namespace

const object::FieldSet& ManagedEntry::Fields(Arena& arena) {
  if (read_) return fields_;
  read_ = true;
  fields_ = object::ParseFieldsV1(arena, text_.empty() ? "{}" : text_).value_or(object::FieldSet());
  if (const object::MessageDesc* message = object::FindKind(api_version, kind_name_);
      message != nullptr) {
    SetFields(object::FitToSchema(arena, fields_, object::FieldShape::OfMessage(message)));
  }
  return fields_;
}

void ManagedEntry::SetFields(const object::FieldSet& fields) {
  if (read_ && fields.SharesAll(fields_)) return;
  fields_ = fields;
  read_ = true;
  text_ = {};
}

void ManagedEntry::SetText(std::string_view text) {
  text_ = text;
  read_ = false;
}

Result<ManagedFields> ManagedFields::Read(Arena& arena, const object::Value* list,
                                          std::string_view kind_name, Trust trust) {
  ManagedFields out;
  if (list == nullptr || !list->is_list()) return out;
  std::vector<ManagedEntry> read;
  read.reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    const object::Value& value = list->items()[i];
    ManagedEntry entry;
    entry.kind_name_ = kind_name;
    entry.manager = TextAt(value, "manager");
    const std::string_view operation = TextAt(value, "operation");
    if (operation != "Apply" && operation != "Update") {
      return BadRequest("operation must be `Apply` or `Update`");
    }
    entry.applies = operation == "Apply";
    entry.api_version = TextAt(value, "apiVersion");
    if (entry.api_version.empty()) return BadRequest("apiVersion must not be empty");
    entry.subresource = TextAt(value, "subresource");
    const std::string_view type = TextAt(value, "fieldsType");
    if (type.empty()) {
      return BadRequest("missing fieldsType in managed fields entry " + std::to_string(i));
    }
    if (type != "FieldsV1") {
      return BadRequest("invalid fieldsType " + Quoted(type) + " in managed fields entry " +
                        std::to_string(i));
    }
    if (const object::Value* time = value.Find("time");
        time != nullptr && time->tag() == object::Tag::kTime) {
      entry.time = time->AsTime();
    }
    if (const object::Value* fields = value.Find("fieldsV1");
        fields != nullptr && fields->tag() == object::Tag::kRawJson) {
      entry.text_ = fields->AsText();
    }
    if (trust == Trust::kNobody) {
      SKIFF_RETURN_IF_ERROR(object::ParseFieldsV1(arena, entry.text_.empty() ? "{}" : entry.text_));
      const object::FieldSet fields = entry.Fields(arena);
      entry.text_ = {};
      entry.fields_ = fields;
    }
    read.push_back(entry);
  }
  out.Put(read);
  return out;
}

ManagedEntry* ManagedFields::Find(const ManagedEntry& like) {
  for (ManagedEntry& entry : entries_) {
    if (entry.SameManager(like)) return &entry;
  }
  return nullptr;
}

ManagedEntry& ManagedFields::FindOrAdd(const ManagedEntry& like) {
  if (ManagedEntry* found = Find(like); found != nullptr) return *found;
  return entries_.emplace_back(like);
}

void ManagedFields::Put(std::span<const ManagedEntry> entries) {
  std::map<ManagedEntry::Key, size_t> places;
  for (size_t i = 0; i < entries_.size(); ++i) places.emplace(entries_[i].key(), i);
  for (const ManagedEntry& entry : entries) {
    const auto [known, is_new] = places.emplace(entry.key(), entries_.size());
    if (is_new) {
      entries_.push_back(entry);
    } else {
      entries_[known->second] = entry;
    }
  }
}

void ManagedFields::DropEmpty(Arena& arena) {
  std::erase_if(entries_, [&](ManagedEntry& each) {
    // A text that nobody has read is telling enough.
    return each.read_ ? each.Fields(arena).empty() : each.text_.size() <= 2;
  });
}

void ManagedFields::Write(object::Document& object) const {
  EraseManagedFields(object);
  if (entries_.empty()) return;
  object::Value* meta = MakeMetadata(object);
  if (meta == nullptr) return;
  std::vector<const ManagedEntry*> sorted;
  sorted.reserve(entries_.size());
  for (const ManagedEntry& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), InOrder);

  Arena& arena = object.arena();
  const object::MessageDesc* type = EntryType(*meta);
  object::Value list = object::Value::EmptyList();
  ByteBuffer text;
  for (const ManagedEntry* entry : sorted) {
    object::Value out =
        type != nullptr ? object::Value::EmptyObject(arena, type) : object::Value::EmptyMap();
    const auto set_text = [&](std::string_view name, std::string_view given) {
      if (!given.empty()) out.Set(arena, name, object::Value::String(arena.Copy(given)));
    };
    set_text("manager", entry->manager);
    out.Set(arena, "operation", object::Value::String(entry->applies ? "Apply" : "Update"));
    set_text("apiVersion", entry->api_version);
    if (entry->time) out.Set(arena, "time", object::Value::Time(*entry->time));
    out.Set(arena, "fieldsType", object::Value::String("FieldsV1"));
    std::string_view fields = entry->text_;
    if (entry->read_ && fields.empty()) {
      text.Clear();
      object::AppendFieldsV1(text, entry->fields_);
      fields = text.view();
    }
    out.Set(arena, "fieldsV1", object::Value::RawJson(arena.Copy(fields.empty() ? "{}" : fields)));
    set_text("subresource", entry->subresource);
    list.Append(arena, out);
  }
  meta->Set(arena, "managedFields", list);
}

bool ClearsManagedFields(const object::Value* list) {
  if (list == nullptr || !list->is_list()) return false;
  return list->size() == 0 || (list->size() == 1 && list->items()[0].size() == 0);
}

const object::Value* ManagedFieldsOf(const object::Document& object) {
  const object::Value* meta = MetadataOf(object);
  return meta != nullptr ? meta->Find("managedFields") : nullptr;
}

void EraseManagedFields(object::Document& object) {
  if (object::Value* meta = object.root().Find("metadata"); meta != nullptr && meta->size() != 0) {
    meta->Erase("managedFields");
  }
}

}  // namespace skiff::apiserver

#include "apiserver/managed_fields/entries.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/buffer.h"
#include "base/strings.h"
#include "object/fields/fields_v1.h"
#include "object/fields/reconcile.h"

namespace skiff {
namespace {

std::string_view TextAt(const Value& entry, std::string_view name) {
  const Value* found = entry.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

const Value* MetadataOf(const Document& object) {
  const Value* meta = object.root().Find("metadata");
  return meta != nullptr && meta->size() != 0 ? meta : nullptr;
}

Value* MakeMetadata(Document& object) {
  Value& root = object.root();
  if (Value* meta = root.Find("metadata"); meta != nullptr) return meta;
  if (!root.is_object()) return &root.Set(object.arena(), "metadata", Value::EmptyMap());
  const uint16_t field = root.type()->FindField("metadata");
  if (field == MessageDesc::kNoField) return nullptr;
  return &root.SetMember(object.arena(), field,
                         Value::EmptyObject(object.arena(), root.type()->fields[field].message));
}

int64_t SecondsOf(const ManagedEntry& entry) { return entry.time ? entry.time->seconds : 0; }

bool InOrder(const ManagedEntry* a, const ManagedEntry* b) {
  return std::tuple(!a->applies, SecondsOf(*a), a->manager, a->api_version, a->subresource) <
         std::tuple(!b->applies, SecondsOf(*b), b->manager, b->api_version, b->subresource);
}

// The type of an entry, where the object has types.
const MessageDesc* EntryType(const Value& meta) {
  if (!meta.is_object()) return nullptr;
  const uint16_t field = meta.type()->FindField("managedFields");
  return field == MessageDesc::kNoField ? nullptr : meta.type()->fields[field].message;
}

}  // namespace

const FieldSet& ManagedEntry::Fields(Arena& arena) {
  if (read_) return fields_;
  read_ = true;
  fields_ = ParseFieldsV1(arena, text_.empty() ? "{}" : text_).value_or(FieldSet());
  if (const MessageDesc* message = FindKind(api_version, kind_name_); message != nullptr) {
    SetFields(FitToSchema(arena, fields_, FieldShape::OfMessage(message)));
  }
  return fields_;
}

void ManagedEntry::SetFields(const FieldSet& fields) {
  if (read_ && fields.SharesAll(fields_)) return;
  fields_ = fields;
  read_ = true;
  text_ = {};
}

void ManagedEntry::SetText(std::string_view text) {
  text_ = text;
  read_ = false;
}

Result<ManagedFields> ManagedFields::Read(Arena& arena, const Value* list,
                                          std::string_view kind_name, Trust trust) {
  ManagedFields out;
  if (list == nullptr || !list->is_list()) return out;
  std::vector<ManagedEntry> read;
  read.reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    const Value& value = list->items()[i];
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
    if (const Value* time = value.Find("time"); time != nullptr && time->tag() == Tag::kTime) {
      entry.time = time->AsTime();
    }
    if (const Value* fields = value.Find("fieldsV1");
        fields != nullptr && fields->tag() == Tag::kRawJson) {
      entry.text_ = fields->AsText();
    }
    if (trust == Trust::kNobody) {
      SKIFF_RETURN_IF_ERROR(ParseFieldsV1(arena, entry.text_.empty() ? "{}" : entry.text_));
      const FieldSet fields = entry.Fields(arena);
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

void ManagedFields::Write(Document& object) const {
  EraseManagedFields(object);
  if (entries_.empty()) return;
  Value* meta = MakeMetadata(object);
  if (meta == nullptr) return;
  std::vector<const ManagedEntry*> sorted;
  sorted.reserve(entries_.size());
  for (const ManagedEntry& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), InOrder);

  Arena& arena = object.arena();
  const MessageDesc* type = EntryType(*meta);
  Value list = Value::EmptyList();
  ByteBuffer text;
  for (const ManagedEntry* entry : sorted) {
    Value out = type != nullptr ? Value::EmptyObject(arena, type) : Value::EmptyMap();
    const auto set_text = [&](std::string_view name, std::string_view given) {
      if (!given.empty()) out.Set(arena, name, Value::String(arena.Copy(given)));
    };
    set_text("manager", entry->manager);
    out.Set(arena, "operation", Value::String(entry->applies ? "Apply" : "Update"));
    set_text("apiVersion", entry->api_version);
    if (entry->time) out.Set(arena, "time", Value::Time(*entry->time));
    out.Set(arena, "fieldsType", Value::String("FieldsV1"));
    std::string_view fields = entry->text_;
    if (entry->read_ && fields.empty()) {
      text.Clear();
      AppendFieldsV1(text, entry->fields_);
      fields = text.view();
    }
    out.Set(arena, "fieldsV1", Value::RawJson(arena.Copy(fields.empty() ? "{}" : fields)));
    set_text("subresource", entry->subresource);
    list.Append(arena, out);
  }
  meta->Set(arena, "managedFields", list);
}

bool ClearsManagedFields(const Value* list) {
  if (list == nullptr || !list->is_list()) return false;
  return list->size() == 0 || (list->size() == 1 && list->items()[0].size() == 0);
}

const Value* ManagedFieldsOf(const Document& object) {
  const Value* meta = MetadataOf(object);
  return meta != nullptr ? meta->Find("managedFields") : nullptr;
}

void EraseManagedFields(Document& object) {
  if (Value* meta = object.root().Find("metadata"); meta != nullptr && meta->size() != 0) {
    meta->Erase("managedFields");
  }
}

}  // namespace skiff

#include "object/value.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace skiff::object {

Value Value::EmptyObject(Arena& arena, const MessageDesc* type) { return Object(arena, type, {}); }

Value Value::List(Arena& arena, std::span<const Value> items) {
  Value list = EmptyList();
  if (items.empty()) return list;
  list.data_.items = arena.AllocateArray<Value>(items.size());
  list.size_ = static_cast<uint32_t>(items.size());
  std::memcpy(static_cast<void*>(list.data_.items), items.data(), items.size_bytes());
  return list;
}

Value Value::Object(Arena& arena, const MessageDesc* type, std::span<const Value> members) {
  Value object(Tag::kObject, static_cast<uint32_t>(members.size()), int64_t{0});
  object.data_.object = static_cast<ObjectBlock*>(
      arena.Allocate(sizeof(ObjectBlock) + members.size_bytes(), alignof(Value)));
  object.data_.object->type = type;
  if (!members.empty()) {
    std::memcpy(static_cast<void*>(object.member_data()), members.data(), members.size_bytes());
  }
  return object;
}

Value Value::Map(Arena& arena, std::span<const MapEntry> entries) {
  Value map = EmptyMap();
  if (entries.empty()) return map;
  map.data_.entries = arena.AllocateArray<MapEntry>(entries.size());
  map.size_ = static_cast<uint32_t>(entries.size());
  std::memcpy(static_cast<void*>(map.data_.entries), entries.data(), entries.size_bytes());
  return map;
}

const Value* Value::Member(uint16_t field) const {
  for (const Value& member : members()) {
    if (member.field_ >= field) return member.field_ == field ? &member : nullptr;
  }
  return nullptr;
}

Value* Value::Member(uint16_t field) {
  return const_cast<Value*>(std::as_const(*this).Member(field));
}

const Value* Value::Find(std::string_view name) const {
  if (is_object()) {
    const uint16_t field = type()->FindField(name);
    return field == MessageDesc::kNoField ? nullptr : Member(field);
  }
  if (!is_map()) return nullptr;
  auto all = entries();
  auto found = std::ranges::lower_bound(all, name, {}, &MapEntry::key);
  return found != all.end() && found->key == name ? &found->value : nullptr;
}

Value* Value::Find(std::string_view name) {
  return const_cast<Value*>(std::as_const(*this).Find(name));
}

const Value* Value::FindPath(std::initializer_list<std::string_view> names) const {
  const Value* at = this;
  for (std::string_view name : names) {
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Moves the elements to a block with room for at least one more.
void Value::Grow(Arena& arena) {
  const auto room_log2 = static_cast<uint8_t>(std::bit_width(std::max(size_, 3u)));
  const size_t room = size_t{1} << room_log2;
  if (is_object()) {
    auto* block = static_cast<ObjectBlock*>(
        arena.Allocate(sizeof(ObjectBlock) + room * sizeof(Value), alignof(Value)));
    block->type = data_.object->type;
    std::memcpy(static_cast<void*>(block + 1), member_data(), size_ * sizeof(Value));
    data_.object = block;
  } else if (is_map()) {
    auto* entries = arena.AllocateArray<MapEntry>(room);
    if (size_ != 0) {
      std::memcpy(static_cast<void*>(entries), data_.entries, size_ * sizeof(MapEntry));
    }
    data_.entries = entries;
  } else {
    auto* items = arena.AllocateArray<Value>(room);
    if (size_ != 0) std::memcpy(static_cast<void*>(items), data_.items, size_ * sizeof(Value));
    data_.items = items;
  }
  room_log2_ = room_log2;
}

Value& Value::SetMember(Arena& arena, uint16_t field, Value value) {
  assert(is_object() && field < type()->fields.size());
  value.field_ = field;
  if (Value* present = Member(field)) return *present = value;
  if (!HasRoom()) Grow(arena);
  Value* at = member_data() + size_++;
  for (; at > member_data() && at[-1].field_ > field; --at) *at = at[-1];
  return *at = value;
}

Value& Value::SetEntry(Arena& arena, std::string_view key, Value value) {
  assert(is_map());
  if (Value* present = Find(key)) return *present = value;
  if (!HasRoom()) Grow(arena);
  const MapEntry entry{arena.Copy(key), value};
  MapEntry* const end = data_.entries + size_++;
  MapEntry* const at = std::ranges::lower_bound(data_.entries, end, key, {}, &MapEntry::key);
  std::move_backward(at, end, end + 1);
  *at = entry;
  return at->value;
}

Value& Value::Set(Arena& arena, std::string_view name, Value value) {
  return is_object() ? SetMember(arena, type()->FindField(name), value)
                     : SetEntry(arena, name, value);
}

bool Value::EraseMember(uint16_t field) {
  Value* at = Member(field);
  if (at == nullptr) return false;
  Value* end = member_data() + size_;
  std::move(at + 1, end, at);
  --size_;
  return true;
}

bool Value::Erase(std::string_view name) {
  if (is_object()) {
    const uint16_t field = type()->FindField(name);
    return field != MessageDesc::kNoField && EraseMember(field);
  }
  auto all = entries();
  auto found = std::ranges::lower_bound(all, name, {}, &MapEntry::key);
  if (found == all.end() || found->key != name) return false;
  std::move(found + 1, all.end(), found);
  --size_;
  return true;
}

Value& Value::Append(Arena& arena, Value item) { return Insert(arena, size_, item); }

Value& Value::Insert(Arena& arena, size_t index, Value item) {
  assert(is_list() && index <= size_);
  if (!HasRoom()) Grow(arena);
  Value* at = data_.items + index;
  std::move_backward(at, data_.items + size_, data_.items + size_ + 1);
  ++size_;
  return *at = item;
}

void Value::EraseItem(size_t index) {
  assert(is_list() && index < size_);
  std::move(data_.items + index + 1, data_.items + size_, data_.items + index);
  --size_;
}

Value Value::CopyInto(Arena& arena) const {
  Value copy = *this;
  copy.room_log2_ = 0;
  switch (tag_) {
    case Tag::kString:
    case Tag::kBytes:
    case Tag::kRawJson:
      copy.data_.text = arena.Copy(AsText()).data();
      break;
    case Tag::kList:
      copy = List(arena, items());
      for (Value& item : copy.items()) item = item.CopyInto(arena);
      break;
    case Tag::kMap:
      copy = Map(arena, entries());
      for (MapEntry& entry : copy.entries()) {
        entry.key = arena.Copy(entry.key);
        entry.value = entry.value.CopyInto(arena);
      }
      break;
    case Tag::kObject:
      copy = Object(arena, type(), members());
      for (Value& member : copy.members()) member = member.CopyInto(arena);
      break;
    default:
      break;
  }
  copy.field_ = field_;
  return copy;
}

Document Document::OfType(const MessageDesc* type) {
  Document document;
  if (type->open != nullptr) {
    document.root_ = Value::EmptyMap();
    document.open_type_ = type;
  } else {
    document.root_ = Value::EmptyObject(document.arena_, type);
  }
  return document;
}

Document Document::Copy() const {
  Document copy;
  copy.root_ = root_.CopyInto(copy.arena_);
  copy.open_type_ = open_type_;
  return copy;
}

std::string_view Document::TextOf(std::string_view name) const {
  const Value* found = root_.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace skiff::object

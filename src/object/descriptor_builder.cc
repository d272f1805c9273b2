#include "object/descriptor_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string>

#include "object/unset.h"

namespace skiff::object {
namespace {

constexpr size_t kMaxFields = 10'000;
constexpr size_t kMaxSlots = size_t{1} << 16;
constexpr int kSeedsPerSize = 200;

bool Place(std::span<const FieldDesc> fields, uint64_t seed, std::vector<uint16_t>& slots) {
  std::ranges::fill(slots, MessageDesc::kNoField);
  for (size_t i = 0; i < fields.size(); ++i) {
    uint16_t& slot = slots[HashFieldName(fields[i].name(), seed) & (slots.size() - 1)];
    if (slot != MessageDesc::kNoField) return false;
    slot = static_cast<uint16_t>(i);
  }
  return true;
}

}  // namespace

NameSlots BuildNameSlots(std::span<const FieldDesc> fields) {
  NameSlots result;
  if (fields.empty()) return result;
  uint64_t state = 0x9e3779b97f4a7c15u;  // fixed: the same fields give the same table
  const size_t most = std::min(kMaxSlots, std::bit_ceil(fields.size()) * 64);
  for (size_t size = std::bit_ceil(2 * fields.size()); size <= most; size *= 2) {
    result.slots.resize(size);
    for (int i = 0; i < kSeedsPerSize; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      result.seed = (state ^ (state >> 29)) | 1;
      if (Place(fields, result.seed, result.slots)) return result;
    }
  }
  return {};
}

bool DescriptorPool::IsFieldName(std::string_view name) {
  return name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char c) {
           // Go escapes the three characters of HTML, too.
           return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' &&
                  c != '&';
         });
}

const GroupVersionDesc* DescriptorPool::AddGroupVersion(std::string_view group,
                                                        std::string_view version) {
  std::string path = std::string(group.empty() ? "core" : group) + "/" + std::string(version);
  auto* made = new (arena_.AllocateArray<GroupVersionDesc>(1)) GroupVersionDesc{};
  made->path = arena_.Copy(path);
  made->group = arena_.Copy(group);
  made->version = arena_.Copy(version);
  made->api_version = group.empty() ? made->version : made->path;
  return made;
}

MessageDesc* DescriptorPool::Declare(std::string_view name, const GroupVersionDesc* group_version) {
  auto* message = new (arena_.AllocateArray<MessageDesc>(1)) MessageDesc{};
  message->name = arena_.Copy(name);
  message->group_version = group_version;
  return message;
}

Result<void> DescriptorPool::Define(MessageDesc* message, std::span<const FieldSpec> fields) {
  if (fields.size() > kMaxFields) {
    return BadRequest(std::string(message->name) + " has more than " + std::to_string(kMaxFields) +
                      " fields");
  }
  std::vector<std::string_view> names;
  for (const FieldSpec& field : fields) names.push_back(field.name);
  std::ranges::sort(names);
  if (auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return BadField(std::string(*twice), "is defined twice");
  }
  auto* made = arena_.AllocateArray<FieldDesc>(fields.size());
  std::string zero = "{";
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldSpec& from = fields[i];
    if (!IsFieldName(from.name)) {
      return BadField(std::string(from.name), "cannot be a field's name");
    }
    char* key = arena_.AllocateChars(from.name.size() + 4 + kKeyPadding);
    const std::string text = ",\"" + std::string(from.name) + "\":";
    std::memset(key, 0, text.size() + kKeyPadding);
    std::memcpy(key, text.data(), text.size());
    made[i] = {.key = key,
               .message = from.message,
               .traits = CopyTraits(from.traits),
               .tag = 0,
               .name_size = static_cast<uint8_t>(from.name.size()),
               .type = from.type,
               .cardinality = from.cardinality,
               .flags = from.flags,
               .proto_key = 0};
    const bool holds_message = from.type == FieldType::kMessage && !made[i].pointer() &&
                               made[i].cardinality == Cardinality::kSingle;
    if (holds_message && made[i].message->zero_json.empty()) {
      return BadField(std::string(from.name), "is of a message that is not defined yet");
    }
    if (const std::string_view unset = UnsetJson(made[i]); !unset.empty()) {
      made[i].flags |= FieldDesc::kShownUnset;
      zero += zero.size() == 1 ? text.substr(1) : text;
      zero += unset;
    }
  }
  message->fields = {made, fields.size()};
  message->zero_json = arena_.Copy(zero + "}");
  message->is_kind =
      fields.size() >= 2 && made[0].name() == "kind" && made[1].name() == "apiVersion";
  const NameSlots hash = BuildNameSlots(message->fields);
  auto* slots = arena_.AllocateArray<uint16_t>(hash.slots.size());
  std::ranges::copy(hash.slots, slots);
  message->name_slots = {slots, hash.slots.size()};
  message->name_seed = hash.seed;
  return {};
}

Result<const MessageDesc*> DescriptorPool::Add(std::string_view name,
                                               std::span<const FieldSpec> fields) {
  MessageDesc* message = Declare(name);
  SKIFF_RETURN_IF_ERROR(Define(message, fields));
  return message;
}

std::span<const std::string_view> DescriptorPool::CopyList(std::span<const std::string_view> list) {
  if (list.empty()) return {};
  auto* copy = arena_.AllocateArray<std::string_view>(list.size());
  for (size_t i = 0; i < list.size(); ++i) copy[i] = arena_.Copy(list[i]);
  return {copy, list.size()};
}

const FieldTraits* DescriptorPool::CopyTraits(const FieldTraits& traits) {
  auto* copy = new (arena_.AllocateArray<FieldTraits>(1)) FieldTraits(traits);
  copy->merge_key = arena_.Copy(traits.merge_key);
  copy->list_map_keys = CopyList(traits.list_map_keys);
  copy->enum_values = CopyList(traits.enum_values);
  copy->known_values = CopyList(traits.known_values);
  copy->default_json = arena_.Copy(traits.default_json);
  copy->feature_gates = CopyList(traits.feature_gates);
  return copy;
}

}  // namespace skiff::object

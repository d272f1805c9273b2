#include "object/descriptor.h"

#include <algorithm>
#include <utility>

namespace skiff::object {

uint16_t MessageDesc::FindField(std::string_view field_name) const {
  if (name_slots.empty()) {  // no fields, or too many or too alike for a perfect hash
    auto found = std::ranges::find(fields, field_name, &FieldDesc::name);
    return found == fields.end() ? kNoField : static_cast<uint16_t>(found - fields.begin());
  }
  const uint16_t index = name_slots[HashFieldName(field_name, name_seed) & (name_slots.size() - 1)];
  return index != kNoField && fields[index].name() == field_name ? index : kNoField;
}

const ProtoFieldDesc* MessageDesc::FindProtoField(uint32_t tag) const {
  auto found = std::ranges::lower_bound(proto_fields, tag, {},
                                        [](const ProtoFieldDesc& f) { return f.key >> 3; });
  return found != proto_fields.end() && (found->key >> 3) == tag ? &*found : nullptr;
}

const MessageDesc* GroupVersionDesc::FindMessage(std::string_view message_name) const {
  auto found = std::ranges::lower_bound(messages, message_name, {},
                                        [](const MessageDesc* m) { return m->name; });
  return found != messages.end() && (*found)->name == message_name ? *found : nullptr;
}

const MessageDesc* FindKind(std::string_view api_version, std::string_view kind) {
  const auto key = std::pair(api_version, kind);
  auto all = AllKinds();
  auto found = std::ranges::lower_bound(
      all, key, {}, [](const KindDesc& k) { return std::pair(k.api_version, k.kind); });
  if (found == all.end() || found->api_version != api_version || found->kind != kind) {
    return nullptr;
  }
  return found->message;
}

const MessageDesc* FindMessage(std::string_view path, std::string_view name) {
  auto all = AllGroupVersions();
  auto found =
      std::ranges::lower_bound(all, path, {}, [](const GroupVersionDesc* gv) { return gv->path; });
  return found != all.end() && (*found)->path == path ? (*found)->FindMessage(name) : nullptr;
}

}  // namespace skiff::object

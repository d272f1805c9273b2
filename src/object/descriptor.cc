#include "object/descriptor.h"

#include <algorithm>

namespace skiff {

uint16_t MessageDesc::FindField(std::string_view field_name) const {
  if (name_slots.empty()) return kNoField;
  const uint16_t index = name_slots[HashFieldName(field_name, name_seed) & (name_slots.size() - 1)];
  return index != kNoField && fields[index].name() == field_name ? index : kNoField;
}

const ProtoFieldDesc* MessageDesc::FindProtoField(uint32_t tag) const {
  auto found = std::ranges::lower_bound(proto_fields, tag, {},
                                        [](const ProtoFieldDesc& f) { return f.key >> 3; });
  return found != proto_fields.end() && (found->key >> 3) == tag ? &*found : nullptr;
}

const MessageDesc* GroupVersionDesc::FindKind(std::string_view kind) const {
  auto found = std::ranges::lower_bound(kinds, kind, {}, &KindDesc::kind);
  return found != kinds.end() && found->kind == kind ? found->message : nullptr;
}

const MessageDesc* GroupVersionDesc::FindMessage(std::string_view name) const {
  auto found = std::ranges::lower_bound(messages, name, {},
                                        [](const MessageDesc* m) { return m->name; });
  return found != messages.end() && (*found)->name == name ? *found : nullptr;
}

const GroupVersionDesc* FindGroupVersion(std::string_view api_version) {
  auto all = AllGroupVersions();
  auto found = std::ranges::lower_bound(
      all, api_version, {}, [](const GroupVersionDesc* gv) { return gv->api_version; });
  return found != all.end() && (*found)->api_version == api_version ? *found : nullptr;
}

const MessageDesc* FindKind(std::string_view api_version, std::string_view kind) {
  const GroupVersionDesc* group_version = FindGroupVersion(api_version);
  return group_version == nullptr ? nullptr : group_version->FindKind(kind);
}

}  // namespace skiff

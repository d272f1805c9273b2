#include "apiserver/tables/cell_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "object/selector/label_selector.h"

namespace skiff::apiserver {

std::string_view ValueText(const object::Value* value, const CellContext& context) {
  if (value == nullptr) return {};
  switch (value->tag()) {
    case object::Tag::kBool:
      return value->AsBool() ? "true" : "false";
    case object::Tag::kInt:
      return context.Number(value->AsInt());
    case object::Tag::kString:
      return value->AsText();
    default:
      return {};
  }
}

std::string_view LabelsText(const object::Value* labels, const CellContext& context) {
  if (labels == nullptr || labels->size() == 0) return "<none>";
  std::string text;
  for (const object::MapEntry& entry : labels->entries()) {
    if (!text.empty()) text += ',';
    text.append(entry.key).append("=").append(ValueText(&entry.value, context));
  }
  return context.arena.Copy(text);
}

std::string_view SelectorText(const object::Value* selector, const CellContext& context) {
  const auto parsed = object::LabelSelector::FromValue(selector);
  if (!parsed) return "<error>";
  const std::string text = parsed->ToString();
  return text.empty() ? "<none>" : context.arena.Copy(text);
}

std::string_view AccessModesText(const object::Value* modes, const CellContext& context) {
  if (modes == nullptr) return {};
  constexpr auto kModes = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"},
  });
  std::string text;
  for (const auto& [mode, letters] : kModes) {
    const bool has = std::ranges::any_of(
        modes->items(), [&](const object::Value& item) { return item.AsText() == mode; });
    if (!has) continue;
    if (!text.empty()) text += ',';
    text += letters;
  }
  return context.arena.Copy(text);
}

std::string_view MembersText(const object::Value* items, std::string_view member,
                             const CellContext& context) {
  if (items == nullptr) return {};
  std::string text;
  bool first = true;
  for (const object::Value& item : items->items()) {
    if (!std::exchange(first, false)) text += ',';
    text += ValueText(member.empty() ? &item : item.Find(member), context);
  }
  return context.arena.Copy(text);
}

}  // namespace skiff::apiserver

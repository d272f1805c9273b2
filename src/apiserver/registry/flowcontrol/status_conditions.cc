#include "apiserver/registry/flowcontrol/status_conditions.h"

#include <set>
#include <string_view>

namespace skiff::apiserver {

void ValidateStatusConditions(const object::Document& object, FieldErrors& errors) {
  const object::Value* conditions = object.root().FindPath({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_list()) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions->size(); ++i) {
    const object::Value* type = conditions->items()[i].Find("type");
    const std::string_view text = type != nullptr ? type->AsText() : std::string_view();
    const auto at = errors.At("status.conditions", i);
    if (!seen.insert(text).second) errors.Duplicate("type", text);
    if (text.empty()) errors.Required("type");
  }
}

}  // namespace skiff::apiserver

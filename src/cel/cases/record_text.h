// Texts of recorded cases.
#pragma once

#include <string_view>

#include "object/value.h"

namespace skiff::cel {

// Empty if the record has no text of that name.
inline std::string_view Text(const object::Value& record, std::string_view name) {
  const object::Value* value = record.Find(name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

}  // namespace skiff::cel

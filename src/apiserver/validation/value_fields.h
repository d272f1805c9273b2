// Fields by name, of messages that may be absent: for rules of messages that are alike in several
// versions, and of trees that repeat themselves.
#pragma once

#include <string_view>

#include "object/value.h"
#include "object/view.h"

namespace skiff {

inline const Value* FieldOf(const Value* message, std::string_view name) {
  const bool has_fields = message != nullptr && (message->is_object() || message->is_map());
  return has_fields ? message->Find(name) : nullptr;
}

inline std::string_view TextOf(const Value* message, std::string_view name) {
  const Value* value = FieldOf(message, name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

inline bool IsSet(const Value* message, std::string_view name) {
  const Value* value = FieldOf(message, name);
  return value != nullptr && value->tag() == Tag::kBool && value->AsBool();
}

inline ListView<const Value*> ItemsOf(const Value* message, std::string_view name) {
  return ListView<const Value*>(FieldOf(message, name));
}

inline ListView<std::string_view> TextsOf(const Value* message, std::string_view name) {
  return ListView<std::string_view>(FieldOf(message, name));
}

}  // namespace skiff

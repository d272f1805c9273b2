// Fields by name, of messages that may be absent: for rules of messages that are alike in several
// versions, and of trees that repeat themselves.
#pragma once

#include <string_view>

#include "object/value.h"
#include "object/view.h"

namespace skiff::apiserver {

inline const object::Value* FieldOf(const object::Value* message, std::string_view name) {
  const bool has_fields = message != nullptr && (message->is_object() || message->is_map());
  return has_fields ? message->Find(name) : nullptr;
}

inline std::string_view TextOf(const object::Value* message, std::string_view name) {
  const object::Value* value = FieldOf(message, name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

inline bool IsSet(const object::Value* message, std::string_view name) {
  const object::Value* value = FieldOf(message, name);
  return value != nullptr && value->tag() == object::Tag::kBool && value->AsBool();
}

inline object::ListView<const object::Value*> ItemsOf(const object::Value* message,
                                                      std::string_view name) {
  return object::ListView<const object::Value*>(FieldOf(message, name));
}

inline object::ListView<std::string_view> TextsOf(const object::Value* message,
                                                  std::string_view name) {
  return object::ListView<std::string_view>(FieldOf(message, name));
}

}  // namespace skiff::apiserver

#include "apiserver/registry/apiextensions/default_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/validation/common.h"
#include "object/json/decode.h"

namespace skiff {
namespace {

bool IsNumber(const Value& value) {
  return value.tag() == Tag::kInt || value.tag() == Tag::kUint || value.tag() == Tag::kDouble;
}

double NumberOf(const Value& value) {
  if (value.tag() == Tag::kDouble) return value.AsDouble();
  return value.tag() == Tag::kUint ? static_cast<double>(value.AsUint())
                                   : static_cast<double>(value.AsInt());
}

bool IsWhole(const Value& value) {
  return IsNumber(value) && NumberOf(value) == std::floor(NumberOf(value));
}

std::string_view TypeOf(const Value& value) {
  if (value.is_string()) return "string";
  if (value.tag() == Tag::kBool) return "boolean";
  if (value.is_list()) return "array";
  if (value.is_map()) return "object";
  if (value.is_null()) return "null";
  return IsWhole(value) ? "integer" : "number";
}

bool HasType(const Value& value, const Value* schema) {
  const std::string_view type = TextOf(schema, "type");
  if (IsSet(schema, "x-kubernetes-int-or-string")) return value.is_string() || IsWhole(value);
  if (type.empty() || (value.is_null() && IsSet(schema, "nullable"))) return true;
  return TypeOf(value) == type || (type == "number" && IsNumber(value));
}

// The value of a field that holds any JSON.
std::optional<Document> JsonOf(const Value* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->tag() != Tag::kRawJson) return Document(Arena(), *value);
  Result<Document> document = DecodeJson(value->AsText(), nullptr);
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

bool HasUnknownFields(const Value& value, const Value* schema) {
  if (value.is_list()) {
    return std::ranges::any_of(value.items(), [&](const Value& item) {
      return HasUnknownFields(item, SchemaOf(schema, "items"));
    });
  }
  if (!value.is_map() || schema == nullptr ||
      IsSet(schema, "x-kubernetes-preserve-unknown-fields")) {
    return false;
  }
  const Value* additional = FieldOf(schema, "additionalProperties");
  for (const MapEntry& entry : value.entries()) {
    const Value* property = PropertyOf(schema, entry.key);
    if (property == nullptr && additional == nullptr) return true;
    const Value* of_entry =
        property != nullptr ? property : SchemaOf(schema, "additionalProperties");
    if (HasUnknownFields(entry.value, of_entry)) return true;
  }
  return false;
}

void ValidateEnum(const Value& value, const Value* schema, FieldErrors& errors) {
  const auto allowed = ItemsOf(schema, "enum");
  if (allowed.empty()) return;
  for (const Value* each : allowed) {
    const std::optional<Document> json = JsonOf(each);
    if (json && DeepEqual(json->root(), value)) return;
  }
  errors.NotSupported("", ShownValue(value), {});
}

void ValidateBounds(const Value& value, const Value* schema, FieldErrors& errors) {
  const Value* minimum = FieldOf(schema, "minimum");
  const Value* maximum = FieldOf(schema, "maximum");
  if (IsNumber(value) && minimum != nullptr && NumberOf(value) < NumberOf(*minimum)) {
    errors.Invalid("", ShownValue(value), "is below the minimum");
  }
  if (IsNumber(value) && maximum != nullptr && NumberOf(value) > NumberOf(*maximum)) {
    errors.Invalid("", ShownValue(value), "is above the maximum");
  }
  if (!value.is_string()) return;
  const auto size = static_cast<double>(value.AsText().size());
  const Value* max_length = FieldOf(schema, "maxLength");
  const Value* min_length = FieldOf(schema, "minLength");
  if ((max_length != nullptr && size > NumberOf(*max_length)) ||
      (min_length != nullptr && size < NumberOf(*min_length))) {
    errors.Invalid("", ShownValue(value), "has not the length that the schema asks for");
  }
}

void ValidateValue(const Value& value, const Value* schema, FieldErrors& errors) {
  if (schema == nullptr) return;
  if (!HasType(value, schema)) {
    return errors.TypeInvalid("", TypeOf(value),
                              "must be of type " + std::string(TextOf(schema, "type")));
  }
  ValidateEnum(value, schema, errors);
  ValidateBounds(value, schema, errors);
  if (value.is_list()) {
    for (size_t i = 0; i < value.size(); ++i) {
      const auto at = errors.At("", i);
      ValidateValue(value.items()[i], SchemaOf(schema, "items"), errors);
    }
  }
  if (!value.is_map()) return;
  for (const std::string_view required : TextsOf(schema, "required")) {
    if (value.Find(required) == nullptr) errors.Required(required);
  }
  for (const MapEntry& entry : value.entries()) {
    const Value* property = PropertyOf(schema, entry.key);
    const auto at = errors.At(entry.key);
    ValidateValue(entry.value,
                  property != nullptr ? property : SchemaOf(schema, "additionalProperties"),
                  errors);
  }
}

}  // namespace

void ValidateDefaults(const Value* schema, FieldErrors& errors) {
  if (schema == nullptr) return;
  if (const std::optional<Document> json = JsonOf(FieldOf(schema, "default"))) {
    const auto at = errors.At("default");
    if (HasUnknownFields(json->root(), schema)) {
      errors.Invalid("", ShownValue(json->root()), "must not have unknown fields");
    }
    ValidateValue(json->root(), schema, errors);
  }
  {
    const auto at = errors.At("items");
    ValidateDefaults(SchemaOf(schema, "items"), errors);
  }
  for (const auto entry : MapView<const Value*>(FieldOf(schema, "properties"))) {
    const auto at = errors.AtKey("properties", entry.key);
    ValidateDefaults(entry.value, errors);
  }
}

}  // namespace skiff

// Walking the schemas of a custom resource definition.
#pragma once

#include <functional>
#include <string_view>

#include "apiserver/validation/value_fields.h"
#include "object/value.h"

namespace skiff::apiserver {

// What a schema may hold that is a schema again, by the name of the field.
inline constexpr std::string_view kSchemaLists[] = {"allOf", "anyOf", "oneOf"};
inline constexpr std::string_view kSchemaMaps[] = {"properties", "patternProperties", "definitions",
                                                   "dependencies"};
inline constexpr std::string_view kSchemaFields[] = {"not", "additionalProperties",
                                                     "additionalItems"};

// The schema of a field that may hold something else, or null.
const object::Value* SchemaOf(const object::Value* schema, std::string_view field);
// The schema of this property, or null.
const object::Value* PropertyOf(const object::Value* schema, std::string_view name);

// The schema of the field at a path such as `.spec.name`, where names of a map may be any, or null.
// With brackets, `.spec['name']` is possible too.
const object::Value* SchemaAt(const object::Value* schema, std::string_view path,
                              bool with_brackets);

// Whether it is so of the schema, or of one within it.
bool AnySchema(const object::Value* schema, const std::function<bool(const object::Value&)>& is_so);

}  // namespace skiff::apiserver

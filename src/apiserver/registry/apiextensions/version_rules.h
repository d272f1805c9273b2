// What a version of a custom resource has, or all of them together: a schema, subresources, columns
// and selectable fields.
#pragma once

#include <set>
#include <string_view>

#include "apiserver/registry/apiextensions/schema_rules.h"
#include "apiserver/validation/field_errors.h"
#include "object/value.h"

namespace skiff::apiserver {

struct VersionOptions {
  SchemaOptions schema = {};
  bool require_structural = true;
  bool limit_expression_cost = true;
};
// Rules that do not hold where the stored definition breaks them.
struct DefinitionOptions {
  SchemaOptions schema = {};
  // Versions whose schema is the stored one.
  std::set<std::string_view> unchanged = {};
  bool require_structural = true;
  bool require_schema = true;
  bool require_known_review_version = true;
};

// `schema_field` is "schema" in a version and "validation" beside the versions. Reports below the
// place.
void ValidateVersionParts(const object::Value* version, std::string_view schema_field,
                          bool has_status_subresource, const VersionOptions& options,
                          FieldErrors& errors);
void ValidateDeprecation(const object::Value* version, FieldErrors& errors);

bool HasDefault(const object::Value* schema);
bool HasExtension(const object::Value* schema);
bool IsNotStructural(const object::Value* schema);

}  // namespace skiff::apiserver

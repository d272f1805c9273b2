#include "apiserver/registry/apiextensions/version_rules.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/default_validation.h"
#include "apiserver/extensions/schema/pattern_cache.h"
#include "apiserver/registry/apiextensions/expression_rules.h"
#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/registry/apiextensions/structural_schema.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/value_fields.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxDeprecationBytes = 256;
constexpr size_t kMaxSelectableFields = 8;
constexpr std::string_view kSchema = "openAPIV3Schema";
// With a status subresource, what else the root schema says would hold for the status too.
constexpr std::string_view kAllowedAtRoot[] = {"description",
                                               "type",
                                               "format",
                                               "title",
                                               "maximum",
                                               "exclusiveMaximum",
                                               "minimum",
                                               "exclusiveMinimum",
                                               "maxLength",
                                               "minLength",
                                               "pattern",
                                               "maxItems",
                                               "minItems",
                                               "uniqueItems",
                                               "multipleOf",
                                               "required",
                                               "items",
                                               "properties",
                                               "externalDocs",
                                               "example",
                                               "x-kubernetes-preserve-unknown-fields",
                                               "x-kubernetes-validations"};

void ValidateRootFields(const object::Value* schema, FieldErrors& errors) {
  for (const object::FieldDesc& field : schema->type()->fields) {
    const std::string_view name = field.name();
    if (schema->Find(name) == nullptr) continue;
    if (name == "type") {
      if (TextOf(schema, "type") == "object") continue;
      const auto at = errors.At(kSchema);
      return errors.Invalid("type", TextOf(schema, "type"),
                            "only \"object\" is allowed as the type at the root of the schema if "
                            "the status subresource is enabled");
    }
    if (std::ranges::find(kAllowedAtRoot, name) == std::end(kAllowedAtRoot)) {
      return errors.Invalid(
          kSchema, schema,
          "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
          "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
          "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
          "at the root of the schema if the status subresource is enabled");
    }
  }
}

// Expressions are looked at where the defaults hold.
void ValidateDefaultsAndCompile(const object::Value* schema, const VersionOptions& options,
                                std::optional<ExpressionRules>& expressions, FieldErrors& errors) {
  const auto compiled = CompiledSchema::Compile(*schema, std::make_shared<PatternCache>(),
                                                CompiledSchema::Defaults::kAsWritten);
  if (!compiled) return;
  const size_t before = errors.size();
  ValidateDefaultsOf(**compiled, true, errors);
  if (errors.size() == before) expressions.emplace(*compiled, options.limit_expression_cost);
}

void ValidateRootSchema(const object::Value* schema, bool has_status_subresource,
                        const VersionOptions& options, FieldErrors& errors) {
  if (schema == nullptr) return;
  const size_t faults = errors.size();
  if (has_status_subresource) ValidateRootFields(schema, errors);
  if (IsSet(schema, "nullable")) {
    const auto at = errors.At(kSchema);
    errors.Forbidden("nullable", "nullable cannot be true at the root");
  }
  const bool can_be_structural = CanBeStructural(schema);
  std::optional<ExpressionRules> expressions;
  if (options.require_structural && can_be_structural) {
    const size_t before = errors.size();
    ValidateStructural(schema, kSchema, errors);
    if (errors.size() == before) {
      const auto at = errors.At(kSchema);
      ValidateDefaultsAndCompile(schema, options, expressions, errors);
    }
  }
  ValidateSchema(schema, kSchema, options.schema, expressions ? &*expressions : nullptr, errors);
  if (options.require_structural && !can_be_structural && errors.size() == faults) {
    errors.Invalid(kSchema, "", "the schema uses what a structural one cannot have");
  }
}

std::string_view ProblemOfPath(std::string_view path) {
  return path.starts_with('.') ? "" : "must be a simple json path starting with .";
}

void ValidateReplicasPath(const object::Value* scale, std::string_view field,
                          std::string_view prefix, FieldErrors& errors) {
  const std::string_view path = TextOf(scale, field);
  if (path.empty()) return errors.Required(field);
  if (const std::string_view problem = ProblemOfPath(path); !problem.empty()) {
    errors.Invalid(field, path, problem);
  } else if (!path.starts_with(prefix)) {
    errors.Invalid(
        field, path,
        "should be a json path under " + std::string(prefix.substr(0, prefix.size() - 1)));
  }
}

void ValidateScale(const object::Value* subresources, FieldErrors& errors) {
  const object::Value* scale = FieldOf(subresources, "scale");
  if (scale == nullptr) return;
  const auto at = errors.At("subresources.scale");
  ValidateReplicasPath(scale, "specReplicasPath", ".spec.", errors);
  ValidateReplicasPath(scale, "statusReplicasPath", ".status.", errors);
  const std::string_view selector = TextOf(scale, "labelSelectorPath");
  if (selector.empty()) return;
  if (const std::string_view problem = ProblemOfPath(selector); !problem.empty()) {
    errors.Invalid("labelSelectorPath", selector, problem);
  } else if (!selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid("labelSelectorPath", selector,
                   "should be a json path under either .spec or .status");
  }
}

void ValidateColumn(const object::Value* column, FieldErrors& errors) {
  constexpr std::string_view kTypes[] = {"integer", "number", "string", "boolean", "date"};
  constexpr std::string_view kFormats[] = {"int32", "int64", "float",     "double",
                                           "byte",  "date",  "date-time", "password"};
  ValidateRequired(TextOf(column, "name"), "name", errors);
  const std::string_view type = TextOf(column, "type");
  if (type.empty()) {
    errors.Required("type", "must be one of boolean,date,integer,number,string");
  } else if (std::ranges::find(kTypes, type) == std::end(kTypes)) {
    errors.Invalid("type", type, "must be one of boolean,date,integer,number,string");
  }
  const std::string_view format = TextOf(column, "format");
  if (!format.empty() && std::ranges::find(kFormats, format) == std::end(kFormats)) {
    errors.Invalid("format", format,
                   "must be one of byte,date,date-time,double,float,int32,int64,password");
  }
  const std::string_view path = TextOf(column, "JSONPath");
  if (path.empty()) {
    errors.Required("JSONPath");
  } else if (const std::string_view problem = ProblemOfPath(path); !problem.empty()) {
    errors.Invalid("JSONPath", path, problem);
  }
}

void ValidateSelectableFields(const object::Value* version, const object::Value* schema,
                              std::string_view schema_field, FieldErrors& errors) {
  const auto fields = ItemsOf(version, "selectableFields");
  if (fields.empty()) return;
  if (schema == nullptr) {
    return errors.Invalid(
        "selectableFields", "",
        schema_field == "schema"
            ? "may only be set when `version.schema.openAPIV3Schema` is not included"
            : "may only be set when validations.schema is included");
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto at = errors.At("selectableFields", i);
    const std::string_view path = TextOf(fields[i], "jsonPath");
    if (path.empty()) {
      errors.Required("jsonPath");
      continue;
    }
    const object::Value* found = SchemaAt(schema, path, false);
    if (found == nullptr) {
      errors.Invalid("jsonPath", path, "is an invalid path: does not refer to a valid field");
      continue;
    }
    if (path == ".metadata" || path.starts_with(".metadata.")) {
      errors.Invalid("jsonPath", path, "must not point to fields in metadata");
    }
    const std::string_view type = TextOf(found, "type");
    if (type != "string" && type != "boolean" && type != "integer") {
      errors.Invalid("jsonPath", path,
                     "must point to a field of type string, boolean or integer. Enum string fields "
                     "and strings with formats are allowed.");
    }
    if (!seen.insert(path).second) errors.Duplicate("jsonPath", path);
  }
  if (seen.size() > kMaxSelectableFields) {
    errors.TooMany("selectableFields", seen.size(), kMaxSelectableFields);
  }
}

}  // namespace

void ValidateVersionParts(const object::Value* version, std::string_view schema_field,
                          bool has_status_subresource, const VersionOptions& options,
                          FieldErrors& errors) {
  const object::Value* schema = FieldOf(FieldOf(version, schema_field), kSchema);
  {
    const auto at = errors.At(schema_field);
    ValidateRootSchema(schema, has_status_subresource, options, errors);
  }
  ValidateScale(FieldOf(version, "subresources"), errors);
  const auto columns = ItemsOf(version, "additionalPrinterColumns");
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto at = errors.At("additionalPrinterColumns", i);
    ValidateColumn(columns[i], errors);
  }
  ValidateSelectableFields(version, schema, schema_field, errors);
}

void ValidateDeprecation(const object::Value* version, FieldErrors& errors) {
  const object::Value* warning = FieldOf(version, "deprecationWarning");
  if (warning == nullptr) return;
  const std::string_view text = warning->AsText();
  const auto fault = [&](std::string_view why) { errors.Invalid("deprecationWarning", text, why); };
  if (!IsSet(version, "deprecated")) return fault("can only be set for deprecated versions");
  if (text.size() > kMaxDeprecationBytes) fault("must be <= 256 characters long");
  if (text.empty()) fault("must not be an empty string");
  const auto odd = std::ranges::find_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (odd == text.end()) return;
  fault("must only contain printable UTF-8 characters; non-printable character found at index " +
        std::to_string(odd - text.begin()));
}

bool HasDefault(const object::Value* schema) {
  return AnySchema(schema,
                   [](const object::Value& each) { return each.Find("default") != nullptr; });
}

bool HasExtension(const object::Value* schema) {
  return AnySchema(schema, [](const object::Value& each) {
    for (const object::FieldDesc& field : each.type()->fields) {
      if (field.name().starts_with("x-kubernetes-") && field.name() != "x-kubernetes-map-type" &&
          each.Find(field.name()) != nullptr) {
        return true;
      }
    }
    return false;
  });
}

bool IsNotStructural(const object::Value* schema) {
  if (schema == nullptr) return false;
  if (!CanBeStructural(schema)) return true;
  FieldErrors errors(kDefaultSettings);
  ValidateStructural(schema, "", errors);
  return !errors.empty();
}

}  // namespace skiff::apiserver

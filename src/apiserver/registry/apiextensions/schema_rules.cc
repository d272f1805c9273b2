#include "apiserver/registry/apiextensions/schema_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/registry/apiextensions/expression_rules.h"
#include "apiserver/registry/apiextensions/schema_tree.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kTypes[] = {"array", "boolean", "integer", "number", "object", "string"};
constexpr std::string_view kListType = "x-kubernetes-list-type";
constexpr std::string_view kMapType = "x-kubernetes-map-type";
constexpr std::string_view kMapKeys = "x-kubernetes-list-map-keys";

// Where a schema stands.
struct Context {
  const SchemaOptions& options;
  bool is_root = false;
  bool in_metadata = false;     // of the object, or of one embedded in it
  std::string no_default = {};  // why there must be no default
  ExpressionRules* expressions = nullptr;
  RuleScope scope = {};
};

// What is below the place has no old values; `text` is where that is kept.
void MarkUncorrelated(const FieldErrors& place, std::string& text, RuleScope& scope) {
  if (scope.rules == nullptr || scope.uncorrelated != nullptr) return;
  text = place.PathOf("");
  scope.uncorrelated = &text;
}

// Below `not` and the like there are no rules that would be run.
Context WithoutExpressions(Context context) {
  context.expressions = nullptr;
  return context;
}

bool IsKnownType(std::string_view type) {
  return type.empty() || std::ranges::find(kTypes, type) != std::end(kTypes);
}

// The one schema of all items.
const object::Value* ItemSchema(const object::Value* schema) { return SchemaOf(schema, "items"); }

void ValidateSupported(const object::Value* schema, const Context& context, FieldErrors& errors) {
  const std::string_view type = TextOf(schema, "type");
  if (context.options.require_known_types && !IsKnownType(type)) {
    errors.NotSupported("type", type, kTypes);
  }
  if (!context.no_default.empty() && FieldOf(schema, "default") != nullptr) {
    errors.Forbidden("default", "must not be set " + context.no_default);
  }
  for (const std::string_view field :
       {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
    if (FieldOf(schema, field) != nullptr) {
      errors.Forbidden(field, std::string(field) + " is not supported");
    }
  }
  if (type == "null") {
    errors.Forbidden("type", "type cannot be set to null, use nullable as an alternative");
  }
  const object::Value* items = FieldOf(schema, "items");
  if (items != nullptr && items->is_list()) {
    errors.Forbidden("items", "items must be a schema object and not an array");
  }
  if (context.in_metadata && IsSet(schema, "x-kubernetes-embedded-resource")) {
    errors.Forbidden("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (IsSet(schema, "uniqueItems")) {
    errors.Forbidden("uniqueItems",
                     "uniqueItems cannot be set to true since the runtime complexity becomes "
                     "quadratic");
  }
}

void ValidateTypeIs(const object::Value* schema, std::string_view wanted,
                    std::string_view extension, FieldErrors& errors) {
  const std::string_view type = TextOf(schema, "type");
  if (FieldOf(schema, extension) == nullptr || type == wanted) return;
  const std::string why =
      "must be " + std::string(wanted) + " if " + std::string(extension) + " is specified";
  if (type.empty()) {
    errors.Required("type", why);
  } else {
    errors.Invalid("type", type, why);
  }
}

// An item of a set is compared as a whole.
std::string_view NonAtomicPartOfSet(const object::Value* schema) {
  const object::Value* item = ItemSchema(schema);
  if (TextOf(schema, kListType) != "set" || item == nullptr) return {};
  if (TextOf(item, "type") == "array" && FieldOf(item, kListType) != nullptr &&
      TextOf(item, kListType) != "atomic") {
    return kListType;
  }
  if (TextOf(item, "type") == "object" && TextOf(item, kMapType) != "atomic") return kMapType;
  return {};
}

void ValidateMapKeys(const object::Value* schema, FieldErrors& errors) {
  const object::Value* items = FieldOf(schema, "items");
  const object::Value* item = ItemSchema(schema);
  const auto keys = TextsOf(schema, kMapKeys);
  if (keys.empty()) {
    errors.Required(kMapKeys, "must not be empty if x-kubernetes-list-type is map");
  }
  if (items == nullptr) {
    return errors.Required("items", "must have a schema if x-kubernetes-list-type is map");
  }
  if (item == nullptr) {
    return errors.Invalid("items", items,
                          "must only have a single schema if x-kubernetes-list-type is map");
  }
  if (TextOf(item, "type") != "object") {
    return errors.Invalid("items.type", TextOf(item, "type"),
                          "must be object if parent array's x-kubernetes-list-type is map");
  }
  std::set<std::string_view> seen;
  for (const std::string_view key : keys) {
    const object::Value* property = PropertyOf(item, key);
    const std::string_view type = TextOf(property, "type");
    if (property == nullptr) {
      errors.Invalid(kMapKeys, FieldOf(schema, kMapKeys),
                     "entries must all be names of item properties");
    } else if (type == "array" || type == "object") {
      const auto at = errors.AtKey("items.properties", key);
      // The type that Kubernetes shows is that of the item.
      errors.Invalid("type", "object",
                     "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!seen.insert(key).second) {
      errors.Invalid(kMapKeys, FieldOf(schema, kMapKeys), "must not contain duplicate entries");
    }
  }
}

// Keys must be there in every item, and items must be something.
void ValidateSoundMapKeys(const object::Value* schema, FieldErrors& errors) {
  const object::Value* item = ItemSchema(schema);
  const std::string_view type = TextOf(schema, kListType);
  if (item == nullptr || (type != "set" && type != "map")) return;
  if (IsSet(item, "nullable")) {
    errors.Forbidden("items.nullable",
                     "cannot be nullable when x-kubernetes-list-type is " + std::string(type));
  }
  if (type != "map") return;
  const SeenNames required = SeenNames::Of(TextsOf(item, "required"));
  for (const std::string_view key : TextsOf(schema, kMapKeys)) {
    const object::Value* property = PropertyOf(item, key);
    if (property == nullptr) continue;
    const auto at = errors.AtKey("items.properties", key);
    if (!required.Has(key) && FieldOf(property, "default") == nullptr) {
      errors.Required("default",
                      "this property is in x-kubernetes-list-map-keys, so it must have a default "
                      "or be a required property");
    }
    if (IsSet(property, "nullable")) {
      errors.Forbidden("nullable",
                       "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

void ValidateListType(const object::Value* schema, const SchemaOptions& options,
                      FieldErrors& errors) {
  const object::Value* list_type = FieldOf(schema, kListType);
  if (list_type != nullptr && TextOf(schema, "type") != "array") {
    ValidateTypeIs(schema, "array", kListType, errors);
  } else if (options.require_atomic_sets) {
    if (const std::string_view part = NonAtomicPartOfSet(schema); !part.empty()) {
      const auto at = errors.At("items");
      // Whichever part is at fault, Kubernetes shows the type of the list.
      errors.Invalid(part, FieldOf(ItemSchema(schema), kListType),
                     "must be atomic as item of a list with x-kubernetes-list-type=set");
    }
  }
  const std::string_view type = TextOf(schema, kListType);
  if (list_type != nullptr) {
    ValidateOneOf(type, {"atomic", "set", "map"}, kListType, errors);
  }
  if (!TextsOf(schema, kMapKeys).empty() && type != "map") {
    constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (list_type == nullptr) {
      errors.Required(kListType, kWhy);
    } else {
      errors.Invalid(kListType, type, kWhy);
    }
  }
  if (type == "map") ValidateMapKeys(schema, errors);
  if (options.require_sound_map_keys) ValidateSoundMapKeys(schema, errors);
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void ValidateExpressionRule(const object::Value* rule, const object::Value* schema,
                            FieldErrors& errors) {
  const std::string_view text = TrimSpace(TextOf(rule, "rule"));
  const std::string_view message = TextOf(rule, "message");
  if (text.empty()) {
    errors.Required("rule", "rule is not specified");
  } else if (!message.empty() && TrimSpace(message).empty()) {
    errors.Invalid("message", message, "must be non-empty if specified");
  } else if (HasLineBreak(TrimSpace(message))) {
    errors.Invalid("message", message, "must not contain line breaks");
  } else if (HasLineBreak(text) && TrimSpace(message).empty()) {
    errors.Required("message", "message must be specified if rule contains line breaks");
  }
  const std::string_view expression = TextOf(rule, "messageExpression");
  if (!expression.empty() && TrimSpace(expression).empty()) {
    errors.Required("messageExpression", "messageExpression must be non-empty if specified");
  }
  if (FieldOf(rule, "reason") != nullptr) {
    ValidateOneOf(
        TextOf(rule, "reason"),
        {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"},
        "reason", errors);
  }
  const std::string_view path = TextOf(rule, "fieldPath");
  if (!path.empty() && TrimSpace(path).empty()) {
    errors.Invalid("fieldPath", path, "must be non-empty if specified");
  }
  if (HasLineBreak(path)) errors.Invalid("fieldPath", path, "must not contain line breaks");
  if (!path.empty() && SchemaAt(schema, path, true) == nullptr) {
    errors.Invalid("fieldPath", path, "must be a valid path");
  }
}

void ValidateWithin(const object::Value* schema, const Context& context, FieldErrors& errors);

void ValidateProperties(const object::Value* schema, const Context& context, FieldErrors& errors) {
  const bool is_object = context.is_root || IsSet(schema, "x-kubernetes-embedded-resource");
  // A map of a type that nobody knows may have no old values.
  const std::string_view map_type = TextOf(schema, kMapType);
  const bool correlates = map_type.empty() || map_type == "atomic" || map_type == "granular";
  std::string uncorrelated;
  RuleScope scope = context.scope;
  if (!correlates) MarkUncorrelated(errors, uncorrelated, scope);
  for (const auto entry : object::MapView<const object::Value*>(FieldOf(schema, "properties"))) {
    Context below = context;
    below.is_root = false;
    if (is_object &&
        (entry.key == "metadata" || entry.key == "kind" || entry.key == "apiVersion")) {
      below.in_metadata = true;
      if (context.is_root) below.no_default = "in top-level " + std::string(entry.key);
    }
    below.scope = scope.Below(schema, "properties", entry.key);
    const auto at = errors.AtKey("properties", entry.key);
    ValidateWithin(entry.value, below, errors);
  }
}

void ValidateChildren(const object::Value* schema, const Context& context, FieldErrors& errors) {
  Context below = context;
  below.is_root = false;
  if (const object::Value* additional = FieldOf(schema, "additionalProperties")) {
    const object::Value* properties = FieldOf(schema, "properties");
    const bool says_something = additional->is_object() || !additional->AsBool();
    if (properties != nullptr && properties->size() != 0 && says_something) {
      errors.Forbidden("additionalProperties",
                       "additionalProperties and properties are mutual exclusive");
    }
    Context of_values = below;
    if (context.in_metadata) {
      of_values.no_default = "inside additionalProperties applying to object metadata";
    }
    of_values.scope = context.scope.Below(schema, "additionalProperties");
    const auto at = errors.At("additionalProperties");
    ValidateWithin(SchemaOf(schema, "additionalProperties"), of_values, errors);
  }
  ValidateProperties(schema, context, errors);
  {
    const auto at = errors.At("not");
    ValidateWithin(SchemaOf(schema, "not"), WithoutExpressions(below), errors);
  }
  for (const std::string_view field : {"allOf", "oneOf", "anyOf"}) {
    const auto list = ItemsOf(schema, field);
    for (size_t i = 0; i < list.size(); ++i) {
      const auto at = errors.At(field, i);
      ValidateWithin(list[i], WithoutExpressions(below), errors);
    }
  }
  if (ItemSchema(schema) == nullptr) return;
  below.scope = context.scope.Below(schema, "items");
  // Of what is in other lists than these, nobody knows which value it had before.
  std::string uncorrelated;
  if (TextOf(schema, kListType) != "map") MarkUncorrelated(errors, uncorrelated, below.scope);
  const auto at = errors.At("items");
  ValidateWithin(ItemSchema(schema), below, errors);
}

void ValidateWithin(const object::Value* schema, const Context& context, FieldErrors& errors) {
  if (schema == nullptr) return;
  const size_t faults = errors.size();
  ValidateSupported(schema, context, errors);
  ValidateChildren(schema, context, errors);
  constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
  if (FieldOf(schema, kPreserve) != nullptr && !IsSet(schema, kPreserve)) {
    errors.Invalid(kPreserve, false, "must be true or undefined");
  }
  ValidateTypeIs(schema, "object", kMapType, errors);
  if (FieldOf(schema, kMapType) != nullptr) {
    ValidateOneOf(TextOf(schema, kMapType), {"atomic", "granular"}, kMapType, errors);
  }
  ValidateListType(schema, context.options, errors);
  const auto rules = ItemsOf(schema, "x-kubernetes-validations");
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at = errors.At("x-kubernetes-validations", i);
    ValidateExpressionRule(rules[i], schema, errors);
  }
  // What is said of expressions makes sense once the schema does, here and below.
  if (context.expressions != nullptr && errors.size() == faults) {
    context.expressions->Check(schema, context.scope, errors);
  }
}

}  // namespace

void ValidateSchema(const object::Value* schema, std::string_view field,
                    const SchemaOptions& options, ExpressionRules* expressions,
                    FieldErrors& errors) {
  const auto at = errors.At(field);
  Context context{.options = options, .is_root = true, .expressions = expressions};
  if (expressions != nullptr) context.scope = expressions->Root();
  ValidateWithin(schema, context, errors);
  if (expressions != nullptr) expressions->Report(errors.PathOf(""), errors);
}

bool HasUnknownType(const object::Value* schema) {
  return AnySchema(schema,
                   [](const object::Value& each) { return !IsKnownType(TextOf(&each, "type")); });
}

bool HasNonAtomicSet(const object::Value* schema) {
  return AnySchema(schema,
                   [](const object::Value& each) { return !NonAtomicPartOfSet(&each).empty(); });
}

bool HasUnsoundMapKeys(const object::Value* schema) {
  return AnySchema(schema, [](const object::Value& each) {
    FieldErrors errors(kDefaultSettings);
    ValidateSoundMapKeys(&each, errors);
    return !errors.empty();
  });
}

}  // namespace skiff::apiserver

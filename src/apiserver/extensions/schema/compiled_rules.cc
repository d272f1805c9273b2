#include "apiserver/extensions/schema/compiled_rules.h"

#include <string>

#include "cel/environment.h"

namespace skiff::apiserver {
namespace {

std::string_view NameOf(SchemaType type) {
  switch (type) {
    case SchemaType::kObject:
      return "object";
    case SchemaType::kArray:
      return "array";
    case SchemaType::kString:
      return "string";
    case SchemaType::kInteger:
      return "integer";
    case SchemaType::kNumber:
      return "number";
    case SchemaType::kBoolean:
      return "boolean";
    case SchemaType::kAny:
    case SchemaType::kIntOrString:
      break;
  }
  return {};
}

std::string_view NameOf(object::ListType type) {
  switch (type) {
    case object::ListType::kMap:
      return "map";
    case object::ListType::kSet:
      return "set";
    case object::ListType::kAtomic:
      return "atomic";
    default:
      return {};
  }
}

void CopyChecks(const SchemaChecks& checks, cel::Schema& out) {
  out.format = checks.format_name;
  out.required.assign(checks.required.begin(), checks.required.end());
  out.has_enum = !checks.allowed.empty();
  for (const object::Value& value : checks.allowed) {
    if (value.is_string()) out.string_enum.emplace_back(value.AsText());
  }
  const SchemaBounds bounds = checks.Bounds();
  if (bounds.has(SchemaBounds::kMaxLength)) out.max_length = bounds.max_length;
  if (bounds.has(SchemaBounds::kMaxItems)) out.max_items = bounds.max_items;
  if (bounds.has(SchemaBounds::kMaxProperties)) out.max_properties = bounds.max_properties;
  if (checks.alternatives == nullptr) return;
  for (const SchemaNode& one : checks.alternatives->all_of) {
    out.all_of.push_back(SchemaForRules(one));
  }
}

}  // namespace

cel::Schema SchemaForRules(const SchemaNode& node) {
  cel::Schema out;
  out.type = NameOf(node.type);
  out.nullable = node.nullable();
  out.int_or_string = node.is(SchemaNode::kIntOrString);
  out.preserve_unknown_fields = node.is(SchemaNode::kPreserve);
  out.embedded_resource = node.is(SchemaNode::kEmbedded);
  out.list_type = NameOf(node.list_type);
  const auto keys = node.list_map_keys();
  out.list_map_keys.assign(keys.begin(), keys.end());
  out.has_default = node.default_value != nullptr;
  out.has_properties = !node.properties.empty();
  for (const SchemaProperty& property : node.properties) {
    out.properties.emplace(property.name, SchemaForRules(*property.schema));
  }
  if (node.items != nullptr) out.items = std::make_unique<cel::Schema>(SchemaForRules(*node.items));
  if (node.additional != nullptr) {
    out.additional_properties = std::make_unique<cel::Schema>(SchemaForRules(*node.additional));
  }
  for (const SchemaRule& rule : node.rules()) {
    out.validations.push_back({.rule = std::string(rule.rule),
                               .message = std::string(rule.message),
                               .message_expression = std::string(rule.message_expression),
                               .reason = std::string(rule.reason),
                               .field_path = std::string(rule.field_path),
                               .optional_old_self = rule.optional_old_self});
  }
  if (node.checks != nullptr) CopyChecks(*node.checks, out);
  return out;
}

std::unique_ptr<const cel::RuleNode> CompileRulesOf(const SchemaNode& root) {
  if (!root.is(SchemaNode::kRules)) return nullptr;
  return cel::CompileRules(SchemaForRules(root), true, cel::Environment::Base());
}

}  // namespace skiff::apiserver

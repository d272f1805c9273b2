#include "apiserver/extensions/schema/compiled_schema.h"

#include <algorithm>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/extensions/schema/prune.h"
#include "apiserver/validation/value_fields.h"
#include "base/limits.h"
#include "object/json/decode.h"

namespace skiff {
namespace {

SchemaType TypeNamed(std::string_view name) {
  if (name == "object") return SchemaType::kObject;
  if (name == "array") return SchemaType::kArray;
  if (name == "string") return SchemaType::kString;
  if (name == "integer") return SchemaType::kInteger;
  if (name == "number") return SchemaType::kNumber;
  if (name == "boolean") return SchemaType::kBoolean;
  return SchemaType::kAny;
}

ListType ListTypeNamed(std::string_view name) {
  if (name == "map") return ListType::kMap;
  if (name == "set") return ListType::kSet;
  return name == "atomic" ? ListType::kAtomic : ListType::kUnset;
}

MapType MapTypeNamed(std::string_view name) {
  if (name == "atomic") return MapType::kAtomic;
  return name == "granular" ? MapType::kGranular : MapType::kUnset;
}

// Numbers of a schema that is not typed may be written without a fraction, or with one.
bool ReadNumber(const Value* schema, std::string_view field, double* out) {
  const Value* value = FieldOf(schema, field);
  if (value == nullptr) return false;
  if (value->tag() == Tag::kDouble) {
    *out = value->AsDouble();
  } else if (value->tag() == Tag::kInt) {
    *out = static_cast<double>(value->AsInt());
  } else {
    return false;
  }
  return true;
}

bool ReadInteger(const Value* schema, std::string_view field, int64_t* out) {
  const Value* value = FieldOf(schema, field);
  if (value == nullptr || value->tag() != Tag::kInt) return false;
  *out = value->AsInt();
  return true;
}

}  // namespace

const SchemaNode* SchemaNode::FindProperty(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, {}, &SchemaProperty::name);
  return at != properties.end() && at->name == name ? at->schema : nullptr;
}

// Makes the nodes of one schema.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(CompiledSchema& out) : out_(out), arena_(out.arena_) {}

  Result<void> Run(const Value& schema) {
    SchemaNode* root = Allocate<SchemaNode>(1).data();
    Fill(schema, *root, 0);
    if (!problem_.empty()) return Fail(StatusReason::kInvalid, problem_);
    out_.root_ = root;
    PruneDefaults();
    return {};
  }

 private:
  template <typename T>
  std::span<T> Allocate(size_t count) {
    T* const at = arena_.AllocateArray<T>(count);
    for (size_t i = 0; i < count; ++i) new (at + i) T();
    if constexpr (std::is_same_v<T, SchemaNode>) out_.node_count_ += count;
    return {at, count};
  }

  // Names repeat themselves all over a schema.
  std::string_view Pooled(std::string_view text) {
    if (text.empty()) return {};
    const auto found = pool_.find(text);
    if (found != pool_.end()) return found->second;
    const std::string_view kept = arena_.Copy(text);
    pool_.emplace(kept, kept);
    return kept;
  }

  std::span<const std::string_view> Texts(const Value* schema, std::string_view field) {
    const Value* list = FieldOf(schema, field);
    if (list == nullptr || !list->is_list() || list->size() == 0) return {};
    const std::span<std::string_view> out = Allocate<std::string_view>(list->size());
    for (size_t i = 0; i < out.size(); ++i) {
      const Value& item = list->items()[i];
      if (item.is_string()) out[i] = Pooled(item.AsText());
    }
    return out;
  }

  // The value of a field that holds any JSON.
  Value Json(const Value& value) {
    if (value.tag() != Tag::kRawJson) return value.CopyInto(arena_);
    const Result<Document> document = DecodeJson(value.AsText(), nullptr);
    if (document) return document->root().CopyInto(arena_);
    problem_ = document.error().message();
    return {};
  }

  const SchemaNode* Below(const Value* schema, SchemaNode& parent, int depth) {
    if (schema == nullptr || (!schema->is_object() && !schema->is_map())) return nullptr;
    SchemaNode* node = Allocate<SchemaNode>(1).data();
    Fill(*schema, *node, depth + 1);
    Inherit(*node, parent);
    return node;
  }

  static void Inherit(const SchemaNode& child, SchemaNode& parent) {
    constexpr uint16_t kBelow = SchemaNode::kDefaults | SchemaNode::kResources |
                                SchemaNode::kKeyedLists | SchemaNode::kRules;
    parent.flags |= child.flags & kBelow;
  }

  void Fill(const Value& schema, SchemaNode& node, int depth) {
    if (depth > limits::kMaxDepth) problem_ = "the schema is nested too deeply";
    if (!problem_.empty()) return;
    FillTraits(schema, node);
    if (const Value* value = FieldOf(&schema, "default")) {
      const Value json = Json(*value);
      if (!json.is_null()) {
        node.default_value = new (arena_.AllocateArray<Value>(1)) Value(json);
        node.flags |= SchemaNode::kDefaults;
        defaults_.push_back(&node);
      }
    }
    FillProperties(schema, node, depth);
    node.items = Below(FieldOf(&schema, "items"), node, depth);
    if (const Value* additional = FieldOf(&schema, "additionalProperties")) {
      node.flags |= SchemaNode::kOpen;
      const bool is_closed = additional->tag() == Tag::kBool && !additional->AsBool();
      if (is_closed) node.flags |= SchemaNode::kClosed;
      node.additional = Below(additional, node, depth);
    }
    FillChecks(schema, node, depth);
    FillRules(schema, node);
  }

  void FillTraits(const Value& schema, SchemaNode& node) {
    node.type = TypeNamed(TextOf(&schema, "type"));
    if (IsSet(&schema, "x-kubernetes-int-or-string")) node.type = SchemaType::kIntOrString;
    if (IsSet(&schema, "nullable")) node.flags |= SchemaNode::kNullable;
    if (IsSet(&schema, "x-kubernetes-preserve-unknown-fields")) node.flags |= SchemaNode::kPreserve;
    if (IsSet(&schema, "x-kubernetes-embedded-resource")) {
      node.flags |= SchemaNode::kEmbedded | SchemaNode::kResources;
    }
    node.list_type = ListTypeNamed(TextOf(&schema, "x-kubernetes-list-type"));
    node.map_type = MapTypeNamed(TextOf(&schema, "x-kubernetes-map-type"));
    node.list_map_keys = Texts(&schema, "x-kubernetes-list-map-keys");
    if (node.list_type == ListType::kMap || node.list_type == ListType::kSet) {
      node.flags |= SchemaNode::kKeyedLists;
    }
  }

  void FillProperties(const Value& schema, SchemaNode& node, int depth) {
    const Value* properties = FieldOf(&schema, "properties");
    if (properties == nullptr || !properties->is_map() || properties->size() == 0) return;
    const auto named = Allocate<SchemaProperty>(properties->size());
    const auto nodes = Allocate<SchemaNode>(properties->size());
    for (size_t i = 0; i < named.size(); ++i) {
      const MapEntry& entry = properties->entries()[i];
      named[i] = {Pooled(entry.key), &nodes[i]};
      Fill(entry.value, nodes[i], depth + 1);
      Inherit(nodes[i], node);
    }
    node.properties = named;
  }

  std::span<const SchemaNode> Alternatives(const Value& schema, std::string_view field, int depth) {
    const Value* list = FieldOf(&schema, field);
    if (list == nullptr || !list->is_list() || list->size() == 0) return {};
    const auto nodes = Allocate<SchemaNode>(list->size());
    for (size_t i = 0; i < nodes.size(); ++i) Fill(list->items()[i], nodes[i], depth + 1);
    return nodes;
  }

  void FillChecks(const Value& schema, SchemaNode& node, int depth) {
    SchemaChecks checks;
    const Value* allowed = FieldOf(&schema, "enum");
    if (allowed != nullptr && allowed->is_list() && allowed->size() != 0) {
      const auto values = Allocate<Value>(allowed->size());
      for (size_t i = 0; i < values.size(); ++i) values[i] = Json(allowed->items()[i]);
      checks.allowed = values;
    }
    checks.required = Texts(&schema, "required");
    checks.all_of = Alternatives(schema, "allOf", depth);
    checks.any_of = Alternatives(schema, "anyOf", depth);
    checks.one_of = Alternatives(schema, "oneOf", depth);
    SchemaNode ignored;
    checks.negated = Below(FieldOf(&schema, "not"), ignored, depth);
    checks.pattern = Pooled(TextOf(&schema, "pattern"));
    checks.unique_items = IsSet(&schema, "uniqueItems");
    const std::string_view format = TextOf(&schema, "format");
    checks.format = FindFormat(format, node.type);
    if (checks.format != ValueFormat::kNone) checks.format_name = Pooled(format);
    FillNumbers(schema, checks);
    const bool asks = checks.asked != 0 || checks.unique_items || !checks.allowed.empty() ||
                      !checks.required.empty() || !checks.all_of.empty() ||
                      !checks.any_of.empty() || !checks.one_of.empty() ||
                      checks.negated != nullptr || !checks.pattern.empty() ||
                      checks.format != ValueFormat::kNone;
    if (asks) node.checks = new (arena_.AllocateArray<SchemaChecks>(1)) SchemaChecks(checks);
  }

  static void FillNumbers(const Value& schema, SchemaChecks& checks) {
    const auto number = [&](std::string_view field, uint16_t check, double* out) {
      if (ReadNumber(&schema, field, out)) checks.asked |= check;
    };
    const auto integer = [&](std::string_view field, uint16_t check, int64_t* out) {
      if (ReadInteger(&schema, field, out)) checks.asked |= check;
    };
    number("minimum", SchemaChecks::kMinimum, &checks.minimum);
    number("maximum", SchemaChecks::kMaximum, &checks.maximum);
    number("multipleOf", SchemaChecks::kMultipleOf, &checks.multiple_of);
    integer("minLength", SchemaChecks::kMinLength, &checks.min_length);
    integer("maxLength", SchemaChecks::kMaxLength, &checks.max_length);
    integer("minItems", SchemaChecks::kMinItems, &checks.min_items);
    integer("maxItems", SchemaChecks::kMaxItems, &checks.max_items);
    integer("minProperties", SchemaChecks::kMinProperties, &checks.min_properties);
    integer("maxProperties", SchemaChecks::kMaxProperties, &checks.max_properties);
    checks.exclusive_minimum = IsSet(&schema, "exclusiveMinimum");
    checks.exclusive_maximum = IsSet(&schema, "exclusiveMaximum");
  }

  void FillRules(const Value& schema, SchemaNode& node) {
    const Value* list = FieldOf(&schema, "x-kubernetes-validations");
    if (list == nullptr || !list->is_list() || list->size() == 0) return;
    const auto rules = Allocate<SchemaRule>(list->size());
    for (size_t i = 0; i < rules.size(); ++i) {
      const Value* from = &list->items()[i];
      rules[i] = {.rule = Pooled(TextOf(from, "rule")),
                  .message = Pooled(TextOf(from, "message")),
                  .message_expression = Pooled(TextOf(from, "messageExpression")),
                  .reason = Pooled(TextOf(from, "reason")),
                  .field_path = Pooled(TextOf(from, "fieldPath")),
                  .optional_old_self = IsSet(from, "optionalOldSelf")};
    }
    node.rules = rules;
    node.flags |= SchemaNode::kRules;
  }

  // What a default holds beyond the schema is not served. Definitions that came before this rule
  // may have such.
  void PruneDefaults() {
    for (SchemaNode* node : defaults_) {
      Value value = *node->default_value;
      PruneUnknownFields(*node, node->is(SchemaNode::kEmbedded), value, arena_, nullptr);
      node->default_value = new (arena_.AllocateArray<Value>(1)) Value(value);
    }
  }

  CompiledSchema& out_;
  Arena& arena_;
  std::unordered_map<std::string_view, std::string_view> pool_;
  std::vector<SchemaNode*> defaults_;
  std::string problem_;
};

Result<std::shared_ptr<const CompiledSchema>> CompiledSchema::Compile(
    const Value& schema, std::shared_ptr<PatternCache> patterns) {
  const std::shared_ptr<CompiledSchema> out(new CompiledSchema());
  out->patterns_ = std::move(patterns);
  SKIFF_RETURN_IF_ERROR(SchemaCompiler(*out).Run(schema));
  return out;
}

}  // namespace skiff

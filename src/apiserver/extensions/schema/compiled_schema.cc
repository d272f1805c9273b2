#include "apiserver/extensions/schema/compiled_schema.h"

#include <algorithm>
#include <new>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/extensions/schema/compiled_rules.h"
#include "apiserver/extensions/schema/embedded.h"
#include "apiserver/extensions/schema/prune.h"
#include "apiserver/validation/value_fields.h"
#include "base/limits.h"
#include "object/equal.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
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

object::ListType ListTypeNamed(std::string_view name) {
  if (name == "map") return object::ListType::kMap;
  if (name == "set") return object::ListType::kSet;
  return name == "atomic" ? object::ListType::kAtomic : object::ListType::kUnset;
}

object::MapType MapTypeNamed(std::string_view name) {
  if (name == "atomic") return object::MapType::kAtomic;
  return name == "granular" ? object::MapType::kGranular : object::MapType::kUnset;
}

// Numbers of a schema that is not typed may be written without a fraction, or with one.
bool ReadNumber(const object::Value* schema, std::string_view field, double* out) {
  const object::Value* value = FieldOf(schema, field);
  if (value == nullptr) return false;
  if (value->tag() == object::Tag::kDouble) {
    *out = value->AsDouble();
  } else if (value->tag() == object::Tag::kInt) {
    *out = static_cast<double>(value->AsInt());
  } else {
    return false;
  }
  return true;
}

bool ReadInteger(const object::Value* schema, std::string_view field, int64_t* out) {
  const object::Value* value = FieldOf(schema, field);
  if (value == nullptr || value->tag() != object::Tag::kInt) return false;
  *out = value->AsInt();
  return true;
}

}  // namespace

const SchemaNode* SchemaNode::FindProperty(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, {}, &SchemaProperty::name);
  return at != properties.end() && at->name == name ? at->schema : nullptr;
}

SchemaBounds SchemaChecks::Bounds() const {
  SchemaBounds out;
  for (const SchemaBound& bound : bounds) {
    out.asked |= bound.which;
    switch (bound.which) {
      case SchemaBounds::kMinimum:
        out.minimum = bound.number;
        out.exclusive_minimum = bound.exclusive;
        break;
      case SchemaBounds::kMaximum:
        out.maximum = bound.number;
        out.exclusive_maximum = bound.exclusive;
        break;
      case SchemaBounds::kMultipleOf:
        out.multiple_of = bound.number;
        break;
      case SchemaBounds::kMinLength:
        out.min_length = bound.size;
        break;
      case SchemaBounds::kMaxLength:
        out.max_length = bound.size;
        break;
      case SchemaBounds::kMinItems:
        out.min_items = bound.size;
        break;
      case SchemaBounds::kMaxItems:
        out.max_items = bound.size;
        break;
      case SchemaBounds::kMinProperties:
        out.min_properties = bound.size;
        break;
      case SchemaBounds::kMaxProperties:
        out.max_properties = bound.size;
        break;
    }
  }
  return out;
}

// What a part of a schema is made of, as bytes: parts with the same key are the same.
class PartKey {
 public:
  explicit PartKey(char kind) : bytes_(1, kind) {}

  template <typename T>
  requires std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> ||
      std::is_same_v<T, std::string_view> || std::is_same_v<T, SchemaProperty>
          PartKey& Add(const T& part) {
    bytes_.append(reinterpret_cast<const char*>(&part), sizeof(part));
    return *this;
  }
  PartKey& AddText(std::string_view text) {
    Add(text.size());
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Makes the nodes of one schema.
class SchemaCompiler {
 public:
  SchemaCompiler(CompiledSchema& out, CompiledSchema::Defaults defaults)
      : out_(out),
        arena_(out.arena_),
        as_written_(defaults == CompiledSchema::Defaults::kAsWritten) {}

  Result<void> Run(const object::Value& schema) {
    SchemaNode root;
    Fill(schema, root, 0);
    if (!problem_.empty()) return Fail(StatusReason::kInvalid, problem_);
    out_.root_ = Kept(root);
    if (!as_written_) PruneDefaults();
    return {};
  }

 private:
  template <typename T>
  std::span<T> Allocate(size_t count) {
    T* const at = arena_.AllocateArray<T>(count);
    for (size_t i = 0; i < count; ++i) new (at + i) T{};
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

  std::span<const std::string_view> Texts(const object::Value* schema, std::string_view field) {
    const object::Value* list = FieldOf(schema, field);
    if (list == nullptr || !list->is_list() || list->size() == 0) return {};
    std::vector<std::string_view> out;
    for (const object::Value& item : list->items()) {
      if (item.is_string()) out.push_back(Pooled(item.AsText()));
    }
    return SharedList('t', out);
  }

  // The same for the same texts.
  const object::Value* SharedJson(char kind, std::span<const object::Value> values) {
    PartKey key(kind);
    for (const object::Value& value : values) key.AddText(object::EncodeJson(value));
    const auto [at, is_new] = shared_.try_emplace(key.bytes(), nullptr);
    if (is_new) {
      const std::span<object::Value> out = Allocate<object::Value>(values.size());
      for (size_t i = 0; i < out.size(); ++i) out[i] = Json(values[i]);
      at->second = out.data();
    }
    return static_cast<const object::Value*>(at->second);
  }

  // The value of a field that holds any JSON.
  object::Value Json(const object::Value& value) {
    if (value.tag() != object::Tag::kRawJson) return value.CopyInto(arena_);
    const Result<object::Document> document = object::DecodeJson(value.AsText(), nullptr);
    if (document) return document->root().CopyInto(arena_);
    problem_ = document.error().message();
    return {};
  }

  const SchemaNode* Below(const object::Value* schema, SchemaNode& parent, int depth) {
    if (schema == nullptr || (!schema->is_object() && !schema->is_map())) return nullptr;
    SchemaNode node;
    Fill(*schema, node, depth + 1);
    Inherit(node, parent);
    return Kept(node);
  }

  // Schemas repeat themselves: of nodes that say the same there is one for all.
  const SchemaNode* Kept(const SchemaNode& node) {
    ++out_.node_count_;
    PartKey key('n');
    key.Add(node.properties.data()).Add(node.properties.size()).Add(node.items);
    key.Add(node.additional).Add(node.checks).Add(node.default_value).Add(node.extras);
    key.Add(node.flags).Add(node.type).Add(node.list_type).Add(node.map_type);
    const size_t before = shared_.size();
    SchemaNode* const kept = Shared(key, node);
    const bool is_new = shared_.size() != before;
    if (is_new && node.default_value != nullptr) defaults_.push_back(kept);
    return kept;
  }

  template <typename T>
  T* Shared(const PartKey& key, const T& made) {
    const auto [at, is_new] = shared_.try_emplace(key.bytes(), nullptr);
    if (is_new) at->second = Keep(made);
    return static_cast<T*>(at->second);
  }
  template <typename T>
  std::span<const T> SharedList(char kind, const std::vector<T>& made) {
    PartKey key(kind);
    for (const T& each : made) key.Add(each);
    return SharedList(key, made);
  }
  template <typename T>
  std::span<const T> SharedList(const PartKey& key, const std::vector<T>& made) {
    const auto [at, is_new] = shared_.try_emplace(key.bytes(), nullptr);
    if (is_new) {
      const std::span<T> list = Allocate<T>(made.size());
      std::ranges::copy(made, list.begin());
      at->second = list.data();
    }
    return {static_cast<const T*>(at->second), made.size()};
  }

  static void Inherit(const SchemaNode& child, SchemaNode& parent) {
    constexpr uint16_t kBelow = SchemaNode::kDefaults | SchemaNode::kResources |
                                SchemaNode::kKeyedLists | SchemaNode::kRules;
    parent.flags |= child.flags & kBelow;
  }

  void Fill(const object::Value& schema, SchemaNode& node, int depth) {
    if (depth > limits::kMaxDepth) problem_ = "the schema is nested too deeply";
    if (!problem_.empty()) return;
    FillTraits(schema, node);
    if (const object::Value* value = FieldOf(&schema, "default")) {
      node.default_value = SharedJson('d', {value, 1});
      if (node.default_value->is_null()) node.default_value = nullptr;
      if (node.default_value != nullptr) node.flags |= SchemaNode::kDefaults;
    }
    FillProperties(schema, node, depth);
    node.items = Below(FieldOf(&schema, "items"), node, depth);
    if (const object::Value* additional = FieldOf(&schema, "additionalProperties")) {
      node.flags |= SchemaNode::kOpen;
      const bool is_closed = additional->tag() == object::Tag::kBool && !additional->AsBool();
      if (is_closed) node.flags |= SchemaNode::kClosed;
      node.additional = Below(additional, node, depth);
    }
    FillChecks(schema, node, depth);
    FillExtras(schema, node);
  }

  void FillTraits(const object::Value& schema, SchemaNode& node) {
    node.type = TypeNamed(TextOf(&schema, "type"));
    if (IsSet(&schema, "x-kubernetes-int-or-string")) {
      node.flags |= SchemaNode::kIntOrString;
      // Of defaults, Kubernetes does not ask this.
      if (!as_written_) node.type = SchemaType::kIntOrString;
    }
    if (IsSet(&schema, "nullable")) node.flags |= SchemaNode::kNullable;
    if (IsSet(&schema, "x-kubernetes-preserve-unknown-fields")) node.flags |= SchemaNode::kPreserve;
    if (IsSet(&schema, "x-kubernetes-embedded-resource")) {
      node.flags |= SchemaNode::kEmbedded | SchemaNode::kResources;
    }
    node.list_type = ListTypeNamed(TextOf(&schema, "x-kubernetes-list-type"));
    node.map_type = MapTypeNamed(TextOf(&schema, "x-kubernetes-map-type"));
    if (node.list_type == object::ListType::kMap || node.list_type == object::ListType::kSet) {
      node.flags |= SchemaNode::kKeyedLists;
    }
  }

  void FillProperties(const object::Value& schema, SchemaNode& node, int depth) {
    const object::Value* properties = FieldOf(&schema, "properties");
    if (properties == nullptr || !properties->is_map() || properties->size() == 0) return;
    std::vector<SchemaProperty> named;
    named.reserve(properties->size());
    for (const object::MapEntry& entry : properties->entries()) {
      SchemaNode property;
      Fill(entry.value, property, depth + 1);
      Inherit(property, node);
      named.push_back({Pooled(entry.key), Kept(property)});
    }
    node.properties = SharedList('p', named);
  }

  std::span<const SchemaNode> Alternatives(const object::Value& schema, std::string_view field,
                                           int depth) {
    const object::Value* list = FieldOf(&schema, field);
    if (list == nullptr || !list->is_list() || list->size() == 0) return {};
    const auto nodes = Allocate<SchemaNode>(list->size());
    out_.node_count_ += nodes.size();
    for (size_t i = 0; i < nodes.size(); ++i) Fill(list->items()[i], nodes[i], depth + 1);
    return nodes;
  }

  void FillChecks(const object::Value& schema, SchemaNode& node, int depth) {
    SchemaChecks checks;
    const object::Value* allowed = FieldOf(&schema, "enum");
    if (allowed != nullptr && allowed->is_list() && allowed->size() != 0) {
      checks.allowed = {SharedJson('e', allowed->items()), allowed->size()};
    }
    checks.required = Texts(&schema, "required");
    checks.pattern = Pooled(TextOf(&schema, "pattern"));
    checks.unique_items = IsSet(&schema, "uniqueItems");
    const std::string_view format = TextOf(&schema, "format");
    checks.format = FindFormat(format, node.type);
    // Nor does it pass over formats of defaults that are unknown, or of another type.
    if (as_written_ && checks.format == ValueFormat::kNone) {
      checks.format = FindFormat(format, SchemaType::kAny);
    }
    if (checks.format != ValueFormat::kNone || as_written_) checks.format_name = Pooled(format);
    checks.bounds = BoundsOf(schema);
    checks.alternatives = AlternativesOf(schema, depth);
    const bool asks = !checks.bounds.empty() || checks.alternatives != nullptr ||
                      checks.unique_items || !checks.allowed.empty() || !checks.required.empty() ||
                      !checks.pattern.empty() || !checks.format_name.empty();
    if (asks) node.checks = Shared(KeyOf(checks), checks);
  }

  static PartKey KeyOf(const SchemaChecks& checks) {
    PartKey key('c');
    key.Add(checks.allowed.data()).Add(checks.allowed.size());
    key.Add(checks.required.data()).Add(checks.required.size());
    key.Add(checks.pattern.data()).Add(checks.format_name.data());
    key.Add(checks.bounds.data()).Add(checks.bounds.size());
    return key.Add(checks.alternatives).Add(checks.format).Add(checks.unique_items);
  }

  template <typename T>
  T* Keep(const T& made) {
    return new (arena_.AllocateArray<T>(1)) T(made);
  }

  const SchemaAlternatives* AlternativesOf(const object::Value& schema, int depth) {
    SchemaAlternatives out;
    out.all_of = Alternatives(schema, "allOf", depth);
    out.any_of = Alternatives(schema, "anyOf", depth);
    out.one_of = Alternatives(schema, "oneOf", depth);
    SchemaNode ignored;
    out.negated = Below(FieldOf(&schema, "not"), ignored, depth);
    const bool has_any =
        !out.all_of.empty() || !out.any_of.empty() || !out.one_of.empty() || out.negated != nullptr;
    return has_any ? Keep(out) : nullptr;
  }

  std::span<const SchemaBound> BoundsOf(const object::Value& schema) {
    std::vector<SchemaBound> out;
    PartKey key('b');
    const auto add = [&](SchemaBound bound) {
      key.Add(bound.size).Add(bound.which).Add(bound.exclusive);
      out.push_back(bound);
    };
    const auto number = [&](std::string_view field, uint16_t which, bool exclusive) {
      double value = 0;
      if (ReadNumber(&schema, field, &value)) {
        add({.number = value, .which = which, .exclusive = exclusive});
      }
    };
    const auto size = [&](std::string_view field, uint16_t which) {
      int64_t value = 0;
      if (ReadInteger(&schema, field, &value)) {
        add({.size = value, .which = which, .exclusive = false});
      }
    };
    number("minimum", SchemaBounds::kMinimum, IsSet(&schema, "exclusiveMinimum"));
    number("maximum", SchemaBounds::kMaximum, IsSet(&schema, "exclusiveMaximum"));
    number("multipleOf", SchemaBounds::kMultipleOf, false);
    size("minLength", SchemaBounds::kMinLength);
    size("maxLength", SchemaBounds::kMaxLength);
    size("minItems", SchemaBounds::kMinItems);
    size("maxItems", SchemaBounds::kMaxItems);
    size("minProperties", SchemaBounds::kMinProperties);
    size("maxProperties", SchemaBounds::kMaxProperties);
    return out.empty() ? std::span<const SchemaBound>() : SharedList(key, out);
  }

  void FillExtras(const object::Value& schema, SchemaNode& node) {
    SchemaExtras extras;
    extras.list_map_keys = Texts(&schema, "x-kubernetes-list-map-keys");
    extras.rules = RulesOf(schema);
    if (!extras.rules.empty()) node.flags |= SchemaNode::kRules;
    if (!extras.rules.empty() || !extras.list_map_keys.empty()) node.extras = Keep(extras);
  }

  std::span<const SchemaRule> RulesOf(const object::Value& schema) {
    const object::Value* list = FieldOf(&schema, "x-kubernetes-validations");
    if (list == nullptr || !list->is_list() || list->size() == 0) return {};
    const auto rules = Allocate<SchemaRule>(list->size());
    for (size_t i = 0; i < rules.size(); ++i) {
      const object::Value* from = &list->items()[i];
      rules[i] = {.rule = Pooled(TextOf(from, "rule")),
                  .message = Pooled(TextOf(from, "message")),
                  .message_expression = Pooled(TextOf(from, "messageExpression")),
                  .reason = Pooled(TextOf(from, "reason")),
                  .field_path = Pooled(TextOf(from, "fieldPath")),
                  .optional_old_self = IsSet(from, "optionalOldSelf")};
    }
    return rules;
  }

  // What a default holds beyond the schema is not served. Definitions that came before this rule
  // may have such.
  void PruneDefaults() {
    for (SchemaNode* node : defaults_) {
      Arena scratch;
      object::Value value = node->default_value->CopyInto(scratch);
      // Metadata is mended: of what is stored nothing is refused.
      (void)CoerceEmbedded(*node, false, value, scratch, {.drop_invalid = true});
      PruneUnknownFields(*node, node->is(SchemaNode::kEmbedded), value, scratch, nullptr);
      if (!object::Identical(value, *node->default_value)) {
        node->default_value = Keep(value.CopyInto(arena_));
      }
    }
  }

  CompiledSchema& out_;
  Arena& arena_;
  const bool as_written_;
  std::unordered_map<std::string_view, std::string_view> pool_;
  // Parts by what they are made of.
  std::unordered_map<std::string, void*> shared_;
  std::vector<SchemaNode*> defaults_;
  std::string problem_;
};

CompiledSchema::CompiledSchema() : arena_(kBlockBytes, kBlockBytes) {}
CompiledSchema::~CompiledSchema() = default;

const cel::RuleNode* CompiledSchema::rules() const {
  std::call_once(rules_once_, [this] { rules_ = CompileRulesOf(*root_); });
  return rules_.get();
}

Result<std::shared_ptr<const CompiledSchema>> CompiledSchema::Compile(
    const object::Value& schema, std::shared_ptr<PatternCache> patterns, Defaults defaults) {
  const std::shared_ptr<CompiledSchema> out(new CompiledSchema());
  out->patterns_ = std::move(patterns);
  SKIFF_RETURN_IF_ERROR(SchemaCompiler(*out, defaults).Run(schema));
  return out;
}

}  // namespace skiff::apiserver

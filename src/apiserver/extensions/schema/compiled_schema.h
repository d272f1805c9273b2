// The structural schema of a version of a custom resource, in the form that pruning, defaulting,
// validation and server-side apply walk: a tree of nodes, made once of the JSONSchemaProps of a
// definition that has been found valid.
//
// A node says two things of a value: what it may hold (properties, items and additionalProperties,
// which lead to nodes again) and what is asked of it (checks). The nodes of allOf, anyOf, oneOf and
// not hang from the checks; they only ask. Everything, texts included, lies in one arena: 24 bytes
// for a property, 64 for a node and about as much for what it asks. Parts that say the same are
// there once, and what is written for people is left out.
//
// A CompiledSchema is immutable and shared; any thread may read it. Its rules in CEL are compiled
// when the first object needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "apiserver/extensions/schema/formats.h"
#include "apiserver/extensions/schema/pattern_cache.h"
#include "base/arena.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/value.h"

namespace skiff::cel {
struct RuleNode;
}  // namespace skiff::cel

namespace skiff::apiserver {

enum class SchemaType : uint8_t {
  kAny,  // none is said
  kObject,
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
  kIntOrString,
};

struct SchemaNode;

struct SchemaProperty {
  std::string_view name;
  const SchemaNode* schema;
};

// One of x-kubernetes-validations, as it is written.
struct SchemaRule {
  std::string_view rule;
  std::string_view message;
  std::string_view message_expression;
  std::string_view reason;
  std::string_view field_path;
  bool optional_old_self = false;
};

// allOf and the like.
struct SchemaAlternatives {
  std::span<const SchemaNode> all_of = {};
  std::span<const SchemaNode> any_of = {};
  std::span<const SchemaNode> one_of = {};
  const SchemaNode* negated = nullptr;
};

// Bounds of numbers and sizes.
struct SchemaBounds {
  // Which of them are asked for.
  static constexpr uint16_t kMinimum = 1;
  static constexpr uint16_t kMaximum = 2;
  static constexpr uint16_t kMultipleOf = 4;
  static constexpr uint16_t kMinLength = 8;
  static constexpr uint16_t kMaxLength = 16;
  static constexpr uint16_t kMinItems = 32;
  static constexpr uint16_t kMaxItems = 64;
  static constexpr uint16_t kMinProperties = 128;
  static constexpr uint16_t kMaxProperties = 256;

  bool has(uint16_t bound) const { return (asked & bound) != 0; }

  double minimum = 0;
  double maximum = 0;
  double multiple_of = 0;
  int64_t min_length = 0;
  int64_t max_length = 0;
  int64_t min_items = 0;
  int64_t max_items = 0;
  int64_t min_properties = 0;
  int64_t max_properties = 0;
  uint16_t asked = 0;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
};

// One of them, as it is kept.
struct SchemaBound {
  union {
    double number;  // of minimum, maximum and multipleOf
    int64_t size;   // of the others
  };
  uint16_t which;
  bool exclusive;
};

struct SchemaChecks {
  SchemaBounds Bounds() const;

  std::span<const object::Value> allowed = {};  // enum
  std::span<const std::string_view> required = {};
  std::string_view pattern = {};
  std::string_view format_name = {};  // as it is written; empty when it is none that is known
  std::span<const SchemaBound> bounds = {};
  const SchemaAlternatives* alternatives = nullptr;  // null when there are none
  ValueFormat format = ValueFormat::kNone;
  bool unique_items = false;
};

// What few nodes have.
struct SchemaExtras {
  std::span<const SchemaRule> rules = {};
  std::span<const std::string_view> list_map_keys = {};
};

struct SchemaNode {
  static constexpr uint16_t kNullable = 1;
  static constexpr uint16_t kPreserve = 2;   // x-kubernetes-preserve-unknown-fields
  static constexpr uint16_t kEmbedded = 4;   // x-kubernetes-embedded-resource
  static constexpr uint16_t kOpen = 8;       // has additionalProperties, as a schema or a boolean
  static constexpr uint16_t kClosed = 16;    // additionalProperties: false
  static constexpr uint16_t kDefaults = 32;  // these are about the node and all below it
  static constexpr uint16_t kResources = 64;
  static constexpr uint16_t kKeyedLists = 128;  // of type set or map
  static constexpr uint16_t kRules = 256;
  // About the node alone: x-kubernetes-int-or-string, whatever the type is.
  static constexpr uint16_t kIntOrString = 512;

  bool is(uint16_t flag) const { return (flags & flag) != 0; }
  bool nullable() const { return is(kNullable); }
  std::span<const SchemaRule> rules() const {
    return extras != nullptr ? extras->rules : std::span<const SchemaRule>();
  }
  std::span<const std::string_view> list_map_keys() const {
    return extras != nullptr ? extras->list_map_keys : std::span<const std::string_view>();
  }
  // Null when there is no such property.
  const SchemaNode* FindProperty(std::string_view name) const;
  // Of the property, or else of additionalProperties; null when neither describes the field.
  const SchemaNode* FindField(std::string_view name) const {
    const SchemaNode* property = FindProperty(name);
    return property != nullptr ? property : additional;
  }

  std::span<const SchemaProperty> properties = {};  // ascending by name
  const SchemaNode* items = nullptr;
  const SchemaNode* additional = nullptr;
  const SchemaChecks* checks = nullptr;  // null when nothing is asked beyond the type
  const object::Value* default_value = nullptr;
  const SchemaExtras* extras = nullptr;
  uint16_t flags = 0;
  SchemaType type = SchemaType::kAny;
  object::ListType list_type = object::ListType::kUnset;
  object::MapType map_type = object::MapType::kUnset;
};
static_assert(sizeof(SchemaNode) == 64);

class CompiledSchema {
 public:
  // Whether defaults lose what the schema does not describe, as they must to be served, or stay as
  // they are written, to be validated.
  enum class Defaults : uint8_t { kPruned, kAsWritten };

  // `schema` is a JSONSchemaProps, typed or not; it is not needed afterwards. Fails on defaults
  // and enumerations that are no JSON, and on nesting beyond limits::kMaxDepth.
  static Result<std::shared_ptr<const CompiledSchema>> Compile(
      const object::Value& schema, std::shared_ptr<PatternCache> patterns,
      Defaults defaults = Defaults::kPruned);

  const SchemaNode& root() const { return *root_; }
  PatternCache& patterns() const { return *patterns_; }
  // The memory that it takes, apart from compiled patterns and rules.
  size_t BytesReserved() const { return sizeof(*this) + arena_.BytesReserved(); }
  size_t node_count() const { return node_count_; }
  // Compiled when they are first asked for. Null when there are none.
  const cel::RuleNode* rules() const;
  ~CompiledSchema();

 private:
  friend class SchemaCompiler;
  CompiledSchema();

  static constexpr size_t kBlockBytes = 4096;

  Arena arena_;
  std::shared_ptr<PatternCache> patterns_;
  const SchemaNode* root_ = nullptr;
  size_t node_count_ = 0;
  mutable std::once_flag rules_once_;
  mutable std::unique_ptr<const cel::RuleNode> rules_;
};

}  // namespace skiff::apiserver

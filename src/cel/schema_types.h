// Types from OpenAPI structural schemas: what expressions see of an object of that schema, how its
// JSON is read, and how large it can be.
//
// Whoever has schemas (definitions, OpenAPI) fills a Schema, or reads it from JSON with
// ReadSchema(). SchemaTypes makes of it what evaluation reads documents by, and DeclareType() what
// the checker sees of that, with names escaped.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/arena.h"
#include "cel/types.h"
#include "object/value.h"

namespace skiff::cel {

// One of x-kubernetes-validations.
struct ValidationRule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;
  std::string field_path;
  bool optional_old_self = false;
};

// The parts of a structural schema that CEL looks at.
struct Schema {
  std::string type;  // "object", "array", …; empty: none
  std::string format;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  std::string list_type;  // "", "atomic", "set", "map"
  std::vector<std::string> list_map_keys;
  std::map<std::string, Schema> properties;
  bool has_properties = false;
  std::vector<std::string> required;
  std::unique_ptr<Schema> items;
  std::unique_ptr<Schema> additional_properties;  // as a schema
  bool has_default = false;
  std::optional<int64_t> max_length;
  std::optional<int64_t> max_items;
  std::optional<int64_t> max_properties;
  std::vector<std::string> string_enum;  // those values of `enum` that are strings
  bool has_enum = false;
  std::vector<ValidationRule> validations;
  std::string map_type;  // "", "granular", "atomic"
  std::vector<Schema> all_of;
};

// From the JSON of a schema. What CEL does not look at is skipped.
Schema ReadSchema(const object::Value& json);

// How a value of a document is read, and how large it can be.
struct SchemaType {
  enum class Read : uint8_t {
    kObject,
    kMap,
    kList,
    kString,
    kBytes,
    kDuration,
    kDate,
    kDateTime,
    kBool,
    kInt,
    kDouble,
    kIntOrString,
    kPreserved,  // seen by == alone
    kInvalid,
  };
  enum class ListType : uint8_t { kAtomic, kSet, kMap };
  struct Property {
    std::string_view name;     // in JSON
    std::string_view escaped;  // empty: cannot be named, and is there for == alone
    const SchemaType* type;
    bool is_added = false;  // every resource has it, whatever its schema says
  };

  const Property* FindProperty(std::string_view name) const;
  // By the name that expressions use.
  const Property* Find(std::string_view identifier) const;

  Read read = Read::kInvalid;
  ListType list_type = ListType::kAtomic;
  bool nullable = false;
  bool has_properties = false;        // names are escaped
  bool is_visible = false;            // the checker sees it
  const SchemaType* items = nullptr;  // of a list or map
  std::span<const std::string_view> list_keys;
  std::span<const Property> properties;  // ascending by name
  int64_t max_elements = 0;              // of strings, bytes, lists, maps; bytes of JSON
  int64_t min_serialized = 0;            // bytes of JSON
};

// Owns what it declares.
class SchemaTypes {
 public:
  // `root`: a resource, which has apiVersion, kind and metadata.
  const SchemaType* Declare(const Schema& schema, bool root);

 private:
  std::string_view Pooled(std::string_view text);
  void MakeList(const Schema& schema, SchemaType& out);
  void MakeObject(const Schema& schema, bool root, SchemaType& out);
  SchemaType::Property MakeProperty(std::string_view name, const Schema& schema);
  SchemaType::Property MetadataProperty();

  Arena arena_;
  std::unordered_set<std::string_view> texts_;
};

// The type that the checker sees, called `name`; objects in it are called after it. Null: it sees
// none. Fields are declared when the checker asks for them, so only one thread at a time may
// compile with it; the schema and `types` must live as long as the type.
const Type* DeclareType(const SchemaType& schema, std::string_view name, Types& types);

}  // namespace skiff::cel

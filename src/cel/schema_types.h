// Types from OpenAPI structural schemas: what expressions see of an object of that schema, how its
// JSON is read, and how large it can be.
//
// The struct is small on purpose: whoever has schemas (CRDs, openapi) fills it, or reads it from
// JSON with ReadSchema(). DeclareSchema() makes a type of it, with names escaped.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
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

// How a value of a document is read.
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

  Read read = Read::kInvalid;
  bool nullable = false;
  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_keys;
  const SchemaType* items = nullptr;  // of a list or map; null: not visible
  // By the name in JSON. A property that cannot be named is here too, for ==.
  struct Property {
    std::string escaped;  // empty: cannot be named
    const SchemaType* type;
  };
  std::map<std::string, Property, std::less<>> properties;
  bool has_properties = false;  // names are escaped

  // What the checker sees; null: nothing.
  const Type* type = nullptr;
  int64_t max_elements = 0;    // of strings, bytes, lists, maps; bytes of JSON
  int64_t min_serialized = 0;  // bytes of JSON

  // By the name that expressions use.
  const Property* Find(std::string_view escaped) const;
};

// Owns what it declares.
class SchemaTypes {
 public:
  // `root`: a resource, which has apiVersion, kind and metadata. The name is that of the type of
  // the whole; nested objects are called after it.
  const SchemaType* Declare(const Schema& schema, bool root, std::string_view name, Types& types);

 private:
  SchemaType& New() { return types_.emplace_back(); }
  const SchemaType* Make(const Schema& schema, bool root, const std::string& name, Types& types);
  void MakeObject(const Schema& schema, bool root, const std::string& name, Types& types,
                  SchemaType& out);
  void MakeString(const Schema& schema, SchemaType& out);

  std::deque<SchemaType> types_;
};

}  // namespace skiff::cel

#include "apiserver/registry/apiextensions/structural_schema.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/registry/apiextensions/schema_tree.h"
#include "base/limits.h"
#include "cel/values/regex_syntax.h"

namespace skiff::apiserver {
namespace {

enum class Level : uint8_t { kRoot, kItem, kField };

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";

// What no error would show is left out of a path, which is made for every part of a schema.
std::string Extended(const std::string& path, std::string_view more) {
  if (path.size() > limits::kMaxCauseFieldBytes) return path;
  return path + std::string(more.substr(0, limits::kMaxCauseFieldBytes));
}
std::string Child(const std::string& path, std::string_view name) {
  return Extended(Extended(path, "."), name);
}
std::string Child(const std::string& path, std::string_view name, size_t index) {
  return Extended(Child(path, name), "[" + std::to_string(index) + "]");
}
std::string Property(const std::string& path, std::string_view name) {
  return Extended(Extended(Extended(path, ".properties["), name), "]");
}

class Checker {
 public:
  void Check(const object::Value* schema, const std::string& path) {
    CheckLevel(schema, Level::kRoot, path);
    CheckCompleteness(schema, schema, path, path);
  }

  void Report(FieldErrors& errors) {
    std::ranges::sort(faults_, {}, [](const Fault& fault) { return fault.Key(); });
    for (const Fault& fault : faults_) {
      if (fault.kind == Kind::kRequired) {
        errors.Required(fault.field, fault.why);
      } else if (fault.kind == Kind::kForbidden) {
        errors.Forbidden(fault.field, fault.why);
      } else {
        errors.Invalid(fault.field, fault.value, fault.why);
      }
    }
    errors.LeaveOut(left_out_);
  }

 private:
  enum class Kind : uint8_t { kForbidden, kInvalid, kRequired };
  struct Fault {
    Kind kind;
    std::string field;
    std::string why;
    ShownValue value;
    std::string Key() const { return field + ": " + std::to_string(static_cast<int>(kind)) + why; }
  };

  void Add(Kind kind, std::string field, std::string why, const ShownValue& value = "") {
    if (faults_.size() == limits::kMaxStatusCauses) {
      ++left_out_;
    } else {
      faults_.push_back({kind, std::move(field), std::move(why), value});
    }
  }

  void CheckLevel(const object::Value* schema, Level level, const std::string& path) {
    if (schema == nullptr) return;
    const object::Value* items = SchemaOf(schema, "items");
    if (TextOf(schema, "type") == "array" && items == nullptr) {
      Add(Kind::kRequired, Child(path, "items"), "must be specified");
    }
    CheckLevel(items, Level::kItem, Child(path, "items"));
    for (const auto entry : object::MapView<const object::Value*>(FieldOf(schema, "properties"))) {
      CheckLevel(entry.value, Level::kField, Property(path, entry.key));
    }
    if (FieldOf(schema, "additionalProperties") != nullptr) {
      const std::string additional = Child(path, "additionalProperties");
      if (level == Level::kRoot) Add(Kind::kForbidden, additional, "must not be used at the root");
      CheckLevel(SchemaOf(schema, "additionalProperties"), Level::kField, additional);
    }
    CheckExtensions(schema, path);
    CheckValueValidation(schema, IsIntOrStringPattern(FieldOf(schema, "anyOf")),
                         HasIntOrStringFirst(schema), path);
    CheckType(schema, level, path);
    CheckMetadata(schema, level, path);
  }

  void CheckExtensions(const object::Value* schema, const std::string& path) {
    if (!IsSet(schema, kIntOrString)) return;
    for (const std::string_view other : {kPreserve, kEmbedded}) {
      if (!IsSet(schema, other)) continue;
      Add(Kind::kInvalid, Child(path, other), "must be false if x-kubernetes-int-or-string is true",
          true);
    }
  }

  void CheckType(const object::Value* schema, Level level, const std::string& path) {
    const std::string_view type = TextOf(schema, "type");
    const bool embedded = IsSet(schema, kEmbedded);
    if (embedded && type != "object") {
      Add(type.empty() ? Kind::kRequired : Kind::kInvalid, Child(path, "type"),
          "must be object if x-kubernetes-embedded-resource is true", type);
    } else if (type.empty() && !IsSet(schema, kIntOrString) && !IsSet(schema, kPreserve)) {
      constexpr std::string_view kWhy[] = {"must not be empty at the root",
                                           "must not be empty for specified array items",
                                           "must not be empty for specified object fields"};
      Add(Kind::kRequired, Child(path, "type"), std::string(kWhy[static_cast<size_t>(level)]));
    }
    if (embedded && FieldOf(schema, "additionalProperties") != nullptr) {
      Add(Kind::kForbidden, Child(path, "additionalProperties"),
          "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      Add(Kind::kInvalid, Child(path, "type"), "must be object at the root", type);
    }
  }

  void CheckMetadata(const object::Value* schema, Level level, const std::string& path) {
    const bool is_object = level == Level::kRoot || IsSet(schema, kEmbedded);
    const auto check_type = [&](std::string_view name, std::string_view wanted) {
      const object::Value* property = PropertyOf(schema, name);
      if (property == nullptr || !is_object || TextOf(property, "type") == wanted) return;
      Add(Kind::kInvalid, Property(path, name) + ".type", "must be " + std::string(wanted),
          TextOf(property, "type"));
    };
    check_type("kind", "string");
    check_type("apiVersion", "string");
    check_type("metadata", "object");
    const object::Value* metadata = PropertyOf(schema, "metadata");
    if (level == Level::kRoot && metadata != nullptr && SaysMoreThanNames(*metadata)) {
      Add(Kind::kForbidden, Property(path, "metadata"),
          "must not specify anything other than name and generateName, but metadata is implicitly "
          "specified");
    }
    const object::Value* properties = FieldOf(schema, "properties");
    if (IsSet(schema, kEmbedded) && !IsSet(schema, kPreserve) &&
        (properties == nullptr || properties->size() == 0)) {
      Add(Kind::kRequired, Child(path, "properties"),
          "must not be empty if x-kubernetes-embedded-resource is true without "
          "x-kubernetes-preserve-unknown-fields");
    }
  }

  static bool SaysMoreThanNames(const object::Value& metadata) {
    for (const object::FieldDesc& field : metadata.type()->fields) {
      const object::Value* value = metadata.Find(field.name());
      if (value == nullptr || field.name() == "type" || field.name() == "default") continue;
      if (field.name() != "properties") return true;
      for (const object::MapEntry& entry : value->entries()) {
        if (entry.key != "name" && entry.key != "generateName") return true;
      }
    }
    return false;
  }

  // [{type: integer}, {type: string}] beside x-kubernetes-int-or-string.
  static bool IsIntOrStringPattern(const object::Value* any_of) {
    if (any_of == nullptr || any_of->size() != 2) return false;
    const std::string_view wanted[] = {"integer", "string"};
    for (size_t i = 0; i < 2; ++i) {
      const object::Value& each = any_of->items()[i];
      if (each.members().size() != 1 || TextOf(&each, "type") != wanted[i]) return false;
    }
    return true;
  }
  static bool HasIntOrStringFirst(const object::Value* schema) {
    const auto all_of = ItemsOf(schema, "allOf");
    return !all_of.empty() && IsIntOrStringPattern(FieldOf(all_of[0], "anyOf"));
  }

  // The parts that restrict values, which must not describe them.
  void CheckValueValidation(const object::Value* schema, bool skip_any_of,
                            bool skip_any_of_of_first, const std::string& path) {
    const auto any_of = ItemsOf(schema, "anyOf");
    for (size_t i = 0; !skip_any_of && i < any_of.size(); ++i) {
      CheckNested(any_of[i], false, Child(path, "anyOf", i));
    }
    const auto all_of = ItemsOf(schema, "allOf");
    for (size_t i = 0; i < all_of.size(); ++i) {
      CheckNested(all_of[i], skip_any_of_of_first && i == 0, Child(path, "allOf", i));
    }
    const auto one_of = ItemsOf(schema, "oneOf");
    for (size_t i = 0; i < one_of.size(); ++i) {
      CheckNested(one_of[i], false, Child(path, "oneOf", i));
    }
    CheckNested(SchemaOf(schema, "not"), false, Child(path, "not"));
    const std::string_view pattern = TextOf(schema, "pattern");
    if (const auto translated = cel::TranslateGoRegex(pattern); !translated) {
      Add(Kind::kInvalid, Child(path, "pattern"),
          "must be a valid regular expression, but isn't: " + translated.error().message(),
          pattern);
    }
  }

  void CheckNested(const object::Value* schema, bool skip_any_of, const std::string& path) {
    if (schema == nullptr) return;
    CheckValueValidation(schema, skip_any_of, false, path);
    CheckNested(SchemaOf(schema, "items"), false, Child(path, "items"));
    for (const auto entry : object::MapView<const object::Value*>(FieldOf(schema, "properties"))) {
      CheckNested(entry.value, false, Property(path, entry.key));
    }
    const auto forbid = [&](std::string_view field, bool is_there, std::string_view wanted) {
      if (!is_there) return;
      Add(Kind::kForbidden, Child(path, field),
          "must be " + std::string(wanted) + " to be structural");
    };
    for (const std::string_view field : {"type", "title", "description"}) {
      forbid(field, !TextOf(schema, field).empty(), "empty");
    }
    for (const std::string_view field :
         {"additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"}) {
      forbid(field, FieldOf(schema, field) != nullptr, "undefined");
    }
    for (const std::string_view field :
         {std::string_view("nullable"), kPreserve, kEmbedded, kIntOrString}) {
      forbid(field, IsSet(schema, field), "false");
    }
    for (const std::string_view field :
         {"x-kubernetes-list-map-keys", "x-kubernetes-validations"}) {
      const object::Value* list = FieldOf(schema, field);
      forbid(field, list != nullptr && list->size() != 0, "empty");
    }
    if (PropertyOf(schema, "metadata") != nullptr) {
      Add(Kind::kForbidden, Property(path, "metadata"),
          "must not be specified in a nested context");
    }
  }

  // What is restricted must be described.
  void CheckCompleteness(const object::Value* restricts, const object::Value* schema,
                         const std::string& path, const std::string& where) {
    const object::Value* negated = SchemaOf(restricts, "not");
    if (negated != nullptr) CheckNestedCompleteness(negated, schema, path, Child(where, "not"));
    for (const std::string_view field : kSchemaLists) {
      const auto list = ItemsOf(restricts, field);
      for (size_t i = 0; i < list.size(); ++i) {
        CheckNestedCompleteness(list[i], schema, path, Child(where, field, i));
      }
    }
  }

  void CheckNestedCompleteness(const object::Value* restricts, const object::Value* schema,
                               const std::string& path, const std::string& where) {
    if (schema == nullptr) {
      return Add(Kind::kRequired, path, "because it is defined in " + where);
    }
    CheckCompleteness(restricts, schema, path, where);
    if (const object::Value* items = SchemaOf(restricts, "items")) {
      CheckNestedCompleteness(items, SchemaOf(schema, "items"), Child(path, "items"),
                              Child(where, "items"));
    }
    for (const auto entry :
         object::MapView<const object::Value*>(FieldOf(restricts, "properties"))) {
      CheckNestedCompleteness(entry.value, PropertyOf(schema, entry.key), Property(path, entry.key),
                              Property(where, entry.key));
    }
  }

  std::vector<Fault> faults_;
  size_t left_out_ = 0;
};

}  // namespace

bool CanBeStructural(const object::Value* schema) {
  return !AnySchema(schema, [](const object::Value& each) {
    for (const std::string_view field : {"id", "$schema", "$ref", "additionalItems",
                                         "patternProperties", "definitions", "dependencies"}) {
      if (each.Find(field) != nullptr) return true;
    }
    const object::Value* items = each.Find("items");
    return items != nullptr && items->is_list();
  });
}

void ValidateStructural(const object::Value* schema, std::string_view field, FieldErrors& errors) {
  Checker checker;
  checker.Check(schema, std::string(field));
  checker.Report(errors);
}

}  // namespace skiff::apiserver

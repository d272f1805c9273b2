#include "apiserver/openapi/custom_schema.h"

#include <algorithm>
#include <set>
#include <string>

#include "object/json/encode.h"
#include "object/view.h"

namespace skiff::apiserver {
namespace {

using object::Value;

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
// What its fields are told to be holds of every kind.
constexpr std::string_view kSomeKind = "io.k8s.api.core.v1.ConfigMap";

const Value* SchemaIn(const Value& schema, std::string_view field) {
  const Value* value = schema.Find(field);
  return value != nullptr && value->is_object() ? value : nullptr;
}
bool IsOn(const Value& schema, std::string_view field) {
  const Value* value = schema.Find(field);
  return value != nullptr && value->tag() == object::Tag::kBool && value->AsBool();
}
std::string_view TypeOf(const Value& schema) {
  const Value* type = schema.Find("type");
  return type != nullptr && type->is_string() ? type->AsText() : std::string_view();
}

class CustomSchemaWriter {
 public:
  CustomSchemaWriter(OpenApiDialect dialect, Descriptions& descriptions, serving::JsonWriter& json)
      : is_v2_(dialect == OpenApiDialect::kV2),
        dialect_(dialect),
        told_(descriptions.Find(kSomeKind)),
        told_of_list_(descriptions.Find(std::string(kSomeKind) + "List")),
        json_(json) {}

  void WriteKind(const CustomKind& kind) {
    if (kind.schema == nullptr || HoldsAnything(kind)) {
      json_.String("type", "object");
    } else {
      Write(*kind.schema, true);
    }
    WriteNames(kind, kind.resource->kind_name);
  }

  void WriteList(const CustomKind& kind) {
    const std::string_view list = kind.resource->list_kind->name;
    json_.String("description",
                 std::string(list).append(" is a list of ").append(kind.resource->kind_name));
    json_.String("type", "object");
    json_.Raw("required", R"(["items"])");
    json_.OpenObject("properties");
    WriteText("apiVersion", told_of_list_);
    json_.OpenObject("items");
    Describe(told_of_list_, "items");
    json_.String("type", "array");
    json_.OpenObject("items");
    json_.String("$ref", SchemaReference(dialect_, SchemaName(*kind.resource->kind)));
    json_.CloseObject();
    json_.CloseObject();
    WriteText("kind", told_of_list_);
    WriteReference("metadata", "ListMeta", told_of_list_);
    json_.CloseObject();
    WriteNames(kind, list);
  }

 private:
  // What kubectl cannot be told: that there may be fields besides these.
  bool HoldsAnything(const CustomKind& kind) const {
    return is_v2_ && (kind.preserves_unknown_fields ||
                      IsOn(*kind.schema, "x-kubernetes-preserve-unknown-fields"));
  }

  void WriteNames(const CustomKind& kind, std::string_view name) {
    const object::GroupVersionDesc& version = *kind.resource->version->desc;
    json_.OpenArray("x-kubernetes-group-version-kind");
    json_.OpenObject();
    json_.String("group", version.group);
    json_.String("kind", name);
    json_.String("version", version.version);
    json_.CloseObject();
    json_.CloseArray();
    if (kind.selectable_fields.empty()) return;
    json_.OpenArray("x-kubernetes-selectable-fields");
    for (std::string_view path : kind.selectable_fields) {
      if (path.starts_with('.')) path.remove_prefix(1);
      json_.OpenObject();
      json_.String("fieldPath", path);
      json_.CloseObject();
    }
    json_.CloseArray();
  }

  void Describe(const Descriptions::Type* told, std::string_view field) {
    if (told == nullptr) return;
    const std::string_view text = told->FieldText(field);
    if (!text.empty()) json_.String("description", text);
  }
  void WriteText(std::string_view field, const Descriptions::Type* told) {
    json_.OpenObject(field);
    Describe(told, field);
    json_.String("type", "string");
    json_.CloseObject();
  }
  void WriteReference(std::string_view field, std::string_view type,
                      const Descriptions::Type* told) {
    json_.OpenObject(field);
    Describe(told, field);
    const std::string reference = SchemaReference(dialect_, std::string(kMeta).append(type));
    if (is_v2_) {
      json_.String("$ref", reference);
    } else {
      // Nothing may stand beside a reference.
      json_.OpenArray("allOf");
      json_.OpenObject();
      json_.String("$ref", reference);
      json_.CloseObject();
      json_.CloseArray();
    }
    json_.CloseObject();
  }

  // ---- What the definition says.

  // Which members of a node the dialect has no room for.
  struct Without {
    bool type = false;
    bool children = false;  // items and properties
  };
  Without LeftOut(const Value& schema) const {
    Without out;
    if (!is_v2_) return out;
    const bool preserves = IsOn(schema, "x-kubernetes-preserve-unknown-fields");
    out.children = IsOn(schema, "nullable") || preserves;
    const bool has_items = schema.Find("items") != nullptr && !out.children;
    out.type = IsOn(schema, "nullable") || (TypeOf(schema) == "array" && !has_items) ||
               (TypeOf(schema) == "object" && preserves);
    return out;
  }
  bool IsResource(const Value& schema) const {
    if (!IsOn(schema, "x-kubernetes-embedded-resource")) return false;
    return !is_v2_ || !IsOn(schema, "x-kubernetes-preserve-unknown-fields");
  }

  void Write(const Value& schema, bool is_root) {
    const Without without = LeftOut(schema);
    const bool is_resource = is_root || IsResource(schema);
    for (const Value& member : schema.members()) {
      const std::string_view name = member.field_desc(*schema.type()).name();
      if (name == "properties" || IsAlternative(name)) continue;
      if (name == "required") {
        if (is_root || !is_resource) WriteRequired(schema, member);
      } else if (name == "items") {
        if (!without.children) WriteChild("items", member);
      } else if (name == "additionalProperties") {
        WriteChild(name, member);
      } else if (name == "type" ? !without.type : IsShown(name)) {
        json_.Raw(name, object::EncodeJson(member));
      }
    }
    if (!is_root && is_resource) WriteRequiredOfResource(schema);
    WriteAlternatives(schema);
    if (is_resource || (!without.children && schema.Find("properties") != nullptr)) {
      WriteProperties(without.children ? nullptr : schema.Find("properties"), is_resource);
    }
  }

  bool IsShown(std::string_view name) const {
    return !is_v2_ || (name != "nullable" && name != "default");
  }
  static bool IsAlternative(std::string_view name) {
    return name == "allOf" || name == "anyOf" || name == "oneOf" || name == "not";
  }

  void WriteChild(std::string_view name, const Value& child) {
    json_.Key(name);
    if (child.is_object()) {
      json_.OpenObject();
      Write(child, false);
      json_.CloseObject();
    } else {
      json_.Raw(object::EncodeJson(child));
    }
  }

  // The schema's, and those that a resource has whatever its schema says.
  void WriteProperties(const Value* properties, bool is_resource) {
    json_.OpenObject("properties");
    std::set<std::string_view> own;
    if (is_resource) own = {"apiVersion", "kind", "metadata"};
    const auto write_own = [&](std::string_view name) {
      if (name == "metadata") return WriteReference(name, "ObjectMeta", told_);
      WriteText(name, told_);
    };
    const bool has_entries = properties != nullptr && properties->is_map();
    for (const object::MapEntry& entry :
         has_entries ? properties->entries() : std::span<const object::MapEntry>()) {
      while (!own.empty() && *own.begin() < entry.key) write_own(own.extract(own.begin()).value());
      if (own.erase(entry.key) != 0) {
        write_own(entry.key);
        continue;
      }
      json_.EscapedKey(entry.key);
      json_.OpenObject();
      Write(entry.value, false);
      json_.CloseObject();
    }
    for (const std::string_view name : own) write_own(name);
    json_.CloseObject();
  }

  void WriteRequiredOfResource(const Value& schema) {
    std::vector<std::string_view> names;
    const object::ListView<std::string_view> list(schema.Find("required"));
    for (size_t i = 0; i < list.size(); ++i) names.push_back(list[i]);
    for (const std::string_view name : {"kind", "apiVersion"}) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    json_.StringArray("required", names);
  }

  // What may be null is nothing in version 2.
  void WriteRequired(const Value& schema, const Value& required) {
    if (!is_v2_) return json_.Raw("required", object::EncodeJson(required));
    const Value* values = SchemaIn(schema, "additionalProperties");
    if (values != nullptr && IsOn(*values, "nullable")) return;
    const Value* properties = LeftOut(schema).children ? nullptr : schema.Find("properties");
    std::vector<std::string_view> names;
    for (const Value& name : required.items()) {
      const Value* property =
          properties != nullptr && properties->is_map() ? properties->Find(name.AsText()) : nullptr;
      if (property == nullptr || !IsOn(*property, "nullable")) names.push_back(name.AsText());
    }
    if (!names.empty()) json_.StringArray("required", names);
  }

  // ---- allOf and the like, which version 2 does not have.

  static constexpr std::string_view kIntOrString = R"([{"type":"integer"},{"type":"string"}])";

  // Whether a list of alternatives says that a value is an integer or a string.
  static bool SaysIntOrString(const Value* list) {
    if (list == nullptr || list->size() != 2) return false;
    return TypeOf(list->items()[0]) == "integer" && TypeOf(list->items()[1]) == "string";
  }

  void WriteAlternatives(const Value& schema) {
    if (is_v2_) return;
    const Value* all_of = schema.Find("allOf");
    const Value* any_of = schema.Find("anyOf");
    // Clients that do not know the extension are told what it means, unless the schema does.
    const bool says_so =
        SaysIntOrString(any_of) || (all_of != nullptr && all_of->size() != 0 &&
                                    SaysIntOrString(all_of->items()[0].Find("anyOf")));
    const bool told = IsOn(schema, "x-kubernetes-int-or-string") && !says_so;
    if (told && any_of == nullptr) {
      json_.Raw("anyOf", kIntOrString);
    } else {
      WriteEach("anyOf", any_of, {});
    }
    WriteEach("allOf", all_of,
              told && any_of != nullptr ? std::string(R"({"anyOf":)").append(kIntOrString) + "}"
                                        : std::string());
    WriteEach("oneOf", schema.Find("oneOf"), {});
    if (const Value* negated = SchemaIn(schema, "not")) WriteChild("not", *negated);
  }

  void WriteEach(std::string_view name, const Value* list, const std::string& first) {
    const bool has_items = list != nullptr && list->is_list() && list->size() != 0;
    if (!has_items && first.empty()) return;
    json_.OpenArray(name);
    if (!first.empty()) json_.Raw(first);
    for (const Value& item : has_items ? list->items() : std::span<const Value>()) {
      json_.OpenObject();
      Write(item, false);
      json_.CloseObject();
    }
    json_.CloseArray();
  }

  const bool is_v2_;
  const OpenApiDialect dialect_;
  const Descriptions::Type* const told_;
  const Descriptions::Type* const told_of_list_;
  serving::JsonWriter& json_;
};

}  // namespace

void WriteCustomSchema(OpenApiDialect dialect, const CustomKind& kind, Descriptions& descriptions,
                       serving::JsonWriter& json) {
  CustomSchemaWriter(dialect, descriptions, json).WriteKind(kind);
}

void WriteCustomListSchema(OpenApiDialect dialect, const CustomKind& kind,
                           Descriptions& descriptions, serving::JsonWriter& json) {
  CustomSchemaWriter(dialect, descriptions, json).WriteList(kind);
}

}  // namespace skiff::apiserver

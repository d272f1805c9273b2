#include "apiserver/openapi/schemas.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "apiserver/openapi/custom_schema.h"
#include "base/buffer.h"
#include "object/published.h"

namespace skiff::apiserver {

struct SchemaSet::ScalarSchema {
  object::FieldType type;
  std::string_view name;
  std::string_view v2;
  std::string_view v3;
};

namespace {

constexpr std::string_view kDateTime = R"("type":"string","format":"date-time")";
constexpr std::string_view kObject = R"("type":"object")";
constexpr std::string_view kApiextensions =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON";

std::string_view TypeOf(object::FieldType type) {
  switch (type) {
    case object::FieldType::kString:
      return R"("type":"string")";
    case object::FieldType::kBytes:
      return R"("type":"string","format":"byte")";
    case object::FieldType::kBool:
      return R"("type":"boolean")";
    case object::FieldType::kInt32:
      return R"("type":"integer","format":"int32")";
    case object::FieldType::kInt64:
    case object::FieldType::kUint32:
    case object::FieldType::kUint64:
      return R"("type":"integer","format":"int64")";
    case object::FieldType::kDouble:
      return R"("type":"number","format":"double")";
    case object::FieldType::kDuration:
      return R"("type":"string")";
    default:
      return {};
  }
}

std::string_view ZeroOf(object::FieldType type) {
  switch (type) {
    case object::FieldType::kString:
      return "\"\"";
    case object::FieldType::kBool:
      return "false";
    case object::FieldType::kInt32:
    case object::FieldType::kInt64:
    case object::FieldType::kUint32:
    case object::FieldType::kUint64:
    case object::FieldType::kDouble:
      return "0";
    default:
      return {};
  }
}

// The zero value that is shown as the default of an item or of a field that is always there.
std::string_view ItemDefault(const object::FieldDesc& field) {
  if (field.type == object::FieldType::kMessage) {
    return field.message->form == object::MessageForm::kPlain ? "{}" : "";
  }
  return ZeroOf(field.type);
}

std::string_view DefaultOf(const object::MessageDesc& owner, const object::FieldDesc& field) {
  if (const object::PublishedVersion* version = object::FindPublished(owner.group_version)) {
    for (const object::PublishedDefault& shown : version->defaults) {
      if (shown.message == owner.name && shown.field == field.name()) return shown.json;
    }
  }
  if (field.cardinality != object::Cardinality::kSingle || field.pointer()) return {};
  if (field.type != object::FieldType::kMessage && field.omit_empty()) return {};
  return ItemDefault(field);
}

std::string_view ListTypeName(object::ListType type) {
  constexpr std::string_view kNames[] = {"", "atomic", "set", "map"};
  return kNames[static_cast<size_t>(type)];
}

std::string_view MapTypeName(object::MapType type) {
  constexpr std::string_view kNames[] = {"", "atomic", "granular"};
  return kNames[static_cast<size_t>(type)];
}

void WriteTraits(serving::JsonWriter& json, const object::FieldTraits& traits) {
  if (!traits.list_map_keys.empty()) {
    json.StringArray("x-kubernetes-list-map-keys", traits.list_map_keys);
  }
  if (traits.list_type != object::ListType::kUnset) {
    json.String("x-kubernetes-list-type", ListTypeName(traits.list_type));
  }
  if (traits.map_type != object::MapType::kUnset) {
    json.String("x-kubernetes-map-type", MapTypeName(traits.map_type));
  }
  if (!traits.merge_key.empty()) json.String("x-kubernetes-patch-merge-key", traits.merge_key);
  std::string strategy;
  for (const auto& [on, name] :
       {std::pair(traits.patch_merge, "merge"), std::pair(traits.patch_retain_keys, "retainKeys"),
        std::pair(traits.patch_replace, "replace")}) {
    if (!on) continue;
    if (!strategy.empty()) strategy += ',';
    strategy += name;
  }
  if (!strategy.empty()) json.String("x-kubernetes-patch-strategy", strategy);
}

void WriteDescription(serving::JsonWriter& json, std::string_view text) {
  if (!text.empty()) json.String("description", text);
}

std::vector<const object::FieldDesc*> ByName(const object::MessageDesc& message) {
  std::vector<const object::FieldDesc*> fields;
  fields.reserve(message.fields.size());
  for (const object::FieldDesc& field : message.fields) fields.push_back(&field);
  std::sort(
      fields.begin(), fields.end(),
      [](const object::FieldDesc* a, const object::FieldDesc* b) { return a->name() < b->name(); });
  return fields;
}

// "stable.example.com" → "com.example.stable.".
std::string BackwardsName(std::string_view group) {
  std::string name;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    const size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
    name.append(group.substr(begin)).append(".");
    group = begin == 0 ? std::string_view() : group.substr(0, dot);
  }
  return name;
}

bool IsMeta(const object::MessageDesc& message, std::string_view name) {
  return message.name == name && message.group_version->path == "meta/v1";
}

}  // namespace

std::string SchemaName(const object::MessageDesc& message) {
  const object::GroupVersionDesc& desc = *message.group_version;
  if (const object::PublishedVersion* version = object::FindPublished(&desc)) {
    return std::string(version->prefix).append(".").append(message.name);
  }
  return BackwardsName(desc.group).append(desc.version).append(".").append(message.name);
}

std::string SchemaReference(OpenApiDialect dialect, std::string_view name) {
  return std::string(dialect == OpenApiDialect::kV2 ? "#/definitions/" : "#/components/schemas/")
      .append(name);
}

const SchemaSet::ScalarSchema* SchemaSet::FindScalar(object::FieldType type,
                                                     const object::MessageDesc& owner) {
  static constexpr ScalarSchema kScalars[] = {
      {object::FieldType::kTime, "io.k8s.apimachinery.pkg.apis.meta.v1.Time", kDateTime, kDateTime},
      {object::FieldType::kMicroTime, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", kDateTime,
       kDateTime},
      {object::FieldType::kQuantity, "io.k8s.apimachinery.pkg.api.resource.Quantity",
       R"("type":"string")", R"("oneOf":[{"type":"string"},{"type":"number"}])"},
      {object::FieldType::kIntOrString, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
       R"("type":"string","format":"int-or-string")",
       R"("format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}])"},
      {object::FieldType::kRawJson, "io.k8s.apimachinery.pkg.runtime.RawExtension", kObject,
       kObject},
      {object::FieldType::kFieldsV1, "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", kObject,
       kObject},
  };
  // Schemas in schemas hold any JSON, where all else of the kind holds objects.
  static constexpr ScalarSchema kAnyJson = {object::FieldType::kRawJson, kApiextensions, "", ""};
  if (type == object::FieldType::kRawJson && owner.group_version->group == "apiextensions.k8s.io") {
    return &kAnyJson;
  }
  for (const ScalarSchema& scalar : kScalars) {
    if (scalar.type == type) return &scalar;
  }
  return nullptr;
}

void SchemaSet::AddCustom(std::span<const CustomKind> kinds) {
  for (const CustomKind& kind : kinds) {
    const auto add = [&](const object::MessageDesc& message, auto write) {
      ByteBuffer out;
      serving::JsonWriter json(out);
      json.OpenObject();
      write(dialect_, kind, descriptions_, json);
      json.CloseObject();
      types_[SchemaName(message)] = {.custom = std::string(out.view())};
    };
    add(*kind.resource->kind, WriteCustomSchema);
    add(*kind.resource->list_kind, WriteCustomListSchema);
  }
  if (kinds.empty()) return;
  for (const std::string_view used : {"ObjectMeta", "ListMeta"}) {
    Add(*object::FindMessage("meta/v1", used));
  }
}

void SchemaSet::Add(const object::MessageDesc& message) {
  if (!types_.try_emplace(SchemaName(message), Type{.message = &message}).second) return;
  if (message.form != object::MessageForm::kPlain) return;
  for (const object::FieldDesc& field : message.fields) AddField(message, field);
}

void SchemaSet::AddField(const object::MessageDesc& owner, const object::FieldDesc& field) {
  if (field.type == object::FieldType::kMessage) return Add(*field.message);
  if (const ScalarSchema* scalar = FindScalar(field.type, owner)) {
    types_.try_emplace(std::string(scalar->name), Type{.scalar = scalar});
  }
}

void SchemaSet::Write(serving::JsonWriter& json) const {
  for (const auto& [name, type] : types_) {
    if (!type.custom.empty()) {
      json.Raw(name, type.custom);
      continue;
    }
    json.OpenObject(name);
    const Descriptions::Type* const told = descriptions_.Find(name);
    if (told != nullptr) WriteDescription(json, told->text());
    if (type.message != nullptr) {
      WriteMessage(json, *type.message, told);
    } else {
      const std::string_view members =
          dialect_ == OpenApiDialect::kV2 ? type.scalar->v2 : type.scalar->v3;
      if (!members.empty()) json.Raw(members);
    }
    json.CloseObject();
  }
}

void SchemaSet::WriteMessage(serving::JsonWriter& json, const object::MessageDesc& message,
                             const Descriptions::Type* told) const {
  if (message.form != object::MessageForm::kPlain) return;
  json.String("type", "object");
  bool any_required = false;
  for (const object::FieldDesc& field : message.fields) {
    if (!field.required()) continue;
    if (!any_required) json.OpenArray("required");
    any_required = true;
    json.String(field.name());
  }
  if (any_required) json.CloseArray();
  if (!message.fields.empty()) {
    json.OpenObject("properties");
    for (const object::FieldDesc* field : ByName(message)) {
      json.OpenObject(field->name());
      if (told != nullptr) WriteDescription(json, told->FieldText(field->name()));
      WriteField(json, message, *field);
      json.CloseObject();
    }
    json.CloseObject();
  }
  WriteKinds(json, message);
  if (message.map_type != object::MapType::kUnset) {
    json.String("x-kubernetes-map-type", MapTypeName(message.map_type));
  }
  WriteUnions(json, message);
}

void SchemaSet::WriteKinds(serving::JsonWriter& json, const object::MessageDesc& message) const {
  // Known in every version, though only one of them is a kind of documents.
  const bool everywhere = IsMeta(message, "DeleteOptions") || IsMeta(message, "WatchEvent");
  if (!message.is_kind && !everywhere) return;
  std::set<std::pair<std::string_view, std::string_view>> versions;
  if (everywhere) {
    for (const object::PublishedVersion& version : object::PublishedVersions()) {
      if (version.spoken) versions.emplace(version.desc->group, version.desc->version);
    }
  } else if (message.group_version->path == "meta/v1") {
    versions.emplace("", "v1");
  } else {
    versions.emplace(message.group_version->group, message.group_version->version);
  }
  json.OpenArray("x-kubernetes-group-version-kind");
  for (const auto& [group, version] : versions) {
    const bool own = version_ == nullptr || !everywhere || (group.empty() && version == "v1") ||
                     (group == version_->group && version == version_->version);
    if (!own) continue;
    json.OpenObject();
    json.String("group", group);
    json.String("kind", message.name);
    json.String("version", version);
    json.CloseObject();
  }
  json.CloseArray();
}

void SchemaSet::WriteUnions(serving::JsonWriter& json, const object::MessageDesc& message) const {
  const object::PublishedVersion* const version = object::FindPublished(message.group_version);
  if (version == nullptr) return;
  for (const object::PublishedUnion& one : version->unions) {
    if (one.message != message.name) continue;
    json.OpenArray("x-kubernetes-unions");
    json.OpenObject();
    if (!one.discriminator.empty()) json.String("discriminator", one.discriminator);
    json.OpenObject("fields-to-discriminateBy");
    const std::set<std::string_view> members(one.members.begin(), one.members.end());
    for (const std::string_view member : members) {
      std::string value(member);
      value[0] = static_cast<char>(value[0] - 'a' + 'A');
      json.String(member, value);
    }
    json.CloseObject();
    json.CloseObject();
    json.CloseArray();
  }
}

void SchemaSet::WriteField(serving::JsonWriter& json, const object::MessageDesc& owner,
                           const object::FieldDesc& field) const {
  const std::string_view item_default =
      dialect_ == OpenApiDialect::kV3 ? ItemDefault(field) : std::string_view();
  switch (field.cardinality) {
    case object::Cardinality::kSingle:
      WriteValue(json, owner, field, dialect_ == OpenApiDialect::kV3 ? DefaultOf(owner, field) : "",
                 false);
      break;
    case object::Cardinality::kList:
      json.String("type", "array");
      json.OpenObject("items");
      WriteValue(json, owner, field, item_default, true);
      json.CloseObject();
      break;
    case object::Cardinality::kMap:
      json.String("type", "object");
      json.OpenObject("additionalProperties");
      WriteValue(json, owner, field, item_default, true);
      json.CloseObject();
      break;
  }
  WriteTraits(json, *field.traits);
}

void SchemaSet::WriteValue(serving::JsonWriter& json, const object::MessageDesc& owner,
                           const object::FieldDesc& field, std::string_view default_json,
                           bool item) const {
  if (field.type == object::FieldType::kMessage) {
    return WriteReference(json, SchemaName(*field.message), default_json, item);
  }
  if (const ScalarSchema* scalar = FindScalar(field.type, owner)) {
    return WriteReference(json, scalar->name, default_json, item);
  }
  if (field.type == object::FieldType::kStringList) {
    json.Raw(dialect_ == OpenApiDialect::kV3
                 ? R"("type":"array","items":{"type":"string","default":""})"
                 : R"("type":"array","items":{"type":"string"})");
    return;
  }
  const std::string_view type = TypeOf(field.type);
  if (!type.empty()) json.Raw(type);
  if (!default_json.empty()) json.Raw("default", default_json);
  if (!field.traits->enum_values.empty()) {
    const auto& values = field.traits->enum_values;
    json.StringArray("enum", std::set<std::string_view>(values.begin(), values.end()));
  }
}

void SchemaSet::WriteReference(serving::JsonWriter& json, std::string_view name,
                               std::string_view default_json, bool item) const {
  const std::string reference = SchemaReference(dialect_, name);
  const bool bare = dialect_ == OpenApiDialect::kV2 || (item && default_json.empty());
  if (bare) {
    json.String("$ref", reference);
    return;
  }
  if (!default_json.empty()) json.Raw("default", default_json);
  json.OpenArray("allOf");
  json.OpenObject();
  json.String("$ref", reference);
  json.CloseObject();
  json.CloseArray();
}

}  // namespace skiff::apiserver

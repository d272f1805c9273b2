#include "apiserver/registry/apiextensions/custom_resource_definition_conversion.h"

#include <array>
#include <string>
#include <utility>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/apiextensions.k8s.io/v1.h"
#include "views/apiextensions.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;
namespace v1beta1 = views::apiextensions_k8s_io_v1beta1;

// Of a version, and of the spec in v1beta1.
constexpr auto kShared = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"schema", "validation"},
    {"subresources", "subresources"},
    {"additionalPrinterColumns", "additionalPrinterColumns"},
    {"selectableFields", "selectableFields"},
});

bool Equal(const object::Value* a, const object::Value* b) {
  if (a == nullptr || b == nullptr) {
    const object::Value* const there = a != nullptr ? a : b;
    return there == nullptr || (there->is_list() && there->size() == 0);
  }
  return object::DeepEqual(*a, *b);
}

bool SameInAll(const object::Value& versions, std::string_view member) {
  const object::Value* const first = versions.items()[0].Find(member);
  for (const object::Value& version : versions.items()) {
    if (!Equal(first, version.Find(member))) return false;
  }
  return true;
}

void SpecToV1beta1(const object::Value& from, object::Value& out, Copier& copier) {
  Arena& arena = copier.arena();
  const object::Value* const kept = from.Find("preserveUnknownFields");
  out.Set(arena, "preserveUnknownFields", object::Value::Bool(kept != nullptr && kept->AsBool()));
  object::Value* const versions = out.Find("versions");
  if (versions == nullptr || versions->size() == 0) return;
  copier.Put(out, "version", versions->items()[0].Find("name"));
  for (const auto& [member, of_spec] : kShared) {
    // Setting a member of the spec moves its versions.
    object::Value& all = *out.Find("versions");
    if (!SameInAll(all, member)) continue;
    const object::Value* const found = all.items()[0].Find(member);
    const object::Value shared = found == nullptr ? object::Value() : *found;
    for (object::Value& version : all.items()) version.Erase(member);
    if (!shared.is_null()) out.Set(arena, of_spec, shared);
  }
}

void SpecToV1(const object::Value& from, object::Value& out, Copier& copier) {
  Arena& arena = copier.arena();
  // Definitions from before there was this field keep all fields.
  const object::Value* const kept = from.Find("preserveUnknownFields");
  if (kept == nullptr) out.Set(arena, "preserveUnknownFields", object::Value::Bool(true));
  const object::Value* const name = from.Find("version");
  const object::Value* const versions = out.Find("versions");
  if ((versions == nullptr || versions->size() == 0) && name != nullptr) {
    object::Value only =
        object::Value::EmptyObject(arena, v1::CustomResourceDefinitionVersion::Type());
    copier.Put(only, "name", name);
    only.Set(arena, "served", object::Value::Bool(true));
    only.Set(arena, "storage", object::Value::Bool(true));
    out.Set(arena, "versions", object::Value::List(arena, {&only, 1}));
  }
  object::Value* const all = out.Find("versions");
  if (all == nullptr) return;
  for (const auto& [member, of_spec] : kShared) {
    const object::Value* const shared = from.Find(of_spec);
    if (shared == nullptr) continue;
    for (object::Value& version : all->items()) copier.Put(version, member, shared);
  }
}

void ConversionToV1beta1(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const webhook = from.Find("webhook");
  if (webhook == nullptr) return;
  copier.Put(out, "webhookClientConfig", webhook->Find("clientConfig"));
  copier.Put(out, "conversionReviewVersions", webhook->Find("conversionReviewVersions"));
}

void ConversionToV1(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const config = from.Find("webhookClientConfig");
  const object::Value* const versions = from.Find("conversionReviewVersions");
  if (config == nullptr && versions == nullptr) return;
  object::Value& webhook = copier.Make(out, "webhook");
  copier.Put(webhook, "clientConfig", config);
  copier.Put(webhook, "conversionReviewVersions", versions);
}

void ColumnToV1beta1(const object::Value& from, object::Value& out, Copier& copier) {
  copier.Put(out, "JSONPath", from.Find("jsonPath"));
}

void ColumnToV1(const object::Value& from, object::Value& out, Copier& copier) {
  copier.Put(out, "jsonPath", from.Find("JSONPath"));
}

bool IsNull(const object::Value& raw) {
  return raw.is_null() || (raw.tag() == object::Tag::kRawJson && raw.AsText() == "null");
}

// Kubernetes decodes the values in a schema on the way, which puts their members into order.
void Normalize(object::Value& raw, Arena& arena) {
  if (raw.tag() != object::Tag::kRawJson) return;
  const auto decoded = object::DecodeJson(raw.AsText(), nullptr);
  if (!decoded) return;
  raw = object::Value::RawJson(arena.Copy(object::EncodeJson(decoded->root())))
            .WithField(raw.field());
}

void Schema(const object::Value&, object::Value& out, Copier& copier) {
  for (const std::string_view name : {"default", "example"}) {
    object::Value* const raw = out.Find(name);
    if (raw == nullptr) continue;
    if (IsNull(*raw)) {
      out.Erase(name);
    } else {
      Normalize(*raw, copier.arena());
    }
  }
  object::Value* const values = out.Find("enum");
  if (values == nullptr || !values->is_list()) return;
  for (object::Value& value : values->items()) Normalize(value, copier.arena());
}

constexpr ConversionRule kRules[] = {
    {v1::CustomResourceDefinitionSpec::Type, v1beta1::CustomResourceDefinitionSpec::Type,
     SpecToV1beta1},
    {v1beta1::CustomResourceDefinitionSpec::Type, v1::CustomResourceDefinitionSpec::Type, SpecToV1},
    {v1::CustomResourceConversion::Type, v1beta1::CustomResourceConversion::Type,
     ConversionToV1beta1},
    {v1beta1::CustomResourceConversion::Type, v1::CustomResourceConversion::Type, ConversionToV1},
    {v1::CustomResourceColumnDefinition::Type, v1beta1::CustomResourceColumnDefinition::Type,
     ColumnToV1beta1},
    {v1beta1::CustomResourceColumnDefinition::Type, v1::CustomResourceColumnDefinition::Type,
     ColumnToV1},
    {v1::JSONSchemaProps::Type, v1beta1::JSONSchemaProps::Type, Schema},
    {v1beta1::JSONSchemaProps::Type, v1::JSONSchemaProps::Type, Schema},
};

}  // namespace

std::span<const ConversionRule> DefinitionConversions() { return kRules; }

}  // namespace skiff::apiserver

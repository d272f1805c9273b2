#include "apiserver/registry/apiextensions/custom_resource_definition_conversion.h"

#include <array>
#include <string>
#include <utility>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/apiextensions.k8s.io/v1.h"
#include "views/apiextensions.k8s.io/v1beta1.h"

namespace skiff {
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

bool Equal(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) {
    const Value* const there = a != nullptr ? a : b;
    return there == nullptr || (there->is_list() && there->size() == 0);
  }
  return DeepEqual(*a, *b);
}

bool SameInAll(const Value& versions, std::string_view member) {
  const Value* const first = versions.items()[0].Find(member);
  for (const Value& version : versions.items()) {
    if (!Equal(first, version.Find(member))) return false;
  }
  return true;
}

void SpecToV1beta1(const Value& from, Value& out, Copier& copier) {
  Arena& arena = copier.arena();
  const Value* const kept = from.Find("preserveUnknownFields");
  out.Set(arena, "preserveUnknownFields", Value::Bool(kept != nullptr && kept->AsBool()));
  Value* const versions = out.Find("versions");
  if (versions == nullptr || versions->size() == 0) return;
  copier.Put(out, "version", versions->items()[0].Find("name"));
  for (const auto& [member, of_spec] : kShared) {
    // Setting a member of the spec moves its versions.
    Value& all = *out.Find("versions");
    if (!SameInAll(all, member)) continue;
    const Value* const found = all.items()[0].Find(member);
    const Value shared = found == nullptr ? Value() : *found;
    for (Value& version : all.items()) version.Erase(member);
    if (!shared.is_null()) out.Set(arena, of_spec, shared);
  }
}

void SpecToV1(const Value& from, Value& out, Copier& copier) {
  Arena& arena = copier.arena();
  // Definitions from before there was this field keep all fields.
  const Value* const kept = from.Find("preserveUnknownFields");
  if (kept == nullptr) out.Set(arena, "preserveUnknownFields", Value::Bool(true));
  const Value* const name = from.Find("version");
  const Value* const versions = out.Find("versions");
  if ((versions == nullptr || versions->size() == 0) && name != nullptr) {
    Value only = Value::EmptyObject(arena, v1::CustomResourceDefinitionVersion::Type());
    copier.Put(only, "name", name);
    only.Set(arena, "served", Value::Bool(true));
    only.Set(arena, "storage", Value::Bool(true));
    out.Set(arena, "versions", Value::List(arena, {&only, 1}));
  }
  Value* const all = out.Find("versions");
  if (all == nullptr) return;
  for (const auto& [member, of_spec] : kShared) {
    const Value* const shared = from.Find(of_spec);
    if (shared == nullptr) continue;
    for (Value& version : all->items()) copier.Put(version, member, shared);
  }
}

void ConversionToV1beta1(const Value& from, Value& out, Copier& copier) {
  const Value* const webhook = from.Find("webhook");
  if (webhook == nullptr) return;
  copier.Put(out, "webhookClientConfig", webhook->Find("clientConfig"));
  copier.Put(out, "conversionReviewVersions", webhook->Find("conversionReviewVersions"));
}

void ConversionToV1(const Value& from, Value& out, Copier& copier) {
  const Value* const config = from.Find("webhookClientConfig");
  const Value* const versions = from.Find("conversionReviewVersions");
  if (config == nullptr && versions == nullptr) return;
  Value& webhook = copier.Make(out, "webhook");
  copier.Put(webhook, "clientConfig", config);
  copier.Put(webhook, "conversionReviewVersions", versions);
}

void ColumnToV1beta1(const Value& from, Value& out, Copier& copier) {
  copier.Put(out, "JSONPath", from.Find("jsonPath"));
}

void ColumnToV1(const Value& from, Value& out, Copier& copier) {
  copier.Put(out, "jsonPath", from.Find("JSONPath"));
}

bool IsNull(const Value& raw) {
  return raw.is_null() || (raw.tag() == Tag::kRawJson && raw.AsText() == "null");
}

// Kubernetes decodes the values in a schema on the way, which puts their members into order.
void Normalize(Value& raw, Arena& arena) {
  if (raw.tag() != Tag::kRawJson) return;
  const auto decoded = DecodeJson(raw.AsText(), nullptr);
  if (!decoded) return;
  raw = Value::RawJson(arena.Copy(EncodeJson(decoded->root()))).WithField(raw.field());
}

void Schema(const Value&, Value& out, Copier& copier) {
  for (const std::string_view name : {"default", "example"}) {
    Value* const raw = out.Find(name);
    if (raw == nullptr) continue;
    if (IsNull(*raw)) {
      out.Erase(name);
    } else {
      Normalize(*raw, copier.arena());
    }
  }
  Value* const values = out.Find("enum");
  if (values == nullptr || !values->is_list()) return;
  for (Value& value : values->items()) Normalize(value, copier.arena());
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

}  // namespace skiff

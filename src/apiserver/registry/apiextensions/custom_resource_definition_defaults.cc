#include "apiserver/registry/apiextensions/custom_resource_definition_defaults.h"

#include <string>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

object::Value& NamesOf(object::Value& definition, Arena& arena) {
  return MakePart(MakePart(definition, "spec", arena), "names", arena);
}

void DefaultSingularName(object::Value& definition, const RuleContext& context) {
  object::Value& names = NamesOf(definition, context.arena);
  const std::string_view kind = TextOf(names, "kind");
  if (kind.empty() || !TextOf(names, "singular").empty()) return;
  names.Set(context.arena, "singular", object::Value::String(context.arena.Copy(AsciiLower(kind))));
}

void DefaultListKind(object::Value& definition, const RuleContext& context) {
  object::Value& names = NamesOf(definition, context.arena);
  const std::string_view kind = TextOf(names, "kind");
  if (kind.empty() || !TextOf(names, "listKind").empty()) return;
  const std::string list_kind = std::string(kind) + "List";
  names.Set(context.arena, "listKind", object::Value::String(context.arena.Copy(list_kind)));
}

void DefaultStoredVersions(object::Value& definition, const RuleContext& context) {
  object::Value* spec = PartOf(definition, "spec");
  if (spec == nullptr) return;
  for (object::Value& version : ItemsOf(*spec, "versions")) {
    const object::Value* storage = version.Find("storage");
    if (storage == nullptr || !storage->AsBool()) continue;
    const object::Value name = object::Value::String(TextOf(version, "name"));
    object::Value& status = MakePart(definition, "status", context.arena);
    if (!ItemsOf(status, "storedVersions").empty()) return;
    status.Set(context.arena, "storedVersions", object::Value::List(context.arena, {&name, 1}));
    return;
  }
}

// The first version of definitions knew one version of a resource only.
void DefaultVersions(object::Value& definition, const RuleContext& context) {
  object::Value* spec = PartOf(definition, "spec");
  const std::string_view name = spec == nullptr ? std::string_view() : TextOf(*spec, "version");
  if (name.empty() || !ItemsOf(*spec, "versions").empty()) return;
  const uint16_t index = spec->type()->FindField("versions");
  object::Value version =
      object::Value::EmptyObject(context.arena, spec->type()->fields[index].message);
  version.Set(context.arena, "name", object::Value::String(name));
  version.Set(context.arena, "served", object::Value::Bool(true));
  version.Set(context.arena, "storage", object::Value::Bool(true));
  spec->SetMember(context.arena, index, object::Value::List(context.arena, {&version, 1}));
}

void DefaultVersion(object::Value& definition, const RuleContext& context) {
  object::Value* spec = PartOf(definition, "spec");
  if (spec == nullptr || !TextOf(*spec, "version").empty()) return;
  const std::span<object::Value> versions = ItemsOf(*spec, "versions");
  if (versions.empty()) return;
  spec->Set(context.arena, "version", object::Value::String(TextOf(versions[0], "name")));
}

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/v1";
constexpr std::string_view kOldDefinitions = "apiextensions.k8s.io/v1beta1";
constexpr std::string_view kDefinition = "CustomResourceDefinition";

constexpr CodeRuleEntry kDefaults[] = {
    {kDefinitions, kDefinition, "spec.names.singular", DefaultSingularName},
    {kDefinitions, kDefinition, "spec.names.listKind", DefaultListKind},
    {kDefinitions, kDefinition, "status.storedVersions", DefaultStoredVersions},
    {kOldDefinitions, kDefinition, "spec.names.singular", DefaultSingularName},
    {kOldDefinitions, kDefinition, "spec.names.listKind", DefaultListKind},
    {kOldDefinitions, kDefinition, "spec.versions", DefaultVersions},
    {kOldDefinitions, kDefinition, "spec.version", DefaultVersion},
    {kOldDefinitions, kDefinition, "status.storedVersions", DefaultStoredVersions},
};

}  // namespace

std::span<const CodeRuleEntry> DefinitionDefaults() { return kDefaults; }

}  // namespace skiff::apiserver

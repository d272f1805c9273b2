// Of namespaces, limit ranges, custom resource definitions and devices.
#include "apiserver/defaults/code_rules.h"
#include "base/strings.h"

namespace skiff {
namespace {

// A namespace carries its name as a label, whatever its writer thinks that label should be.
void LabelWithName(Value& space, const RuleContext& context) {
  Value* meta = PartOf(space, "metadata");
  const std::string_view name = meta == nullptr ? std::string_view() : TextOf(*meta, "name");
  if (name.empty()) return;
  MakePart(*meta, "labels", context.arena)
      .SetEntry(context.arena, "kubernetes.io/metadata.name", Value::String(name));
}

// Adds to map `to` of a limit range's item what map `from` has beyond it.
void CompleteLimits(Value& item, std::string_view to, std::string_view from, Arena& arena) {
  const Value* present = PartOf(item, from);
  if (present == nullptr || present->size() == 0) return;
  const Value entries = *present;
  AddMissingEntries(&entries, MakePart(item, to, arena), arena);
}

void DefaultContainerLimits(Value& item, const RuleContext& context) {
  if (TextOf(item, "type") == "Container") CompleteLimits(item, "default", "max", context.arena);
}

void DefaultContainerRequests(Value& item, const RuleContext& context) {
  if (TextOf(item, "type") != "Container") return;
  CompleteLimits(item, "defaultRequest", "default", context.arena);
  CompleteLimits(item, "defaultRequest", "min", context.arena);
}

Value& NamesOf(Value& definition, Arena& arena) {
  return MakePart(MakePart(definition, "spec", arena), "names", arena);
}

void DefaultSingularName(Value& definition, const RuleContext& context) {
  Value& names = NamesOf(definition, context.arena);
  const std::string_view kind = TextOf(names, "kind");
  if (kind.empty() || !TextOf(names, "singular").empty()) return;
  names.Set(context.arena, "singular", Value::String(context.arena.Copy(AsciiLower(kind))));
}

void DefaultListKind(Value& definition, const RuleContext& context) {
  Value& names = NamesOf(definition, context.arena);
  const std::string_view kind = TextOf(names, "kind");
  if (kind.empty() || !TextOf(names, "listKind").empty()) return;
  const std::string list_kind = std::string(kind) + "List";
  names.Set(context.arena, "listKind", Value::String(context.arena.Copy(list_kind)));
}

void DefaultStoredVersions(Value& definition, const RuleContext& context) {
  Value* spec = PartOf(definition, "spec");
  if (spec == nullptr) return;
  for (Value& version : ItemsOf(*spec, "versions")) {
    const Value* storage = version.Find("storage");
    if (storage == nullptr || !storage->AsBool()) continue;
    const Value name = Value::String(TextOf(version, "name"));
    Value& status = MakePart(definition, "status", context.arena);
    if (!ItemsOf(status, "storedVersions").empty()) return;
    status.Set(context.arena, "storedVersions", Value::List(context.arena, {&name, 1}));
    return;
  }
}

void StampTaint(Value& taint, const RuleContext& context) {
  Clock* clock = context.settings.clock;
  if (clock == nullptr || taint.Find("timeAdded") != nullptr) return;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock->Wall());
  taint.Set(context.arena, "timeAdded", Value::Time({now.count(), 0}));
}

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/v1";
constexpr std::string_view kDefinition = "CustomResourceDefinition";

constexpr CodeRuleEntry kRules[] = {
    {"core/v1", "Namespace", "metadata.labels[kubernetes.io/metadata.name]", LabelWithName},
    {"core/v1", "LimitRangeItem", "default[r]", DefaultContainerLimits},
    {"core/v1", "LimitRangeItem", "defaultRequest[r]", DefaultContainerRequests},
    {kDefinitions, kDefinition, "spec.names.singular", DefaultSingularName},
    {kDefinitions, kDefinition, "spec.names.listKind", DefaultListKind},
    {kDefinitions, kDefinition, "status.storedVersions", DefaultStoredVersions},
    {"resource.k8s.io/v1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta2", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1alpha3", "DeviceTaint", "timeAdded", StampTaint},
};

}  // namespace

std::span<const CodeRuleEntry> ClusterRules() { return kRules; }

}  // namespace skiff

// Of namespaces, limit ranges, custom resource definitions, devices and priority levels.
#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/wire_rules.h"
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

// The first version of definitions knew one version of a resource only.
void DefaultVersions(Value& definition, const RuleContext& context) {
  Value* spec = PartOf(definition, "spec");
  const std::string_view name = spec == nullptr ? std::string_view() : TextOf(*spec, "version");
  if (name.empty() || !ItemsOf(*spec, "versions").empty()) return;
  const uint16_t index = spec->type()->FindField("versions");
  Value version = Value::EmptyObject(context.arena, spec->type()->fields[index].message);
  version.Set(context.arena, "name", Value::String(name));
  version.Set(context.arena, "served", Value::Bool(true));
  version.Set(context.arena, "storage", Value::Bool(true));
  spec->SetMember(context.arena, index, Value::List(context.arena, {&version, 1}));
}

void DefaultVersion(Value& definition, const RuleContext& context) {
  Value* spec = PartOf(definition, "spec");
  if (spec == nullptr || !TextOf(*spec, "version").empty()) return;
  const std::span<Value> versions = ItemsOf(*spec, "versions");
  if (versions.empty()) return;
  spec->Set(context.arena, "version", Value::String(TextOf(versions[0], "name")));
}

// Zero is a share that somebody wants only if an annotation says so.
void DefaultShares(Value& level, const RuleContext& context) {
  Value* spec = PartOf(level, "spec");
  Value* limited = spec == nullptr ? nullptr : PartOf(*spec, "limited");
  if (limited == nullptr) return;
  const Value* shares = limited->Find("nominalConcurrencyShares");
  if (shares != nullptr && shares->AsInt() != 0) return;
  const Value* annotations = level.FindPath({"metadata", "annotations"});
  if (annotations != nullptr &&
      annotations->Find("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares") != nullptr) {
    return;
  }
  limited->Set(context.arena, "nominalConcurrencyShares", Value::Int(30));
}

void StampTaint(Value& taint, const RuleContext& context) {
  Clock* clock = context.settings.clock;
  if (clock == nullptr || taint.Find("timeAdded") != nullptr) return;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock->Wall());
  taint.Set(context.arena, "timeAdded", Value::Time({now.count(), 0}));
}

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/v1";
constexpr std::string_view kOldDefinitions = "apiextensions.k8s.io/v1beta1";
constexpr std::string_view kDefinition = "CustomResourceDefinition";

constexpr CodeRuleEntry kRules[] = {
    {"core/v1", "Namespace", "metadata.labels[kubernetes.io/metadata.name]", LabelWithName,
     IsLabelledWithName},
    {"core/v1", "LimitRangeItem", "default[r]", DefaultContainerLimits, NeverCertain},
    {"core/v1", "LimitRangeItem", "defaultRequest[r]", DefaultContainerRequests, NeverCertain},
    {kDefinitions, kDefinition, "spec.names.singular", DefaultSingularName},
    {kDefinitions, kDefinition, "spec.names.listKind", DefaultListKind},
    {kDefinitions, kDefinition, "status.storedVersions", DefaultStoredVersions},
    {kOldDefinitions, kDefinition, "spec.names.singular", DefaultSingularName},
    {kOldDefinitions, kDefinition, "spec.names.listKind", DefaultListKind},
    {kOldDefinitions, kDefinition, "spec.versions", DefaultVersions},
    {kOldDefinitions, kDefinition, "spec.version", DefaultVersion},
    {kOldDefinitions, kDefinition, "status.storedVersions", DefaultStoredVersions},
    {"flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration",
     "spec.limited.nominalConcurrencyShares", DefaultShares, NeverCertain},
    {"resource.k8s.io/v1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta2", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1beta1", "DeviceTaint", "timeAdded", StampTaint},
    {"resource.k8s.io/v1alpha3", "DeviceTaint", "timeAdded", StampTaint},
};

}  // namespace

std::span<const CodeRuleEntry> ClusterRules() { return kRules; }

}  // namespace skiff

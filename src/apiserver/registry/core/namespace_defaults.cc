#include "apiserver/registry/core/namespace_defaults.h"

#include "apiserver/defaults/wire_text.h"

namespace skiff::apiserver {
namespace {

// A namespace carries its name as a label, whatever its writer thinks that label should be.
void LabelWithName(object::Value& space, const RuleContext& context) {
  object::Value* meta = PartOf(space, "metadata");
  const std::string_view name = meta == nullptr ? std::string_view() : TextOf(*meta, "name");
  if (name.empty()) return;
  MakePart(*meta, "labels", context.arena)
      .SetEntry(context.arena, "kubernetes.io/metadata.name", object::Value::String(name));
}

// --- whether they would change nothing, by the bytes

bool IsLabelledWithName(std::string_view name_space, const RuleSettings&) {
  static const object::WirePath name = CorePath("Namespace", "metadata.name");
  static const object::WirePath labels = CorePath("Namespace", "metadata.labels");
  bool odd = false;
  const std::string_view own = WireTextAt(name, name_space, odd);
  bool labelled = false;
  const bool sound = labels.ForEach(name_space, [&](const object::WirePath::Found& found) {
    WireEntry entry;
    if (!ReadWireEntry(found.bytes, entry)) return false;
    if (entry.key == "kubernetes.io/metadata.name") labelled = entry.value == own;
    return true;
  });
  return sound && !odd && labelled;
}

constexpr CodeRuleEntry kDefaults[] = {
    {"core/v1", "Namespace", "metadata.labels[kubernetes.io/metadata.name]", LabelWithName,
     IsLabelledWithName},
};

}  // namespace

std::span<const CodeRuleEntry> NamespaceDefaults() { return kDefaults; }

}  // namespace skiff::apiserver

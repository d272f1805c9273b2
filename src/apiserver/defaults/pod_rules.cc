// Of pods, their containers and volumes.
#include "apiserver/defaults/code_rules.h"
#include "apiserver/defaults/wire_rules.h"
#include "object/scalar/image_reference.h"

namespace skiff {
namespace {

// Images that may change under their name are pulled each time.
Value PullPolicyOf(std::string_view image) {
  return Value::String(ImageTag(image) == "latest" ? "Always" : "IfNotPresent");
}

void DefaultPullPolicy(Value& container, const RuleContext& context) {
  if (!TextOf(container, "imagePullPolicy").empty()) return;
  container.Set(context.arena, "imagePullPolicy", PullPolicyOf(TextOf(container, "image")));
}

// A volume of no kind is an empty directory. Everything but its name tells its kind.
void DefaultVolumeSource(Value& volume, const RuleContext& context) {
  const uint16_t name = volume.type()->FindField("name");
  for (const Value& member : volume.members()) {
    if (member.field() != name && !member.is_null()) return;
  }
  MakePart(volume, "emptyDir", context.arena);
}

void DefaultImageVolumePullPolicy(Value& volume, const RuleContext& context) {
  Value* image = PartOf(volume, "image");
  if (image == nullptr || !TextOf(*image, "pullPolicy").empty()) return;
  if (!context.settings.image_volumes) return;
  image->Set(context.arena, "pullPolicy", PullPolicyOf(TextOf(*image, "reference")));
}

// What a container may use at most is what it asks for, if it does not say.
void RequestLimits(Value& pod, std::string_view list, const RuleContext& context) {
  Value* spec = PartOf(pod, "spec");
  if (spec == nullptr) return;
  for (Value& container : ItemsOf(*spec, list)) {
    Value* resources = PartOf(container, "resources");
    Value* limits = resources == nullptr ? nullptr : PartOf(*resources, "limits");
    if (limits == nullptr || limits->size() == 0) continue;
    const Value from = *limits;
    AddMissingEntries(&from, MakePart(*resources, "requests", context.arena), context.arena);
  }
}

void RequestContainerLimits(Value& pod, const RuleContext& context) {
  RequestLimits(pod, "containers", context);
}

void RequestInitContainerLimits(Value& pod, const RuleContext& context) {
  RequestLimits(pod, "initContainers", context);
}

// In the host's network a container's port is the host's.
void DefaultHostPorts(Value& pod, const RuleContext& context) {
  Value* spec = PartOf(pod, "spec");
  const Value* host_network = spec == nullptr ? nullptr : spec->Find("hostNetwork");
  if (host_network == nullptr || host_network->is_null() || !host_network->AsBool()) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (Value& container : ItemsOf(*spec, list)) {
      for (Value& port : ItemsOf(container, "ports")) {
        const Value* host = port.Find("hostPort");
        const Value* own = port.Find("containerPort");
        if (own == nullptr || (host != nullptr && host->AsInt() != 0)) continue;
        port.Set(context.arena, "hostPort", Value::Int(own->AsInt()));
      }
    }
  }
}

constexpr CodeRuleEntry kRules[] = {
    {"core/v1", "Container", "imagePullPolicy", DefaultPullPolicy},
    {"core/v1", "EphemeralContainerCommon", "imagePullPolicy", DefaultPullPolicy},
    {"core/v1", "Volume", "emptyDir", DefaultVolumeSource, HasVolumeSource},
    {"core/v1", "Volume", "image.pullPolicy", DefaultImageVolumePullPolicy, HasImagePullPolicy},
    {"core/v1", "Pod", "spec.containers[*].resources.requests[r]", RequestContainerLimits,
     RequestsContainerLimits},
    {"core/v1", "Pod", "spec.initContainers[*].resources.requests[r]", RequestInitContainerLimits,
     RequestsInitContainerLimits},
    {"core/v1", "Pod", "spec.containers[*].ports[*].hostPort", DefaultHostPorts, HasHostPorts},
};

}  // namespace

std::span<const CodeRuleEntry> PodRules() { return kRules; }

}  // namespace skiff

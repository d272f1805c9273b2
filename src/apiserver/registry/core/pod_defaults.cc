#include "apiserver/registry/core/pod_defaults.h"

#include <algorithm>
#include <array>

#include "apiserver/defaults/wire_text.h"
#include "object/scalar/image_reference.h"

namespace skiff::apiserver {
namespace {

// Images that may change under their name are pulled each time.
object::Value PullPolicyOf(std::string_view image) {
  return object::Value::String(object::ImageTag(image) == "latest" ? "Always" : "IfNotPresent");
}

void DefaultPullPolicy(object::Value& container, const RuleContext& context) {
  if (!TextOf(container, "imagePullPolicy").empty()) return;
  container.Set(context.arena, "imagePullPolicy", PullPolicyOf(TextOf(container, "image")));
}

// A volume of no kind is an empty directory. Everything but its name tells its kind.
void DefaultVolumeSource(object::Value& volume, const RuleContext& context) {
  const uint16_t name = volume.type()->FindField("name");
  for (const object::Value& member : volume.members()) {
    if (member.field() != name && !member.is_null()) return;
  }
  MakePart(volume, "emptyDir", context.arena);
}

void DefaultImageVolumePullPolicy(object::Value& volume, const RuleContext& context) {
  object::Value* image = PartOf(volume, "image");
  if (image == nullptr || !TextOf(*image, "pullPolicy").empty()) return;
  image->Set(context.arena, "pullPolicy", PullPolicyOf(TextOf(*image, "reference")));
}

// What a container may use at most is what it asks for, if it does not say.
void RequestLimits(object::Value& pod, std::string_view list, const RuleContext& context) {
  object::Value* spec = PartOf(pod, "spec");
  if (spec == nullptr) return;
  for (object::Value& container : ItemsOf(*spec, list)) {
    object::Value* resources = PartOf(container, "resources");
    object::Value* limits = resources == nullptr ? nullptr : PartOf(*resources, "limits");
    if (limits == nullptr || limits->size() == 0) continue;
    const object::Value from = *limits;
    AddMissingEntries(&from, MakePart(*resources, "requests", context.arena), context.arena);
  }
}

void RequestContainerLimits(object::Value& pod, const RuleContext& context) {
  RequestLimits(pod, "containers", context);
}

void RequestInitContainerLimits(object::Value& pod, const RuleContext& context) {
  RequestLimits(pod, "initContainers", context);
}

// In the host's network a container's port is the host's.
void DefaultHostPorts(object::Value& pod, const RuleContext& context) {
  object::Value* spec = PartOf(pod, "spec");
  const object::Value* host_network = spec == nullptr ? nullptr : spec->Find("hostNetwork");
  if (host_network == nullptr || host_network->is_null() || !host_network->AsBool()) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (object::Value& container : ItemsOf(*spec, list)) {
      for (object::Value& port : ItemsOf(container, "ports")) {
        const object::Value* host = port.Find("hostPort");
        const object::Value* own = port.Find("containerPort");
        if (own == nullptr || (host != nullptr && host->AsInt() != 0)) continue;
        port.Set(context.arena, "hostPort", object::Value::Int(own->AsInt()));
      }
    }
  }
}

// --- whether they would change nothing, by the bytes

// A volume is {1 name, 2 source}, and each field of the source tells its kind.
bool HasVolumeSource(std::string_view volume, const RuleSettings&) {
  constexpr uint32_t kSourceKey = object::WireKey(2, object::WireType::kBytes);
  static const object::MessageDesc* const type = object::FindMessage("core/v1", "VolumeSource");
  std::string_view source;
  for (object::WireReader in(volume); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    const bool read = key == kSourceKey ? in.ReadBytes(&source) == object::WireError::kNone
                                        : object::PassOver(in, key);
    if (!read) return false;
  }
  for (object::WireReader in(source); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone) return false;
    const object::ProtoFieldDesc* const field = type->FindProtoField(object::WireFieldNumber(key));
    if (field != nullptr && field->key == key) return true;
    if (!object::PassOver(in, key)) return false;
  }
  return false;
}

bool HasImagePullPolicy(std::string_view volume, const RuleSettings&) {
  static const object::WirePath image = CorePath("Volume", "image");
  static const object::WirePath policy = CorePath("Volume", "image.pullPolicy");
  const object::WirePath::Answer there = image.IsSet(volume);
  if (there != object::WirePath::Answer::kYes) return there == object::WirePath::Answer::kNo;
  return policy.IsSet(volume) == object::WirePath::Answer::kYes;
}

// Whether each key of the map `limits` is one of `requests`, in a container.
bool RequestsLimits(std::string_view container) {
  static const object::WirePath resources = CorePath("Container", "resources");
  static const object::WirePath limits = CorePath("ResourceRequirements", "limits");
  static const object::WirePath requests = CorePath("ResourceRequirements", "requests");
  bool odd = false;
  const auto found_resources = resources.Find(container, odd);
  if (odd || !found_resources || found_resources->bytes.empty()) return !odd;
  constexpr size_t kMost = 16;  // more are left to the decoder
  std::array<std::string_view, kMost> requested;
  size_t count = 0;
  const bool sound =
      requests.ForEach(found_resources->bytes, [&](const object::WirePath::Found& found) {
        WireEntry entry;
        if (count == kMost || !ReadWireEntry(found.bytes, entry)) return false;
        requested[count++] = entry.key;
        return true;
      });
  return sound && limits.ForEach(found_resources->bytes, [&](const object::WirePath::Found& found) {
    WireEntry entry;
    if (!ReadWireEntry(found.bytes, entry)) return false;
    return std::find(requested.begin(), requested.begin() + count, entry.key) !=
           requested.begin() + count;
  });
}

bool RequestsContainerLimits(std::string_view pod, const RuleSettings&) {
  static const object::WirePath containers = CorePath("Pod", "spec.containers");
  return containers.ForEach(
      pod, [](const object::WirePath::Found& found) { return RequestsLimits(found.bytes); });
}

bool RequestsInitContainerLimits(std::string_view pod, const RuleSettings&) {
  static const object::WirePath containers = CorePath("Pod", "spec.initContainers");
  return containers.ForEach(
      pod, [](const object::WirePath::Found& found) { return RequestsLimits(found.bytes); });
}

bool HasHostPorts(std::string_view pod, const RuleSettings&) {
  static const object::WirePath host_network = CorePath("Pod", "spec.hostNetwork");
  static const object::WirePath ports = CorePath("Pod", "spec.containers[*].ports[*].hostPort");
  static const object::WirePath init_ports =
      CorePath("Pod", "spec.initContainers[*].ports[*].hostPort");
  const object::WirePath::Answer host = host_network.IsSet(pod);
  if (host != object::WirePath::Answer::kYes) return host == object::WirePath::Answer::kNo;
  return ports.IsSet(pod) == object::WirePath::Answer::kYes &&
         init_ports.IsSet(pod) == object::WirePath::Answer::kYes;
}

constexpr CodeRuleEntry kDefaults[] = {
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

std::span<const CodeRuleEntry> PodDefaults() { return kDefaults; }

}  // namespace skiff::apiserver

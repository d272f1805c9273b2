#include "apiserver/defaults/wire_rules.h"

#include <algorithm>
#include <array>

#include "object/protobuf/wire_path.h"

namespace skiff {
namespace {

using Found = WirePath::Found;

WirePath PathOf(std::string_view message, std::string_view path) {
  return WirePath::Of(FindMessage("core/v1", message), path);
}

// Text at a path, empty when there is none.
std::string_view TextAt(const WirePath& path, std::string_view message, bool& odd) {
  const auto found = path.Find(message, odd);
  return found ? found->bytes : std::string_view();
}

struct Entry {
  std::string_view key;
  std::string_view value;
};

bool ReadEntry(std::string_view bytes, Entry& out) {
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    WireError error = WireError::kNone;
    if (key == WireKey(1, WireType::kBytes)) {
      error = in.ReadBytes(&out.key);
    } else if (key == WireKey(2, WireType::kBytes)) {
      error = in.ReadBytes(&out.value);
    } else {
      error = in.Skip(key);
    }
    if (error != WireError::kNone) return false;
  }
  return true;
}

// Whether each key of the map `limits` is one of `requests`, in a container.
bool RequestsLimits(std::string_view container) {
  static const WirePath resources = PathOf("Container", "resources");
  static const WirePath limits = PathOf("ResourceRequirements", "limits");
  static const WirePath requests = PathOf("ResourceRequirements", "requests");
  bool odd = false;
  const auto found_resources = resources.Find(container, odd);
  if (odd || !found_resources || found_resources->bytes.empty()) return !odd;
  constexpr size_t kMost = 16;  // more are left to the decoder
  std::array<std::string_view, kMost> requested;
  size_t count = 0;
  const bool sound = requests.ForEach(found_resources->bytes, [&](const Found& found) {
    Entry entry;
    if (count == kMost || !ReadEntry(found.bytes, entry)) return false;
    requested[count++] = entry.key;
    return true;
  });
  return sound && limits.ForEach(found_resources->bytes, [&](const Found& found) {
    Entry entry;
    if (!ReadEntry(found.bytes, entry)) return false;
    return std::find(requested.begin(), requested.begin() + count, entry.key) !=
           requested.begin() + count;
  });
}

}  // namespace

// A volume is {1 name, 2 source}, and each field of the source tells its kind.
bool HasVolumeSource(std::string_view volume, const RuleSettings&) {
  constexpr uint32_t kSourceKey = WireKey(2, WireType::kBytes);
  static const MessageDesc* const type = FindMessage("core/v1", "VolumeSource");
  std::string_view source;
  for (WireReader in(volume); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    const bool read =
        key == kSourceKey ? in.ReadBytes(&source) == WireError::kNone : PassOver(in, key);
    if (!read) return false;
  }
  for (WireReader in(source); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    const ProtoFieldDesc* const field = type->FindProtoField(WireFieldNumber(key));
    if (field != nullptr && field->key == key) return true;
    if (!PassOver(in, key)) return false;
  }
  return false;
}

bool HasImagePullPolicy(std::string_view volume, const RuleSettings& settings) {
  if (!settings.image_volumes) return true;
  static const WirePath image = PathOf("Volume", "image");
  static const WirePath policy = PathOf("Volume", "image.pullPolicy");
  const WirePath::Answer there = image.IsSet(volume);
  if (there != WirePath::Answer::kYes) return there == WirePath::Answer::kNo;
  return policy.IsSet(volume) == WirePath::Answer::kYes;
}

bool RequestsContainerLimits(std::string_view pod, const RuleSettings&) {
  static const WirePath containers = PathOf("Pod", "spec.containers");
  return containers.ForEach(pod, [](const Found& found) { return RequestsLimits(found.bytes); });
}

bool RequestsInitContainerLimits(std::string_view pod, const RuleSettings&) {
  static const WirePath containers = PathOf("Pod", "spec.initContainers");
  return containers.ForEach(pod, [](const Found& found) { return RequestsLimits(found.bytes); });
}

bool HasHostPorts(std::string_view pod, const RuleSettings&) {
  static const WirePath host_network = PathOf("Pod", "spec.hostNetwork");
  static const WirePath ports = PathOf("Pod", "spec.containers[*].ports[*].hostPort");
  static const WirePath init_ports = PathOf("Pod", "spec.initContainers[*].ports[*].hostPort");
  const WirePath::Answer host = host_network.IsSet(pod);
  if (host != WirePath::Answer::kYes) return host == WirePath::Answer::kNo;
  return ports.IsSet(pod) == WirePath::Answer::kYes &&
         init_ports.IsSet(pod) == WirePath::Answer::kYes;
}

bool HasNoPodLevelResources(std::string_view pod, const RuleSettings& settings) {
  static const WirePath resources = PathOf("Pod", "spec.resources");
  return !settings.pod_level_resources || resources.IsSet(pod) == WirePath::Answer::kNo;
}

bool HasNoUnusedAffinityConfig(std::string_view service, const RuleSettings&) {
  static const WirePath affinity = PathOf("Service", "spec.sessionAffinity");
  static const WirePath config = PathOf("Service", "spec.sessionAffinityConfig");
  bool odd = false;
  if (TextAt(affinity, service, odd) != "None" && !odd) return true;
  return !odd && config.IsSet(service) == WirePath::Answer::kNo;
}

bool HasIngressIpModes(std::string_view service, const RuleSettings&) {
  static const WirePath type = PathOf("Service", "spec.type");
  static const WirePath modes = PathOf("Service", "status.loadBalancer.ingress[*].ipMode");
  bool odd = false;
  if (TextAt(type, service, odd) != "LoadBalancer" && !odd) return true;
  // One without an address needs no mode, and is left to the decoder.
  return !odd && modes.IsSet(service) == WirePath::Answer::kYes;
}

// An integer-or-string: {1 type, 2 number, 3 text}, type 0 being a number.
bool HasTargetPort(std::string_view port, const RuleSettings&) {
  static const WirePath target = PathOf("ServicePort", "targetPort");
  bool odd = false;
  const auto found = target.Find(port, odd);
  if (!found) return false;
  uint64_t type = 0;
  uint64_t number = 0;
  std::string_view text;
  for (WireReader in(found->bytes); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    WireError error = WireError::kNone;
    switch (key) {
      case WireKey(1, WireType::kVarint):
        error = in.ReadVarint(&type);
        break;
      case WireKey(2, WireType::kVarint):
        error = in.ReadVarint(&number);
        break;
      case WireKey(3, WireType::kBytes):
        error = in.ReadBytes(&text);
        break;
      default:
        error = in.Skip(key);
    }
    if (error != WireError::kNone) return false;
  }
  return type == 0 ? number != 0 : !text.empty();
}

bool IsLabelledWithName(std::string_view name_space, const RuleSettings&) {
  static const WirePath name = PathOf("Namespace", "metadata.name");
  static const WirePath labels = PathOf("Namespace", "metadata.labels");
  bool odd = false;
  const std::string_view own = TextAt(name, name_space, odd);
  bool labelled = false;
  const bool sound = labels.ForEach(name_space, [&](const Found& found) {
    Entry entry;
    if (!ReadEntry(found.bytes, entry)) return false;
    if (entry.key == "kubernetes.io/metadata.name") labelled = entry.value == own;
    return true;
  });
  return sound && !odd && labelled;
}

}  // namespace skiff

#include "apiserver/convert/normal_bytes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "apiserver/convert/old_names.h"
#include "apiserver/convert/rules.h"
#include "object/protobuf/wire_path.h"
#include "views/apps/v1.h"
#include "views/autoscaling/v2.h"
#include "views/batch/v1.h"
#include "views/core/v1.h"
#include "views/policy/v1.h"

namespace skiff {
namespace {

using namespace views;
using Found = WirePath::Found;

// Nothing when the field is there more than once or cannot be read; only decoding tells then.
std::optional<std::string_view> TextAt(const WirePath& path, std::string_view message) {
  bool odd = false;
  const std::optional<Found> found = path.Find(message, odd);
  if (odd) return std::nullopt;
  return found ? found->bytes : std::string_view();
}

// Two fields that are to hold the same text.
struct SameText {
  WirePath one;
  WirePath other;

  bool Holds(std::string_view message) const {
    const std::optional<std::string_view> first = TextAt(one, message);
    return first && first == TextAt(other, message);
  }
};

// A field that is to hold the text of the first item of a list.
struct SameAsFirst {
  WirePath one;
  WirePath items;
  WirePath text = {};  // within an item; without steps: the item is the text

  bool Holds(std::string_view message) const {
    std::optional<std::string_view> item;
    const bool sound = items.ForEach(message, [&](const Found& each) {
      if (!item) item = each.bytes;
      return true;
    });
    if (!sound) return false;
    const std::optional<std::string_view> first = TextAt(one, message);
    if (!item) return first && first->empty();
    if (!text.steps().empty()) item = TextAt(text, *item);
    return item && !item->empty() && first == item;
  }
};

bool IsAbsent(const WirePath& path, std::string_view message) {
  bool absent = true;
  const bool sound = path.ForEach(message, [&](const Found&) {
    absent = false;
    return true;
  });
  return sound && absent;
}

// The key of a map's entry is its first field.
std::string_view KeyOf(std::string_view entry) {
  WireReader in(entry);
  uint32_t key = 0;
  std::string_view out;
  if (in.ReadKey(&key) != WireError::kNone || key != WireKey(1, WireType::kBytes) ||
      in.ReadBytes(&out) != WireError::kNone) {
    return {};
  }
  return out;
}

template <typename Unwanted>
bool HasNone(const WirePath& annotations, std::string_view message, Unwanted unwanted) {
  return annotations.ForEach(message, [&](const Found& entry) {
    const std::string_view key = KeyOf(entry.bytes);
    return !key.empty() && !unwanted(key);
  });
}

// A pod, or the template of one at a path.
class NormalPod {
 public:
  NormalPod(const MessageDesc* type, const std::string& at)
      : account_{WirePath::Of(type, at + "spec.serviceAccountName"),
                 WirePath::Of(type, at + "spec.serviceAccount")},
        annotations_(WirePath::Of(type, at + "metadata.annotations")) {}

  bool Holds(std::string_view message) const {
    return account_.Holds(message) && HasNone(annotations_, message, [](std::string_view key) {
             return std::ranges::find(kInitContainerAnnotations, key) !=
                    std::end(kInitContainerAnnotations);
           });
  }

 private:
  SameText account_;
  WirePath annotations_;
};

const NormalPod* FindPod(const MessageDesc* type) {
  static const auto* const pods = [] {
    auto* out = new std::unordered_map<const MessageDesc*, NormalPod>();
    const auto add = [&](const MessageDesc* of, const std::string& at) {
      out->emplace(of, NormalPod(of, at));
    };
    add(core_v1::Pod::Type(), "");
    add(core_v1::PodTemplate::Type(), "template.");
    add(batch_v1::CronJob::Type(), "spec.jobTemplate.spec.template.");
    for (const MessageDesc* of : {apps_v1::Deployment::Type(), apps_v1::ReplicaSet::Type(),
                                  apps_v1::StatefulSet::Type(), apps_v1::DaemonSet::Type(),
                                  core_v1::ReplicationController::Type(), batch_v1::Job::Type()}) {
      add(of, "spec.template.");
    }
    return out;
  }();
  const auto found = pods->find(type);
  return found == pods->end() ? nullptr : &found->second;
}

bool IsNormalPod(std::string_view pod) {
  static const WirePath grace =
      WirePath::Of(core_v1::Pod::Type(), "spec.terminationGracePeriodSeconds");
  static const SameAsFirst ip{WirePath::Of(core_v1::Pod::Type(), "status.podIP"),
                              WirePath::Of(core_v1::Pod::Type(), "status.podIPs[*]"),
                              WirePath::Of(core_v1::PodIP::Type(), "ip")};
  bool odd = false;
  const auto seconds = grace.Find(pod, odd);
  return !odd && (!seconds || static_cast<int64_t>(seconds->number) >= 0) && ip.Holds(pod);
}

bool IsNormalNode(std::string_view node) {
  static const SameAsFirst cidr{WirePath::Of(core_v1::Node::Type(), "spec.podCIDR"),
                                WirePath::Of(core_v1::Node::Type(), "spec.podCIDRs")};
  return cidr.Holds(node);
}

bool IsNormalDeployment(std::string_view deployment) {
  static const WirePath annotations =
      WirePath::Of(apps_v1::Deployment::Type(), "metadata.annotations");
  return HasNone(annotations, deployment,
                 [](std::string_view key) { return key == kRollbackToAnnotation; });
}

bool IsNormalAutoscaler(std::string_view autoscaler) {
  static const WirePath annotations =
      WirePath::Of(autoscaling_v2::HorizontalPodAutoscaler::Type(), "metadata.annotations");
  return HasNone(annotations, autoscaler, [](std::string_view key) {
    return std::ranges::find(AutoscalingAnnotations(), key) != AutoscalingAnnotations().end();
  });
}

bool IsNormalSecret(std::string_view secret) {
  static const WirePath strings = WirePath::Of(core_v1::Secret::Type(), "stringData");
  return IsAbsent(strings, secret);
}

bool IsNormalBudget(std::string_view budget) {
  static const WirePath expressions =
      WirePath::Of(policy_v1::PodDisruptionBudget::Type(), "spec.selector.matchExpressions");
  return IsAbsent(expressions, budget);
}

}  // namespace

bool IsNormal(const MessageDesc* type, std::string_view message) {
  if (const NormalPod* pod = FindPod(type); pod != nullptr && !pod->Holds(message)) return false;
  if (type == core_v1::Pod::Type()) return IsNormalPod(message);
  if (type == core_v1::Node::Type()) return IsNormalNode(message);
  if (type == core_v1::Secret::Type()) return IsNormalSecret(message);
  if (type == apps_v1::Deployment::Type()) return IsNormalDeployment(message);
  if (type == policy_v1::PodDisruptionBudget::Type()) return IsNormalBudget(message);
  if (type == autoscaling_v2::HorizontalPodAutoscaler::Type()) return IsNormalAutoscaler(message);
  // Their annotation has to be a number.
  return type != apps_v1::DaemonSet::Type();
}

}  // namespace skiff

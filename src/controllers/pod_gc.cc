#include "controllers/pod_gc.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr Duration kPeriod = std::chrono::seconds(20);
// How long a node that pods name may be missing before the server is asked whether it exists.
constexpr Duration kQuarantine = std::chrono::seconds(40);
constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";

using Pods = std::vector<client::ObjectPtr>;

bool HasEnded(const core::Pod& pod) {
  const std::string_view phase = pod.status().phase();
  return phase != "Pending" && phase != "Running" && phase != "Unknown";
}

// Evicted pods first, then the oldest.
bool GoesFirst(const client::ObjectPtr& a, const client::ObjectPtr& b) {
  const auto rank = [](const core::Pod& pod) {
    const bool evicted = pod.status().phase() == "Failed" && pod.status().reason() == "Evicted";
    return std::tuple(!evicted, pod.metadata().creation_timestamp(), pod.metadata().name());
  };
  return rank(core::Pod(*a)) < rank(core::Pod(*b));
}

bool IsReady(const core::Node& node) {
  for (const core::NodeCondition condition : node.status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  return false;
}

bool IsOutOfService(const core::Node& node) {
  if (IsReady(node)) return false;
  for (const core::Taint taint : node.spec().taints()) {
    if (taint.key() == kOutOfService) return true;
  }
  return false;
}

// The condition that says why a pod without a node goes, as JSON; empty: it says so already.
std::string DisruptionCondition(const core::Pod& pod, object::Timestamp now) {
  constexpr std::string_view kReason = "DeletionByPodGC";
  constexpr std::string_view kMessage = "PodGC: node no longer exists";
  object::Timestamp since = now;
  for (const core::PodCondition there : pod.status().conditions()) {
    if (there.type() != "DisruptionTarget" || there.status() != "True") continue;
    since = there.last_transition_time();
    if (there.reason() == kReason && there.message() == kMessage) return {};
  }
  std::string text = "{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"lastProbeTime\":null";
  text += ",\"lastTransitionTime\":\"";
  object::AppendTime(since, text);
  text +=
      "\",\"reason\":" + object::JsonText(kReason) + ",\"message\":" + object::JsonText(kMessage);
  if (const int64_t generation = pod.metadata().generation(); generation != 0) {
    text += ",\"observedGeneration\":" + std::to_string(generation);
  }
  return text + "}";
}

std::string FailedPatch(const core::Pod& pod, const std::string& condition) {
  std::string text = "{\"metadata\":{\"uid\":" + object::JsonText(pod.metadata().uid()) +
                     "},\"status\":{\"phase\":\"Failed\"";
  if (const int64_t generation = pod.metadata().generation(); generation != 0) {
    text += ",\"observedGeneration\":" + std::to_string(generation);
  }
  if (!condition.empty()) text += ",\"conditions\":[" + condition + "]";
  return text + "}}";
}

class PodGc final : public PeriodicController {
 public:
  explicit PodGc(ControllerContext context)
      : PeriodicController(std::move(context), "pod_gc", kPeriod),
        pods_(context_.informers.For(client::BuiltIn("", "v1", "pods"))),
        nodes_(context_.informers.For(client::BuiltIn("", "v1", "nodes"))) {
    queue_.Follow(pods_, {});
    queue_.Follow(nodes_, {});
  }

 private:
  Task<void> Round() override {
    const Pods pods = pods_.List();
    done_.clear();
    co_await CollectEnded(pods);
    co_await CollectOutOfService(pods);
    co_await CollectOrphans(pods);
    co_await CollectUnscheduled(pods);
  }

  Task<void> CollectEnded(const Pods& pods) {
    if (context_.options.terminated_pod_gc_threshold <= 0) co_return;
    const auto threshold = static_cast<size_t>(context_.options.terminated_pod_gc_threshold);
    Pods ended;
    for (const client::ObjectPtr& pod : pods) {
      if (HasEnded(core::Pod(*pod))) ended.push_back(pod);
    }
    if (ended.size() <= threshold) co_return;
    std::ranges::sort(ended, GoesFirst);
    ended.resize(ended.size() - threshold);
    context_.log.Info("Garbage collecting pods", {{"numPods", std::to_string(ended.size())}});
    for (const client::ObjectPtr& pod : ended) co_await Collect(pod, "terminated", kNoCondition);
  }

  Task<void> CollectOutOfService(const Pods& pods) {
    for (const client::ObjectPtr& document : pods) {
      const core::Pod pod(*document);
      if (!pod.metadata().deletion_timestamp() || pod.spec().node_name().empty()) continue;
      const client::ObjectPtr node =
          nodes_.Find({.name_space = {}, .name = std::string(pod.spec().node_name())});
      if (node && IsOutOfService(core::Node(*node))) {
        co_await Collect(document, "out-of-service", kNoCondition);
      }
    }
  }

  Task<void> CollectOrphans(const Pods& pods) {
    Quarantine(pods);
    const std::set<std::string, std::less<>> gone = co_await NodesGone();
    if (gone.empty()) co_return;
    for (const client::ObjectPtr& document : pods) {
      const core::Pod pod(*document);
      if (!gone.contains(pod.spec().node_name())) continue;
      co_await Collect(document, "orphaned", DisruptionCondition(pod, WallTime(context_.clock)));
    }
  }

  Task<void> CollectUnscheduled(const Pods& pods) {
    for (const client::ObjectPtr& document : pods) {
      const core::Pod pod(*document);
      if (pod.metadata().deletion_timestamp() && pod.spec().node_name().empty()) {
        co_await Collect(document, "unscheduled", kNoCondition);
      }
    }
  }

  bool HasNode(std::string_view name) const {
    return nodes_.Find({.name_space = {}, .name = std::string(name)}) != nullptr;
  }

  // Bounded by the pods that there are.
  void Quarantine(const Pods& pods) {
    const Duration until = context_.clock.Monotonic() + kQuarantine;
    for (const client::ObjectPtr& pod : pods) {
      const std::string_view node = core::Pod(*pod).spec().node_name();
      if (!node.empty() && !HasNode(node)) quarantine_.try_emplace(std::string(node), until);
    }
  }

  // Those whose quarantine is over, and of which the server too says that they do not exist.
  Task<std::set<std::string, std::less<>>> NodesGone() {
    const Duration now = context_.clock.Monotonic();
    std::vector<std::string> over;
    for (const auto& [name, until] : quarantine_) {
      if (until <= now) over.push_back(name);
    }
    std::set<std::string, std::less<>> gone;
    for (const std::string& name : over) {
      quarantine_.erase(name);
      if (HasNode(name)) continue;
      client::ObjectName node = {.name_space = {}, .name = name};
      const Result<client::ObjectPtr> live =
          co_await context_.client.Get(nodes_.resource(), std::move(node));
      if (FailedWith(live, StatusReason::kNotFound)) {
        gone.insert(name);
      } else if (!live) {
        context_.log.Error("Error while getting node",
                           {{"node", name}, {"err", live.error().ToString()}});
      }
    }
    co_return gone;
  }

  inline static const std::string kNoCondition = {};

  // A pod whose phase is not final would be mourned as running for ever; it fails before it goes.
  Task<void> Collect(client::ObjectPtr document, std::string_view reason, std::string condition) {
    if (!done_.insert(std::string(client::UidOf(*document))).second) co_return;
    const bool failed = co_await FailsToDelete(document, std::move(condition));
    if (context_.metrics != nullptr) {
      context_.metrics->CountPodDeletion(client::NameOf(*document).name_space, reason, failed);
    }
  }

  Task<bool> FailsToDelete(client::ObjectPtr document, std::string condition) {
    const core::Pod pod(*document);
    const client::ObjectName name = client::NameOf(*document);
    context_.log.Info("PodGC is force deleting Pod", {{"pod", KeyOf(*document)}});
    const std::string_view phase = pod.status().phase();
    if (phase != "Succeeded" && phase != "Failed") {
      std::string patch = FailedPatch(pod, condition);
      const Result<client::ObjectPtr> failed = co_await context_.client.Patch(
          pods_.resource(), name, client::PatchType::kStrategic, std::move(patch), "status");
      if (!failed) {
        const bool was_there = !FailedWith(failed, StatusReason::kNotFound);
        if (was_there) TellFailure(*document, failed.error());
        co_return was_there;
      }
    }
    client::DeleteChoice how;
    how.uid = client::UidOf(*document);
    how.grace_period_seconds = 0;
    const Result<void> deleted =
        co_await context_.client.Delete(pods_.resource(), name, std::move(how));
    if (deleted || FailedWith(deleted, StatusReason::kNotFound)) co_return false;
    TellFailure(*document, deleted.error());
    co_return true;
  }

  void TellFailure(const object::Document& pod, const Status& why) const {
    context_.log.Error("Failed to delete a pod", {{"pod", KeyOf(pod)}, {"err", why.ToString()}});
  }

  client::Informer& pods_;
  client::Informer& nodes_;
  std::map<std::string, Duration> quarantine_;  // by node: when it ends
  std::set<std::string> done_;                  // uids, in this round
};

}  // namespace

std::unique_ptr<Controller> MakePodGcController(ControllerContext context) {
  return std::make_unique<PodGc>(std::move(context));
}

}  // namespace skiff::controllers

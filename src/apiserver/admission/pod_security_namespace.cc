#include "apiserver/admission/pod_security_namespace.h"

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/pod_security/evaluate.h"
#include "apiserver/rest/object_output.h"
#include "base/limits.h"
#include "base/strings.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view ControllerUid(const core::Pod& pod) {
  for (const auto owner : pod.metadata().owner_references()) {
    if (owner.controller().value_or(false)) return owner.uid();
  }
  return {};
}

// The pods with the same violations.
struct PodGroup {
  std::string first_name;
  size_t count = 0;
};

class NamespaceCheck {
 public:
  NamespaceCheck(const pod_security::LevelVersion& enforce, const PodSecurityConfig& config)
      : enforce_(enforce), config_(config) {}

  // Pods that are alone or the first of their controller are checked at once, others kept.
  void See(const store::CacheEntry& entry, Clock& clock, Duration deadline) {
    const Result<object::Document> document = DecodeStored(entry.value().view(), entry.revision());
    if (!document) return;
    const core::Pod pod(*document);
    const std::optional<std::string_view> runtime_class = pod.spec().runtime_class_name();
    if (runtime_class && config_.runtime_classes.contains(*runtime_class)) return;
    ++total_;
    const std::string_view controller = ControllerUid(pod);
    if (!controller.empty() && !controllers_.emplace(controller).second) {
      if (later_.size() < limits::kMaxPodsToCheck) later_.push_back(entry.value());
      return;
    }
    Check(pod, clock, deadline);
  }
  void CheckLater(Clock& clock, Duration deadline) {
    for (const SharedBytes& bytes : later_) {
      const Result<object::Document> document = DecodeStored(bytes.view(), {});
      if (document) Check(core::Pod(*document), clock, deadline);
    }
  }

  std::vector<std::string> Warnings(std::string_view name_space) const {
    std::vector<std::string> out;
    if (checked_ < total_) {
      out.push_back("new PodSecurity enforce level only checked against the first " +
                    std::to_string(checked_) + " of " + std::to_string(total_) + " existing pods");
    }
    if (!groups_.empty()) {
      out.push_back("existing pods in namespace " + Quoted(name_space) +
                    " violate the new PodSecurity enforce level " + Quoted(enforce_.ToString()));
    }
    std::vector<std::string> of_pods;
    for (const auto& [reasons, group] : groups_) {
      std::string warning = group.first_name;
      if (group.count == 2) warning += " (and 1 other pod)";
      if (group.count > 2) {
        warning += " (and " + std::to_string(group.count - 1) + " other pods)";
      }
      of_pods.push_back(warning + ": " + reasons);
    }
    std::ranges::sort(of_pods);
    out.insert(out.end(), of_pods.begin(), of_pods.end());
    return out;
  }

 private:
  void Check(const core::Pod& pod, Clock& clock, Duration deadline) {
    if (checked_ == limits::kMaxPodsToCheck || late_) return;
    ++checked_;
    const auto violations =
        pod_security::Evaluate(enforce_, pod.metadata().annotations(), pod.spec());
    late_ = clock.Monotonic() >= deadline;
    if (violations.empty()) return;
    PodGroup& group = groups_[pod_security::Reasons(violations)];
    const std::string_view name = pod.metadata().name();
    if (group.count++ == 0 || name < group.first_name) group.first_name = std::string(name);
  }

  const pod_security::LevelVersion& enforce_;
  const PodSecurityConfig& config_;
  std::set<std::string, std::less<>> controllers_;
  std::vector<SharedBytes> later_;
  std::map<std::string, PodGroup> groups_;  // by reasons
  size_t total_ = 0;
  size_t checked_ = 0;
  bool late_ = false;
};

}  // namespace

std::vector<std::string> CheckPodsOfNamespace(ResourceStorage* pods, std::string_view name_space,
                                              const pod_security::LevelVersion& enforce,
                                              const PodSecurityConfig& config, Clock& clock) {
  const Duration deadline = clock.Monotonic() + limits::kMaxPodCheckTime;
  NamespaceCheck check(enforce, config);
  const bool listed =
      ForEachInCachedNamespace(pods, name_space, [&](const store::CacheEntry& entry) {
        check.See(entry, clock, deadline);
        return true;
      });
  if (!listed) return {"failed to list pods while checking new PodSecurity enforce level"};
  check.CheckLater(clock, deadline);
  return check.Warnings(name_space);
}

}  // namespace skiff::apiserver

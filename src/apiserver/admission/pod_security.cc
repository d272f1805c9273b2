#include "apiserver/admission/pod_security.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/pod_security/evaluate.h"
#include "apiserver/admission/pod_security/seccomp_annotations.h"
#include "apiserver/admission/pod_security_config.h"
#include "apiserver/admission/pod_security_namespace.h"
#include "apiserver/admission/request.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
using pod_security::Level;
using pod_security::LevelVersion;
using pod_security::NamespacePolicy;
using pod_security::Policy;

// Nothing that these write can make a pod less safe.
constexpr std::array<std::string_view, 8> kIgnoredSubresources = {
    "exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"};

using Path = std::span<const std::string_view>;
constexpr std::string_view kTemplate[] = {"template"};
constexpr std::string_view kSpecTemplate[] = {"spec", "template"};
constexpr std::string_view kJobTemplate[] = {"spec", "jobTemplate", "spec", "template"};

struct ControllerDesc {
  std::string_view group;
  std::string_view resource;
  Path path;  // of the template
};

constexpr ControllerDesc kControllers[] = {
    {"", "replicationcontrollers", kSpecTemplate},
    {"", "podtemplates", kTemplate},
    {"apps", "replicasets", kSpecTemplate},
    {"apps", "deployments", kSpecTemplate},
    {"apps", "statefulsets", kSpecTemplate},
    {"apps", "daemonsets", kSpecTemplate},
    {"batch", "jobs", kSpecTemplate},
    {"batch", "cronjobs", kJobTemplate},
};

// Null when there is none.
const object::Value* FindTemplate(const object::Document& object, Path path) {
  const object::Value* at = &object.root();
  for (const std::string_view name : path) {
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

template <typename Container>
bool ImagesDiffer(const object::ListView<Container>& a, const object::ListView<Container>& b) {
  if (a.size() != b.size()) return true;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].image() != b[i].image()) return true;
  }
  return false;
}

// Of all that can change in a pod, only other images, more containers, and what annotations say of
// seccomp are judged anew.
bool IsSignificant(const core::Pod& old_pod, const core::Pod& pod) {
  if (pod_security::AddsSeccompAnnotations(old_pod.metadata().annotations(),
                                           pod.metadata().annotations())) {
    return true;
  }
  const core::PodSpec before = old_pod.spec();
  const core::PodSpec after = pod.spec();
  if (ImagesDiffer(before.containers(), after.containers())) return true;
  if (ImagesDiffer(before.init_containers(), after.init_containers())) return true;
  std::map<std::string_view, std::string_view> old_images;
  for (const core::EphemeralContainer container : before.ephemeral_containers()) {
    old_images.emplace(container.name(), container.image());
  }
  for (const core::EphemeralContainer container : after.ephemeral_containers()) {
    const auto same = old_images.find(container.name());
    if (same == old_images.end() || same->second != container.image()) return true;
  }
  return false;
}

std::vector<StatusCause> CausesOf(const NamespacePolicy& policy) {
  FieldErrors errors(kDefaultSettings);
  const auto metadata = errors.At("metadata");
  for (const pod_security::LabelProblem& problem : policy.problems) {
    const auto label = errors.AtKey("labels", problem.label);
    errors.Invalid("", problem.value, problem.why);
  }
  return errors.Take();
}

std::string DescribeProblems(const NamespacePolicy& policy) {
  std::string out;
  for (const StatusCause& cause : CausesOf(policy)) {
    if (!out.empty()) out += ", ";
    out += cause.field + ": " + cause.message;
  }
  return policy.problems.size() > 1 ? "[" + out + "]" : out;
}

class PodSecurity final : public AdmissionPlugin {
 public:
  PodSecurity(const PluginContext& context, PodSecurityConfig config)
      : clock_(context.clock),
        namespaces_(context.storages.Find(object::FindResource("", "v1", "namespaces")->hub)),
        pods_(context.storages.Find(object::FindResource("", "v1", "pods")->hub)),
        config_(std::move(config)) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (request.operation != AdmissionOperation::kCreate &&
        request.operation != AdmissionOperation::kUpdate) {
      return {};
    }
    if (request.object == nullptr) return {};
    if (IsOf(request, "", "namespaces")) return ValidateNamespace(request);
    if (IsOf(request, "", "pods")) return ValidatePod(request);
    for (const ControllerDesc& controller : kControllers) {
      if (!IsOf(request, controller.group, controller.resource)) continue;
      if (request.subresource.empty()) ValidateController(request, controller);
      break;
    }
    return {};
  }

 private:
  static void Note(AdmissionRequest& request, std::string_view key, std::string text) {
    if (request.audit_annotations == nullptr) return;
    (*request.audit_annotations)["pod-security.kubernetes.io/" + std::string(key)] =
        std::move(text);
  }

  Result<void> ValidateNamespace(AdmissionRequest& request) {
    const auto object = object::ViewAs<core::Namespace>(*request.object);
    if (!request.subresource.empty() || !object) return {};
    const auto labels = object->metadata().labels();
    const NamespacePolicy now = pod_security::PolicyOfLabels(labels, config_.defaults);
    const std::string_view name = NameOf(request);
    const bool exempt = config_.namespaces.contains(name);
    if (request.operation == AdmissionOperation::kCreate) {
      if (!now.problems.empty()) return Refuse(request, now);
      if (exempt) WarnOfExemption(request, now.policy, labels);
      return {};
    }
    const auto old = object::ViewAs<core::Namespace>(*request.old);
    if (!old) return {};
    const NamespacePolicy before =
        pod_security::PolicyOfLabels(old->metadata().labels(), config_.defaults);
    // What was wrong before may stay so.
    if (!now.problems.empty() && now.problems != before.problems) return Refuse(request, now);
    const LevelVersion& enforce = now.policy.enforce;
    const LevelVersion& enforced = before.policy.enforce;
    if (enforce.level == Level::kPrivileged ||
        (enforce.version == enforced.version && enforce.level <= enforced.level)) {
      return {};
    }
    if (exempt) {
      WarnOfExemption(request, now.policy, labels);
      return {};
    }
    for (std::string& warning : CheckPodsOfNamespace(pods_, name, enforce, config_, clock_)) {
      AddWarning(request, std::move(warning));
    }
    return {};
  }

  static Result<void> Refuse(AdmissionRequest& request, const NamespacePolicy& policy) {
    return std::unexpected(Invalid("Namespace", "", NameOf(request), CausesOf(policy)));
  }

  void WarnOfExemption(AdmissionRequest& request, const Policy& policy,
                       const object::MapView<std::string_view>& labels) const {
    if (policy.IsFullyPrivileged() || policy.IsEquivalent(config_.defaults)) return;
    std::string modes;
    const auto add = [&](std::string_view mode, const LevelVersion& level, std::string_view label,
                         std::string_view version_label) {
      if (level.level == Level::kPrivileged) return;
      if (!labels.Contains(label) && !labels.Contains(version_label)) return;
      if (!modes.empty()) modes += ", ";
      modes += std::string(mode) + "=" + level.ToString();
    };
    add("enforce", policy.enforce, pod_security::kEnforceLabel, pod_security::kEnforceVersionLabel);
    add("audit", policy.audit, pod_security::kAuditLabel, pod_security::kAuditVersionLabel);
    add("warn", policy.warn, pod_security::kWarnLabel, pod_security::kWarnVersionLabel);
    AddWarning(request, "namespace " + object::JsonText(NameOf(request)) +
                            " is exempt from Pod Security, and the policy (" + modes +
                            ") will be ignored");
  }

  // Whether the request is not to be looked at, whatever it writes.
  bool IsExempt(AdmissionRequest& request) const {
    if (config_.namespaces.contains(request.name_space)) {
      Note(request, "exempt", "namespace");
      return true;
    }
    if (!request.user.name.empty() && config_.users.contains(request.user.name)) {
      Note(request, "exempt", "user");
      return true;
    }
    return false;
  }

  std::optional<NamespacePolicy> PolicyOf(const AdmissionRequest& request) const {
    const store::EntryRef entry = FindInCache(namespaces_, {}, request.name_space);
    if (!entry) {
      // One that is made for this very object has no labels of anybody's.
      if (!IsMadeIn(request.transaction, *namespaces_, {}, request.name_space)) return std::nullopt;
      return pod_security::PolicyOfLabels({}, config_.defaults);
    }
    const Result<object::Document> document =
        DecodeStored(entry->value().view(), entry->revision());
    if (!document) return std::nullopt;
    return pod_security::PolicyOfLabels(core::Namespace(*document).metadata().labels(),
                                        config_.defaults);
  }

  Result<void> ValidatePod(AdmissionRequest& request) {
    if (std::ranges::find(kIgnoredSubresources, request.subresource) !=
            kIgnoredSubresources.end() ||
        IsExempt(request)) {
      return {};
    }
    const std::optional<NamespacePolicy> policy = PolicyOf(request);
    if (!policy) {
      return Fail(StatusReason::kInternalError,
                  "Internal error occurred: failed to lookup namespace " +
                      object::JsonText(request.name_space));
    }
    if (policy->problems.empty() && policy->policy.IsFullyPrivileged()) {
      Note(request, "enforce-policy", LevelVersion{}.ToString());
      return {};
    }
    const auto pod = object::ViewAs<core::Pod>(*request.object);
    if (!pod) return BadRequest("failed to decode pod");
    if (request.operation == AdmissionOperation::kUpdate) {
      const auto old = object::ViewAs<core::Pod>(*request.old);
      if (!old) return BadRequest("failed to decode old pod");
      if (!IsSignificant(*old, *pod)) return {};
    }
    return Evaluate(request, *policy, pod->metadata(), pod->spec(), true);
  }

  void ValidateController(AdmissionRequest& request, const ControllerDesc& controller) {
    if (IsExempt(request)) return;
    const std::optional<NamespacePolicy> policy = PolicyOf(request);
    if (!policy) {
      Note(request, "error", "failed to lookup namespace " + object::JsonText(request.name_space));
      return;
    }
    if (policy->problems.empty() && policy->policy.warn.level == Level::kPrivileged &&
        policy->policy.audit.level == Level::kPrivileged) {
      return;
    }
    const object::Value* at = FindTemplate(*request.object, controller.path);
    if (at == nullptr) return;
    const core::PodTemplateSpec pod(at);
    static_cast<void>(Evaluate(request, *policy, pod.metadata(), pod.spec(), false));
  }

  Result<void> Evaluate(AdmissionRequest& request, const NamespacePolicy& of_namespace,
                        const views::meta_v1::ObjectMeta& metadata, const core::PodSpec& spec,
                        bool enforce) const {
    const std::optional<std::string_view> runtime_class = spec.runtime_class_name();
    if (runtime_class && config_.runtime_classes.contains(*runtime_class)) {
      Note(request, "exempt", "runtimeClass");
      return {};
    }
    if (!of_namespace.problems.empty()) {
      Note(request, "error", "Failed to parse policy: " + DescribeProblems(of_namespace));
    }
    const Policy& policy = of_namespace.policy;
    const auto violations = [&](const LevelVersion& level) {
      return pod_security::Describe(pod_security::Evaluate(level, metadata.annotations(), spec));
    };
    std::string refused;
    if (enforce) {
      Note(request, "enforce-policy", policy.enforce.ToString());
      refused = violations(policy.enforce);
    }
    const auto would_violate = [&](const LevelVersion& level, const std::string& what) {
      return "would violate PodSecurity \"" + level.ToString() + "\": " + what;
    };
    if (request.audit_annotations != nullptr) {
      const std::string noted = violations(policy.audit);
      if (!noted.empty()) Note(request, "audit-violations", would_violate(policy.audit, noted));
    }
    if (!refused.empty()) {
      return std::unexpected(
          Forbidden(request.resource, NameOf(request),
                    "violates PodSecurity \"" + policy.enforce.ToString() + "\": " + refused));
    }
    // What was enforced holds, so there is nothing to warn about.
    if (enforce && policy.warn == policy.enforce) return {};
    const std::string warned = violations(policy.warn);
    if (!warned.empty()) AddWarning(request, would_violate(policy.warn, warned));
    return {};
  }

  Clock& clock_;
  ResourceStorage* namespaces_;
  ResourceStorage* pods_;
  PodSecurityConfig config_;
};

}  // namespace

Result<std::unique_ptr<AdmissionPlugin>> MakePodSecurity(const PluginContext& context,
                                                         std::string_view config_json) {
  SKIFF_ASSIGN_OR_RETURN(PodSecurityConfig config, PodSecurityConfig::Parse(config_json));
  return std::make_unique<PodSecurity>(context, std::move(config));
}

}  // namespace skiff::apiserver

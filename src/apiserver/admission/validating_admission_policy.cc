// ValidatingAdmissionPolicy: refuses, or warns of, what the expressions of bound policies find
// wrong with a request.
//
// Each binding of a policy that matches is evaluated once for each of its parameters. All policies
// are asked; the refusal is that of the first one that denied, by name.
#include <map>
#include <utility>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/policy_evaluation.h"
#include "apiserver/admission/policy_exemptions.h"
#include "apiserver/admission/policy_params.h"
#include "apiserver/admission/policy_source.h"
#include "apiserver/admission/request.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr size_t kMaxAnnotationBytes = 10 * 1024;
constexpr std::string_view kFailureAnnotation =
    "validation.policy.admission.k8s.io/validation_failure";

struct Denial {
  std::string message;
  std::string reason;
};

std::string WithPolicy(const Policy& policy, const PolicyBinding* binding,
                       std::string_view message) {
  return "ValidatingAdmissionPolicy '" + policy.name + "'" +
         (binding == nullptr ? "" : " with binding '" + binding->name + "'") +
         " denied request: " + std::string(message);
}

StatusReason ReasonOf(std::string_view reason) {
  if (reason == "Forbidden") return StatusReason::kForbidden;
  if (reason == "Unauthorized") return StatusReason::kUnauthorized;
  if (reason == "RequestEntityTooLarge") return StatusReason::kRequestEntityTooLarge;
  return StatusReason::kInvalid;
}

// An annotation stays as it was first made.
void Annotate(AdmissionRequest& request, const std::string& key, std::string value) {
  if (request.audit_annotations != nullptr) {
    request.audit_annotations->try_emplace(key, std::move(value));
  }
}

// The values of one policy's annotations, each once, in the order of its bindings.
class AnnotationValues {
 public:
  void Add(const std::string& key, std::string value) {
    if (value.size() > kMaxAnnotationBytes) value.resize(kMaxAnnotationBytes);
    std::vector<std::string>& values = values_[key];
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  void Publish(const std::string& policy, AdmissionRequest& request) const {
    for (const auto& [key, values] : values_) {
      Annotate(request, policy + "/" + key, JoinTexts(values));
    }
  }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

class ValidatingAdmissionPolicy final : public AdmissionPlugin {
 public:
  explicit ValidatingAdmissionPolicy(const PluginContext& context)
      : context_(context),
        params_(context_),
        namespaces_(StorageOf(context, "", "namespaces")),
        source_(StorageOf(context, kPolicyGroup, "validatingadmissionpolicies"),
                StorageOf(context, kPolicyGroup, "validatingadmissionpolicybindings"),
                context.clock) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (IsExemptFromPolicies(request)) return {};
    const std::shared_ptr<const PolicySnapshot> policies = source_.Current();
    if (policies == nullptr) return NotReadyYet(request);
    const std::span<const BoundPolicy* const> candidates = policies->For(request.resource.name);
    if (candidates.empty()) return {};
    const RequestFacts facts(request, namespaces_, context_.is_served);
    PolicyRequest seen(facts, context_.authorizer);
    std::vector<Denial> denials;
    for (const BoundPolicy* each : candidates) {
      SKIFF_RETURN_IF_ERROR(Ask(*each, seen, request, denials));
    }
    return denials.empty() ? Result<void>() : Refuse(request, denials.front());
  }

 private:
  static void DenyForFault(const Policy& policy, const PolicyBinding* binding, std::string why,
                           std::vector<Denial>& denials) {
    if (policy.ignores_failures) return;
    denials.push_back({WithPolicy(policy, binding,
                                  std::string("failed to configure ") +
                                      (binding == nullptr ? "policy: " : "binding: ") + why),
                       {}});
  }

  Result<void> Ask(const BoundPolicy& bound, PolicyRequest& seen, AdmissionRequest& request,
                   std::vector<Denial>& denials) {
    const Policy& policy = *bound.policy;
    const Result<std::optional<MatchedResource>> matched = seen.facts().Match(policy.match);
    if (!matched) {
      DenyForFault(policy, nullptr, std::string(matched.error().message()), denials);
      return {};
    }
    if (!*matched) return {};
    if (std::string fault = params_.ConfigurationFault(policy); !fault.empty()) {
      DenyForFault(policy, nullptr, std::move(fault), denials);
      return {};
    }
    AnnotationValues annotations;
    for (const auto& binding : bound.bindings) {
      SKIFF_RETURN_IF_ERROR(
          AskBinding(policy, *binding, **matched, seen, request, annotations, denials));
    }
    annotations.Publish(policy.name, request);
    return {};
  }

  Result<void> AskBinding(const Policy& policy, const PolicyBinding& binding,
                          const MatchedResource& matched, PolicyRequest& seen,
                          AdmissionRequest& request, AnnotationValues& annotations,
                          std::vector<Denial>& denials) {
    if (binding.match) {
      const auto found = seen.facts().Match(*binding.match);
      if (!found) {
        DenyForFault(policy, &binding, std::string(found.error().message()), denials);
        return {};
      }
      if (!*found) return {};
    }
    const auto params = params_.Collect(policy, binding, seen.facts().name_space());
    if (!params) {
      DenyForFault(policy, &binding, std::string(params.error().message()), denials);
      return {};
    }
    if (params->empty()) return {};
    const Result<VersionedObject*> object = seen.As(matched);
    if (!object) {
      DenyForFault(policy, &binding,
                   "failed to convert object version: " + std::string(object.error().message()),
                   denials);
      return {};
    }
    SKIFF_ASSIGN_OR_RETURN(const object::Value* name_space, seen.facts().NamespaceObject());
    for (const PolicyParams::Param& param : *params) {
      const object::Value* root = param == nullptr ? nullptr : &param->root();
      Evaluate(policy, binding, {**object, matched, root, name_space}, seen, request, annotations,
               denials);
    }
    return {};
  }

  void Evaluate(const Policy& policy, const PolicyBinding& binding,
                const PolicyInputs::Given& given, const PolicyRequest& seen,
                AdmissionRequest& request, AnnotationValues& annotations,
                std::vector<Denial>& denials) {
    PolicyInputs::Given for_conditions = given;
    for_conditions.resource = seen.facts().asked();
    for_conditions.name_space = nullptr;
    PolicyMatch match = MatchesConditions(policy, seen, for_conditions);
    if (!match.matches && match.error.empty()) return;
    PolicyVerdict verdict;
    if (match.matches) {
      verdict = EvaluatePolicy(policy, seen, given, context_.clock);
    } else {
      verdict.decisions.push_back({.denies = true,
                                   .evaluation = PolicyDecision::Evaluation::kError,
                                   .message = std::move(match.error)});
    }
    for (size_t i = 0; i < verdict.decisions.size(); ++i) {
      Act(policy, binding, i, verdict.decisions[i], request, denials);
    }
    for (PolicyAnnotation& each : verdict.annotations) {
      if (!each.error.empty()) {
        Count(policy, binding, "deny", each.error, each.took);
        denials.push_back({WithPolicy(policy, &binding, each.error), {}});
      } else if (!each.value.empty()) {
        annotations.Add(each.key, std::move(each.value));
      }
    }
  }

  // What the binding wants done about one decision.
  void Act(const Policy& policy, const PolicyBinding& binding, size_t index,
           const PolicyDecision& decision, AdmissionRequest& request,
           std::vector<Denial>& denials) {
    const bool failed = decision.evaluation == PolicyDecision::Evaluation::kError;
    if (!decision.denies) {
      if (failed) Count(policy, binding, "allow", decision.message, decision.took);
      return;
    }
    for (const std::string& action : binding.actions) {
      if (action == "Deny") {
        denials.push_back({WithPolicy(policy, &binding, decision.message), decision.reason});
        Count(policy, binding, "deny", decision.message, decision.took);
      } else if (action == "Audit") {
        Annotate(request, std::string(kFailureAnnotation),
                 FailureJson(binding, index, decision.message));
        Count(policy, binding, "audit", decision.message, decision.took);
      } else if (action == "Warn") {
        AddWarning(request, "Validation failed for ValidatingAdmissionPolicy '" + policy.name +
                                "' with binding '" + binding.name + "': " + decision.message);
        Count(policy, binding, "warn", decision.message, decision.took);
      }
    }
  }

  static std::string FailureJson(const PolicyBinding& binding, size_t index,
                                 std::string_view message) {
    std::string actions;
    for (const std::string& action : binding.actions) {
      actions += (actions.empty() ? "" : ",") + object::JsonText(action);
    }
    return "[{\"message\":" + object::JsonText(message) +
           ",\"policy\":" + object::JsonText(binding.policy) +
           ",\"binding\":" + object::JsonText(binding.name) +
           ",\"expressionIndex\":" + std::to_string(index) + ",\"validationActions\":[" + actions +
           "]}]";
  }

  static std::unexpected<Status> Refuse(const AdmissionRequest& request, const Denial& denial) {
    const std::unexpected<Status> forbidden = Deny(request, denial.message);
    Status refused(ReasonOf(denial.reason), forbidden.error().message());
    refused.SetSubject(*forbidden.error().subject());
    refused.AddCause({.reason = {}, .message = denial.message, .field = {}});
    return std::unexpected(std::move(refused));
  }

  void Count(const Policy& policy, const PolicyBinding& binding, std::string_view action,
             std::string_view message, Duration took) {
    if (context_.policy_observer == nullptr) return;
    context_.policy_observer->OnCheck({.is_mutating = false,
                                       .policy = policy.name,
                                       .binding = binding.name,
                                       .error_type = PolicyErrorType(message),
                                       .action = action,
                                       .took = took});
  }

  PluginContext context_;
  PolicyParams params_;
  Namespaces namespaces_;
  PolicySource source_;
};

}  // namespace

MadePlugin MakeValidatingAdmissionPolicy(const PluginContext& context, std::string_view) {
  return std::make_unique<ValidatingAdmissionPolicy>(context);
}

}  // namespace skiff::apiserver

// MutatingAdmissionPolicy: changes objects as the mutations of bound policies say, in the order of
// the names of policies and bindings.
//
// Which policies match is decided before any of them changes the object; their conditions and
// mutations see what those before them have made of it. A policy that may be invoked again is, in
// the second round of all plugins, if the object was changed after it.
#include <memory>
#include <set>
#include <utility>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/policy_evaluation.h"
#include "apiserver/admission/policy_exemptions.h"
#include "apiserver/admission/policy_params.h"
#include "apiserver/admission/policy_patches.h"
#include "apiserver/admission/policy_source.h"
#include "apiserver/admission/request.h"
#include "apiserver/convert/normalize.h"
#include "object/equal.h"

namespace skiff::apiserver {
namespace {

struct Invocation {
  const Policy* policy;
  const PolicyBinding* binding;
  MatchedResource matched;
  PolicyParams::Param param;

  // What tells it from others in both rounds.
  std::string key() const {
    std::string out = policy->name + '\0' + binding->name + '\0';
    if (param == nullptr) return out;
    for (const char* name : {"namespace", "name"}) {
      const object::Value* text = param->root().FindPath({"metadata", name});
      if (text != nullptr && text->is_string()) out += text->AsText();
      out += '\0';
    }
    return out;
  }
};

// What is remembered of the first round of plugins for the second.
struct Rounds {
  std::set<std::string> invoked;  // those that may be invoked again
  std::set<std::string> again;    // of these, those that are to be
  std::optional<object::Document> output;

  void RequireAgain() { again.merge(std::exchange(invoked, {})); }
};

struct Failure {
  std::string message;
  StatusReason reason;
};

std::string DeniedBy(const Policy& policy, const PolicyBinding* binding, std::string_view why) {
  const std::string which =
      binding == nullptr ? "policy \"" + policy.name + "\""
                         : "policy '" + policy.name + "' with binding '" + binding->name + "'";
  return which + " denied request: " + std::string(why);
}

void AddFailure(const Policy& policy, const PolicyBinding* binding, std::string_view why,
                StatusReason reason, std::vector<Failure>& failures) {
  if (!policy.ignores_failures) failures.push_back({DeniedBy(policy, binding, why), reason});
}

void AddFault(const Policy& policy, const PolicyBinding* binding, std::string_view why,
              std::vector<Failure>& failures) {
  const std::string message =
      std::string("failed to configure ") + (binding == nullptr ? "policy: " : "binding: ");
  AddFailure(policy, binding, message + std::string(why), StatusReason::kForbidden, failures);
}

std::unexpected<Status> Refuse(const AdmissionRequest& request,
                               const std::vector<Failure>& failures) {
  const std::unexpected<Status> forbidden = Deny(request, "");
  Status refused(failures.front().reason, failures.front().message);
  refused.SetSubject(*forbidden.error().subject());
  for (const Failure& each : failures) {
    refused.AddCause({.reason = {}, .message = each.message, .field = {}});
  }
  return std::unexpected(std::move(refused));
}

class MutatingAdmissionPolicy final : public AdmissionPlugin {
 public:
  explicit MutatingAdmissionPolicy(const PluginContext& context)
      : context_(context),
        params_(context_),
        namespaces_(StorageOf(context, "", "namespaces")),
        source_(StorageOf(context, kPolicyGroup, "mutatingadmissionpolicies"),
                StorageOf(context, kPolicyGroup, "mutatingadmissionpolicybindings"),
                context.clock) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (request.object == nullptr || IsExemptFromPolicies(request)) return {};
    const std::shared_ptr<const PolicySnapshot> policies = source_.Current();
    if (policies == nullptr) return NotReadyYet(request);
    const std::span<const BoundPolicy* const> candidates = policies->For(request.resource.name);
    if (candidates.empty()) return {};
    const RequestFacts facts(request, namespaces_, context_.is_served);
    std::vector<Failure> failures;
    std::vector<Invocation> invocations;
    for (const BoundPolicy* each : candidates) Collect(*each, facts, invocations, failures);
    if (!invocations.empty()) SKIFF_RETURN_IF_ERROR(Invoke(facts, invocations, request, failures));
    return failures.empty() ? Result<void>() : Refuse(request, failures);
  }

 private:
  void Collect(const BoundPolicy& bound, const RequestFacts& facts,
               std::vector<Invocation>& invocations, std::vector<Failure>& failures) {
    const Policy& policy = *bound.policy;
    const auto matched = facts.Match(policy.match);
    if (!matched) return AddFault(policy, nullptr, matched.error().message(), failures);
    if (!*matched) return;
    if (const std::string fault = params_.ConfigurationFault(policy); !fault.empty()) {
      return AddFault(policy, nullptr, fault, failures);
    }
    for (const auto& binding : bound.bindings) {
      if (binding->match) {
        const auto found = facts.Match(*binding->match);
        if (!found) AddFault(policy, binding.get(), found.error().message(), failures);
        if (!found || !*found) continue;
      }
      const auto params = params_.Collect(policy, *binding, facts.name_space());
      if (!params) {
        AddFault(policy, binding.get(), params.error().message(), failures);
        continue;
      }
      for (const PolicyParams::Param& param : *params) {
        invocations.push_back({&policy, binding.get(), **matched, param});
      }
    }
  }

  Result<void> Invoke(const RequestFacts& facts, const std::vector<Invocation>& invocations,
                      AdmissionRequest& request, std::vector<Failure>& failures) {
    const bool again = request.is_reinvocation;
    if (!again || request.policy_rounds == nullptr) {
      request.policy_rounds = std::make_shared<Rounds>();
    }
    Rounds& rounds = *static_cast<Rounds*>(request.policy_rounds.get());
    if (again && rounds.output &&
        !object::DeepEqual(rounds.output->root(), request.object->root())) {
      rounds.RequireAgain();
    }
    SKIFF_ASSIGN_OR_RETURN(const object::Value* name_space, facts.NamespaceObject());
    PolicyRequest seen(facts, context_.authorizer);
    for (const Invocation& each : invocations) {
      SKIFF_RETURN_IF_ERROR(InvokeOne(each, name_space, seen, rounds, request, failures));
    }
    if (!rounds.invoked.empty()) rounds.output = request.object->Copy();
    return {};
  }

  Result<void> InvokeOne(const Invocation& invocation, const object::Value* name_space,
                         PolicyRequest& seen, Rounds& rounds, AdmissionRequest& request,
                         std::vector<Failure>& failures) {
    const Policy& policy = *invocation.policy;
    const object::Value* params = invocation.param == nullptr ? nullptr : &invocation.param->root();
    if (!policy.conditions.empty()) {
      SKIFF_ASSIGN_OR_RETURN(const VersionedObject* object, seen.As(invocation.matched));
      const PolicyMatch match = MatchesConditions(
          policy, seen, {*object, seen.facts().asked(), params, /*name_space=*/nullptr});
      if (!match.error.empty()) {
        AddFailure(policy, invocation.binding, match.error, StatusReason::kInvalid, failures);
      }
      if (!match.matches) return {};
    }
    const std::string key = invocation.key();
    if (request.is_reinvocation && !rounds.again.contains(key)) return {};
    bool changed = false;
    for (const Policy::Mutation& mutation : policy.mutations) {
      const Duration began = context_.clock.Monotonic();
      SKIFF_ASSIGN_OR_RETURN(const VersionedObject* object, seen.As(invocation.matched));
      auto made = Make(policy, mutation, seen, {*object, invocation.matched, params, name_space});
      if (!made) {
        Count(invocation, PolicyErrorType(made.error().message), began);
        if (made.error().is_internal) {
          return Fail(StatusReason::kInternalError, std::move(made.error().message));
        }
        AddFailure(policy, invocation.binding, made.error().message, StatusReason::kInvalid,
                   failures);
        continue;
      }
      SKIFF_ASSIGN_OR_RETURN(const bool is_new, Take(std::move(*made), seen, request));
      changed = changed || is_new;
      Count(invocation, "no_error", began);
    }
    if (changed) {
      rounds.RequireAgain();
      request.reinvoke = true;
    }
    if (policy.may_be_reinvoked) rounds.invoked.insert(key);
    return {};
  }

  // What a mutation makes of the object, in the version of the policy.
  static std::expected<object::Document, PatchFault> Make(const Policy& policy,
                                                          const Policy::Mutation& mutation,
                                                          const PolicyRequest& seen,
                                                          const PolicyInputs::Given& given) {
    if (mutation.expression.program == nullptr) {
      return std::unexpected(PatchFault{mutation.expression.error});
    }
    cel::Evaluation evaluation;
    PolicyInputs inputs(evaluation, policy.variables, seen, given);
    cel::AdmissionRun run(evaluation, inputs, cel::kAdmissionBudget);
    cel::AdmissionOutcome outcome = run.Evaluate(mutation.expression);
    if (run.out_of_budget()) {
      return std::unexpected(PatchFault{std::string(cel::kAdmissionOutOfBudget)});
    }
    if (!outcome.error.empty()) return std::unexpected(PatchFault{std::move(outcome.error)});
    const object::Document& object = *given.object.object;
    return mutation.is_json_patch ? ApplyPolicyPatches(evaluation.arena(), outcome.value, object)
                                  : ApplyPolicyObject(evaluation.arena(), outcome.value, object);
  }

  // The object of the request becomes what was made, with defaults. Whether it is another now.
  Result<bool> Take(object::Document made, PolicyRequest& seen, AdmissionRequest& request) {
    if (ResourceStorage* storage = context_.storages.Find(request.resource.hub);
        storage != nullptr && made.type()->is_kind) {
      SKIFF_RETURN_IF_ERROR(DefaultAndNormalize(storage->environment().defaults, made));
    }
    if (made.type() != request.object->type()) {
      SKIFF_ASSIGN_OR_RETURN(made, ConvertFor(request, made, request.object->type()));
    }
    if (object::DeepEqual(made.root(), request.object->root())) return false;
    *request.object = std::move(made);
    seen.ForgetVersions();
    return true;
  }

  void Count(const Invocation& invocation, std::string_view error_type, Duration began) {
    if (context_.policy_observer == nullptr) return;
    context_.policy_observer->OnCheck({.is_mutating = true,
                                       .policy = invocation.policy->name,
                                       .binding = invocation.binding->name,
                                       .error_type = error_type,
                                       .action = {},
                                       .took = context_.clock.Monotonic() - began});
  }

  PluginContext context_;
  PolicyParams params_;
  Namespaces namespaces_;
  PolicySource source_;
};

}  // namespace

MadePlugin MakeMutatingAdmissionPolicy(const PluginContext& context, std::string_view) {
  return std::make_unique<MutatingAdmissionPolicy>(context);
}

}  // namespace skiff::apiserver

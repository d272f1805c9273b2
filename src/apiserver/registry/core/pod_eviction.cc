#include "apiserver/registry/core/pod_eviction.h"

#include <memory>
#include <utility>
#include <vector>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/registry/core/pod_behaviour.h"
#include "apiserver/registry/core/pod_binding.h"
#include "apiserver/rest/admit.h"
#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"
#include "object/object_errors.h"
#include "object/protobuf/envelope.h"
#include "object/selector/label_selector.h"
#include "serving/request/respond.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"
#include "views/policy/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace policy = views::policy_v1;

constexpr std::string_view kAllowed = "DisruptionAllowed";
constexpr int kRetrySeconds = 10;
// Evictions that nobody has confirmed; a budget with more takes no others.
constexpr size_t kMaxDisruptedPods = 2000;

// A budget that covers the pod, as the cache has it.
struct Budget {
  object::Document object;
  store::Revision revision;
};

bool Covers(const policy::PodDisruptionBudget& budget, const core::Pod& pod) {
  const object::Value* wanted = budget.spec().selector().AsValue();
  if (wanted == nullptr) return false;
  const Result<object::LabelSelector> selector = object::LabelSelector::FromValue(wanted);
  if (!selector) return false;
  return selector->Matches(pod.AsValue()->FindPath({"metadata", "labels"}));
}

std::vector<Budget> BudgetsOf(ResourceStorage* budgets, const core::Pod& pod) {
  std::vector<Budget> out;
  ForEachInCache(
      budgets,
      [&](const store::CacheEntry& entry) {
        Result<object::Document> object = DecodeStored(entry.value().view(), entry.revision());
        if (!object || !Covers(policy::PodDisruptionBudget(*object), pod)) return;
        out.push_back({std::move(*object), entry.revision()});
      },
      pod.metadata().namespace_());
  return out;
}

bool IsReady(const core::Pod& pod) {
  for (const core::PodCondition condition : pod.status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  return false;
}

// A pod that has ended or has not begun disrupts nothing when it goes.
bool NeedsNoBudget(const core::Pod& pod) {
  const std::string_view phase = pod.status().phase();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         pod.AsValue()->FindPath({"metadata", "deletionTimestamp"}) != nullptr;
}

Status Refused(std::string why, int retry_seconds) {
  Status out(StatusReason::kTooManyRequests,
             "Cannot evict pod as it would violate the pod's disruption budget.");
  out.AddCause({"DisruptionBudget", std::move(why), ""});
  if (retry_seconds > 0) out.SetRetryAfterSeconds(retry_seconds);
  return out;
}

Status BudgetForbids(std::string_view name, std::string_view why) {
  return object::ForbiddenObject("policy", "poddisruptionbudget", name, why);
}

// Why a budget that allows no disruption does not.
std::string WhyExhausted(const policy::PodDisruptionBudget& budget) {
  const std::string name(budget.metadata().name());
  const policy::PodDisruptionBudgetStatus status = budget.status();
  const std::string prefix = "The disruption budget " + name;
  std::string reason;
  std::string message;
  for (const views::meta_v1::Condition condition : status.conditions()) {
    if (condition.type() != kAllowed || condition.status() != "False") continue;
    reason = condition.reason();
    message = condition.message();
  }
  if (!message.empty() && reason == "SyncFailed") {
    return prefix + " does not allow evicting pods currently because it failed sync: " + message;
  }
  if (status.current_healthy() <= status.desired_healthy()) {
    return prefix + " needs " + std::to_string(status.desired_healthy()) +
           " healthy pods and has " + std::to_string(status.current_healthy()) + " currently";
  }
  std::string out = prefix + " does not allow evicting pods currently";
  if (!message.empty()) out += " (" + reason + "): " + message;
  return out;
}

Result<void> CheckAllows(const policy::PodDisruptionBudget& budget) {
  const std::string_view name = budget.metadata().name();
  const policy::PodDisruptionBudgetStatus status = budget.status();
  if (status.observed_generation() < budget.metadata().generation()) {
    return std::unexpected(Refused(
        "The disruption budget " + std::string(name) + " is still being processed by the server.",
        kRetrySeconds));
  }
  if (status.disruptions_allowed() < 0) {
    return std::unexpected(BudgetForbids(name, "pdb disruptions allowed is negative"));
  }
  if (status.disrupted_pods().size() > kMaxDisruptedPods) {
    return std::unexpected(
        BudgetForbids(name,
                      "DisruptedPods map too big - too many evictions not confirmed by PDB "
                      "controller"));
  }
  if (status.disruptions_allowed() == 0) {
    return std::unexpected(Refused(WhyExhausted(budget), 0));
  }
  return {};
}

void SayExhausted(object::Document& object, object::Timestamp now) {
  const policy::PodDisruptionBudgetStatus before = policy::PodDisruptionBudget(object).status();
  policy::MutablePodDisruptionBudget budget(object);
  size_t at = 0;
  bool changes = true;
  for (const views::meta_v1::Condition condition : before.conditions()) {
    if (condition.type() == kAllowed) {
      changes = condition.status() != "False";
      break;
    }
    ++at;
  }
  const int64_t generation = before.observed_generation();
  auto condition = at < before.conditions().size() ? budget.mutable_status().mutable_conditions(at)
                                                   : budget.mutable_status().add_conditions();
  condition.set_type(kAllowed);
  condition.set_status("False");
  condition.set_reason("InsufficientPods");
  condition.clear_message();
  condition.set_observed_generation(generation);
  if (changes) condition.set_last_transition_time(now);
}

// One disruption less, and the pod on the list of those that are about to go.
void Charge(Budget budget, std::string_view pod, ResourceStorage& storage, WriteContext& write) {
  const std::string name_space(MetaOf(budget.object).name_space());
  const std::string name(MetaOf(budget.object).name());
  const object::Document before = budget.object.Copy();
  policy::MutablePodDisruptionBudget object(budget.object);
  const int32_t left =
      policy::PodDisruptionBudget(budget.object).status().disruptions_allowed() - 1;
  object.mutable_status().set_disruptions_allowed(left);
  object.mutable_status().put_disrupted_pods(pod, write.now);
  if (left == 0) SayExhausted(budget.object, write.now);
  TrackOwnStatus(storage, before, budget.object, write.now);
  MetaOf(budget.object).Erase("resourceVersion");
  std::string bytes;
  object::EncodeStorage(budget.object.root(), &bytes);
  const std::string key = storage.Key(name_space, name);
  write.transaction.conditions.push_back({key, budget.revision});
  write.transaction.writes.push_back(
      {store::Write::Kind::kPut, key, SharedBytes(std::move(bytes)), store::LeaseId{}});
}

void MarkDisrupted(object::Document& object, object::Timestamp now) {
  const core::PodStatus before = core::Pod(object).status();
  size_t at = 0;
  bool changes = true;
  for (const core::PodCondition condition : before.conditions()) {
    if (condition.type() == "DisruptionTarget") {
      changes = condition.status() != "True";
      break;
    }
    ++at;
  }
  core::MutablePod pod(object);
  auto condition = at < before.conditions().size() ? pod.mutable_status().mutable_conditions(at)
                                                   : pod.mutable_status().add_conditions();
  condition.set_type("DisruptionTarget");
  condition.set_status("True");
  condition.set_reason("EvictionByEvictionAPI");
  condition.set_message("Eviction API: evicting");
  if (changes) condition.set_last_transition_time(now);
}

Result<void> Evict(WriteContext& write, object::Document& object, ResourceStorage* storage) {
  const core::Pod pod(object);
  if (!NeedsNoBudget(pod)) {
    std::vector<Budget> budgets = BudgetsOf(storage, pod);
    if (budgets.size() > 1) {
      return Fail(StatusReason::kUnknown,
                  "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                  "does not support.");
    }
    if (budgets.size() == 1) {
      const policy::PodDisruptionBudget budget(budgets[0].object);
      const policy::PodDisruptionBudgetStatus status = budget.status();
      // A pod that serves nobody may go while the others are enough.
      const bool harmless =
          !IsReady(pod) &&
          (budget.spec().unhealthy_pod_eviction_policy() == "AlwaysAllow" ||
           (status.current_healthy() >= status.desired_healthy() && status.desired_healthy() > 0));
      if (!harmless) {
        SKIFF_RETURN_IF_ERROR(CheckAllows(budget));
        if (!write.dry_run) {
          Charge(std::move(budgets[0]), pod.metadata().name(), *storage, write);
        }
      }
    }
  }
  if (!write.dry_run) MarkDisrupted(object, write.now);
  return {};
}

Result<object::Document> ReadEviction(serving::ApiRequest& request, const DefaultPlans& defaults) {
  Result<object::Document> body =
      ReadBody(request, {policy::Eviction::Type(), "policy/v1", "Eviction"}, defaults);
  if (body) return body;
  // The version is no longer served, but evictions of it are still taken; they look the same.
  Result<object::Document> older =
      ReadBody(request, {policy::Eviction::Type(), "policy/v1beta1", "Eviction"}, defaults);
  return older ? std::move(older) : std::move(body);
}

Result<DeleteOptions> OptionsOf(serving::ApiRequest& request, const policy::Eviction& eviction) {
  SKIFF_ASSIGN_OR_RETURN(const bool dry_run, CheckWriteOptions(request));
  SKIFF_ASSIGN_OR_RETURN(DeleteOptions out, DeleteOptionsOf(eviction.delete_options()));
  out.dry_run |= dry_run;
  return out;
}

}  // namespace

void HandlePodEviction(serving::ApiRequestPtr request, const Endpoint& endpoint,
                       ResourceStorage* budgets) {
  serving::ApiRequest& ref = *request;
  Result<object::Document> body = ReadEviction(ref, endpoint.context->defaults);
  if (!body) return serving::RespondError(ref, body.error());
  if (const Result<void> named = CheckPosted(ref, endpoint, "Eviction", *body); !named) {
    return serving::RespondError(ref, named.error());
  }
  const policy::Eviction eviction(*body);
  const auto ignores =
      eviction.delete_options().ignore_store_read_error_with_cluster_breaking_potential();
  if (ignores.value_or(false)) {
    return serving::RespondError(
        ref, Invalid("Eviction", "policy", ref.info.name,
                     {InvalidField("deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
                                   "true",
                                   "can not be set for pod eviction, try after removing the "
                                   "option")}));
  }
  Result<DeleteOptions> options = OptionsOf(ref, eviction);
  if (!options) return serving::RespondError(ref, options.error());
  std::shared_ptr<serving::ApiRequest> shared = std::move(request);
  const auto posted = std::make_shared<object::Document>(std::move(*body));
  Deletion deletion{
      .endpoint = endpoint,
      .name_space = shared->info.name_space,
      .name = shared->info.name,
      .options = *options,
      .request = shared,
      .admit =
          [shared, posted, &endpoint, dry_run = options->dry_run](store::Transaction& transaction) {
            return AdmitCreationOf(*posted, *shared, endpoint, dry_run, transaction);
          },
      .first = [budgets](WriteContext& write,
                         object::Document& pod) { return Evict(write, pod, budgets); }};
  DeleteObject(std::move(deletion), [shared](Result<Changed> done) {
    if (!done) return serving::RespondError(*shared, done.error());
    serving::RespondDone(*shared, 201);
  });
}

}  // namespace skiff::apiserver

#include "apiserver/bootstrap/bootstrap.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "apiserver/bootstrap/conditions.h"
#include "apiserver/bootstrap/flow_control_objects.h"
#include "apiserver/bootstrap/system_objects.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"

namespace skiff::apiserver {
namespace {

using std::chrono::seconds;

constexpr Duration kRetryPeriod = seconds(1);
constexpr Duration kAlivePeriod = seconds(10);
constexpr Duration kKeepPeriod = seconds(60);
constexpr Duration kConditionPeriod = seconds(2);
constexpr Duration kRepairPeriod = seconds(180);
constexpr Duration kLeaseCollectionPeriod = seconds(3600);

using Duty = Bootstrap::Duty;

// Those of Kubernetes' own behind which something stands here; what this server does not do yet,
// such as audit, has no check that could say that it is well.
constexpr Bootstrap::HealthCheck kHealthChecks[] = {
    {"poststarthook/start-system-namespaces-controller", Duty::kSystemObjects},
    {"poststarthook/start-cluster-authentication-info-controller", Duty::kSystemObjects},
    {"poststarthook/start-kube-apiserver-identity-lease-controller", Duty::kServerIdentity},
    {"poststarthook/start-kube-apiserver-identity-lease-garbage-collector", Duty::kUpkeep},
    {"poststarthook/start-legacy-token-tracking-controller", Duty::kSystemObjects},
    {"poststarthook/start-service-ip-repair-controllers", Duty::kServiceRepair},
    {"poststarthook/scheduling/bootstrap-system-priority-classes", Duty::kSystemObjects},
    {"poststarthook/priority-and-fairness-config-producer", Duty::kSystemObjects},
    {"poststarthook/bootstrap-controller", Duty::kServerIdentity},
    {"poststarthook/start-kubernetes-service-cidr-controller", Duty::kSystemObjects},
    {"poststarthook/kube-apiserver-autoregistration", Duty::kSystemObjects},
};

void Append(std::vector<WantedObject> from, std::vector<WantedObject>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::span<const Bootstrap::HealthCheck> Bootstrap::HealthChecks() { return kHealthChecks; }

Bootstrap::Bootstrap(BootstrapContext context, BootstrapOptions options)
    : context_(context),
      options_(std::move(options)),
      writer_(context.storages, context.registry, context.rest),
      endpoints_(writer_, context.store, options_.prefix, options_.advertise_address,
                 options_.port),
      identity_(writer_, options_.host_name) {
  AddTasks();
}

void Bootstrap::AddTasks() {
  tasks_.push_back({"the kubernetes service", kAlivePeriod,
                    [this] { return RenewServerIdentity(); }, true, Duty::kServerIdentity});
  tasks_.push_back(
      {"system objects", kKeepPeriod, [this] { return writer_.Ensure(KeptObjects()); }});
  tasks_.push_back({"service allocations", kRepairPeriod, [this] { return RepairServices(); }, true,
                    Duty::kServiceRepair});
  tasks_.push_back({"conditions of flow schemas", kConditionPeriod,
                    [this] { return KeepFlowSchemaConditions(writer_); }, true});
  tasks_.push_back(
      {"identity leases", kLeaseCollectionPeriod, [this] { return identity_.RemoveExpired(); }});
}

void Bootstrap::Start() {
  thread_ = std::make_unique<Thread>("bootstrap", [this] { Run(); });
}

void Bootstrap::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_) thread_->Join();
}

void Bootstrap::Drain() {
  Stop();
  if (!thread_ || !done() || !options_.reconcile_endpoints) return;
  if (const store::StoreHealth health = context_.store.Health(); !health.writable) {
    // Nobody should wait for its answer to see this process end.
    context_.log.Warning(
        "this server stays in the endpoints of the kubernetes service until its "
        "key expires: the store cannot be written",
        {{"reason", health.reason}});
    return;
  }
  const Result<void> removed = endpoints_.Remove();
  if (!removed) {
    context_.log.Warning("could not leave the endpoints of the kubernetes service",
                         {{"error", removed.error().message()}});
  }
}

bool Bootstrap::WaitUntil(Duration deadline) {
  std::unique_lock lock(mutex_);
  while (!stopping_ && context_.rest.clock.Monotonic() < deadline) {
    context_.rest.clock.WaitUntil(wake_, lock, deadline);
  }
  return !stopping_;
}

void Bootstrap::Run() {
  while (true) {
    const Result<void> ensured = EnsureAll();
    if (ensured) break;
    if (IsDamage(ensured.error())) {
      context_.log.Error("could not write all objects of the system, since some are damaged",
                         {{"error", ensured.error().message()}});
      break;
    }
    context_.log.Error("could not write the objects of the system, trying again",
                       {{"error", ensured.error().message()}});
    if (!WaitUntil(context_.rest.clock.Monotonic() + kRetryPeriod)) return;
  }
  Fulfil(Duty::kSystemObjects);
  const Duration now = context_.rest.clock.Monotonic();
  for (Task& task : tasks_) task.due = task.at_start ? now : now + task.period;
  while (true) {
    RunDue();
    Fulfil(Duty::kUpkeep);
    const auto next = std::ranges::min_element(tasks_, {}, &Task::due);
    if (!WaitUntil(next->due)) return;
  }
}

// Trying again does not help against it, and the cluster works without some of its objects.
bool Bootstrap::IsDamage(const Status& error) const {
  return error.reason() == StatusReason::kInternalError && context_.store.Health().damaged > 0;
}

void Bootstrap::RunDue() {
  for (Task& task : tasks_) {
    const Duration now = context_.rest.clock.Monotonic();
    if (!WaitUntil(now)) return;
    if (task.due > now) continue;
    // A store that is away makes each task wait for long, and so whoever wants this to stop.
    const bool can_write = context_.store.Health().writable;
    task.due = now + (can_write ? task.period : kRetryPeriod);
    if (!can_write) continue;
    const Result<void> result = task.run();
    // Damage does not go by being waited for.
    if (task.duty && (result || IsDamage(result.error()))) Fulfil(*task.duty);
    if (result) continue;
    context_.log.Warning("upkeep failed",
                         {{"of", std::string(task.name)}, {"error", result.error().message()}});
  }
}

// What only a start sees to, and what is kept besides.
Result<void> Bootstrap::EnsureAll() {
  // The service of the API itself may need a node port.
  if (ServiceBehaviour* services = context_.registry.services(); services != nullptr) {
    const Result<void> followed = services->Follow();
    if (!followed && !IsDamage(followed.error())) return followed;
    if (!followed) {
      context_.log.Error("services get no addresses, since some of them are damaged",
                         {{"error", followed.error().message()}});
    }
  }
  const auto wanted = [this] {
    const object::Timestamp now = NowOf(context_.rest.clock);
    std::vector<WantedObject> objects = KeptObjects();
    Append(SystemPriorityClasses(), objects);
    Append(ApiServices(context_.served, now), objects);
    objects.push_back(identity_.Renewed());
    return objects;
  };
  std::vector<WantedObject> objects = wanted();
  objects.push_back(KubernetesService(options_.service_ranges.front(), options_.port,
                                      options_.kubernetes_service_node_port));
  RemoveStaleApiServices();
  const Result<void> ensured = writer_.Ensure(std::move(objects));
  if (ensured) return {};
  // The cluster works without the service, whose address somebody may have taken.
  context_.log.Warning("could not write all objects of the system",
                       {{"error", ensured.error().message()}});
  return writer_.Ensure(wanted());
}

std::vector<WantedObject> Bootstrap::KeptObjects() const {
  const object::Timestamp now = NowOf(context_.rest.clock);
  std::vector<WantedObject> objects = SystemNamespaces();
  Append(FlowControlObjects(now), objects);
  Append(AuthenticationConfigMap(options_.authentication_now ? options_.authentication_now()
                                                             : options_.authentication),
         objects);
  objects.push_back(TokenTrackingConfigMap(now));
  objects.push_back(DefaultServiceCidr(options_.service_ranges, now));
  return objects;
}

// What an earlier version of this server has left. Once: another server that lives may have more.
void Bootstrap::RemoveStaleApiServices() {
  const object::ResourceDesc& resource =
      *object::FindResource("apiregistration.k8s.io", "v1", "apiservices");
  std::vector<std::pair<std::string, store::Revision>> stale;
  ForEachInCache(writer_.StorageOf(resource), [&](const store::CacheEntry& entry) {
    if (!entry.readable()) return;
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (object && IsStaleApiService(*object, context_.served)) {
      stale.emplace_back(std::string(entry.name()), entry.revision());
    }
  });
  for (const auto& [name, revision] : stale) {
    const Result<void> removed = writer_.Remove(resource, "", name, revision);
    if (removed) continue;
    context_.log.Warning("An APIService of what is not served any more could not be removed",
                         {{"name", name}, {"err", removed.error().message()}});
  }
}

Result<void> Bootstrap::RepairServices() {
  ServiceBehaviour* services = context_.registry.services();
  if (services == nullptr) return {};
  return services->Repair(context_.rest.clock, context_.rest.random);
}

Result<void> Bootstrap::RenewServerIdentity() {
  std::vector<WantedObject> objects;
  objects.push_back(KubernetesService(options_.service_ranges.front(), options_.port,
                                      options_.kubernetes_service_node_port));
  objects.push_back(identity_.Renewed());
  const Result<void> written = writer_.Ensure(std::move(objects));
  if (options_.reconcile_endpoints) SKIFF_RETURN_IF_ERROR(endpoints_.Reconcile());
  return written;
}

}  // namespace skiff::apiserver

#include "apiserver/server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "apiserver/admission/chain.h"
#include "apiserver/admission/webhook_metrics.h"
#include "apiserver/admission_metrics.h"
#include "apiserver/aggregator/aggregator.h"
#include "apiserver/aggregator_options.h"
#include "apiserver/authorizer_followers.h"
#include "apiserver/await_storages.h"
#include "apiserver/background_tasks.h"
#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/bootstrap_options.h"
#include "apiserver/cached_objects.h"
#include "apiserver/component_statuses.h"
#include "apiserver/discovery/runtime_config.h"
#include "apiserver/discovery/served_resources.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/extensions/definition_controller.h"
#include "apiserver/extensions/resource_catalog.h"
#include "apiserver/flowcontrol/flow_config.h"
#include "apiserver/in_process/transport.h"
#include "apiserver/legacy_token_tracking.h"
#include "apiserver/listener_options.h"
#include "apiserver/memory_pressure.h"
#include "apiserver/metrics.h"
#include "apiserver/non_resource_paths.h"
#include "apiserver/open_store.h"
#include "apiserver/permission_checks.h"
#include "apiserver/pipeline.h"
#include "apiserver/registry/disabled_fields.h"
#include "apiserver/registry/read_completion.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/use_kinds.h"
#include "apiserver/request_deadlines.h"
#include "apiserver/response_headers.h"
#include "apiserver/rest/deadlines.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/rest/storage_set.h"
#include "apiserver/reviews.h"
#include "apiserver/router.h"
#include "apiserver/security.h"
#include "apiserver/storage_metrics.h"
#include "apiserver/store_health.h"
#include "apiserver/webhook/webhook_caller.h"
#include "base/feature_gates.h"
#include "base/memory_limit.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "base/resident_memory.h"
#include "base/webhook_limits.h"
#include "net/loop_watchdog.h"
#include "net/server.h"
#include "serving/health.h"
#include "serving/profile_pages.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

// Every resource that is served in some version, once.
std::vector<const object::ResourceHub*> HubsOf(const ServedResources& served) {
  std::vector<const object::ResourceHub*> out;
  for (const ServedGroup& group : served.groups()) {
    for (const ServedVersion& version : group.versions) {
      for (const ServedResource& resource : version.resources) out.push_back(resource.desc->hub);
    }
  }
  return out;
}

// A store that is not ours, on a disk that does not answer, is not waited for for ever.
constexpr Duration kLongestLastWrite = std::chrono::seconds(30);
// What an own store may take to answer writes before it is closed, which answers the others.
constexpr Duration kLastAnswers = std::chrono::seconds(1);

}  // namespace

// Members are destroyed from the last to the first: the listener before what its requests use.
class ApiServer::Impl {
 public:
  Impl(ApiServerOptions options, Clock& clock, Random& random, Log& log, store::Store* store)
      : options_(std::move(options)),
        clock_(clock),
        random_(random),
        log_(log),
        given_store_(store),
        settings_{.gates = FeatureGates(options_.feature_gates),
                  .allow_privileged = options_.allow_privileged},
        defaults_(DefaultsOfKinds(settings_.gates, &clock_)),
        metrics_(registry_of_metrics_),
        queue_metrics_(registry_of_metrics_),
        deadlines_(clock),
        request_deadlines_(clock),
        rest_{.clock = clock,
              .random = random,
              .deadlines = deadlines_,
              .defaults = *defaults_,
              .settings = settings_,
              .drop_disabled_fields = DropDisabledFields},
        background_tasks_(clock),
        memory_(clock, MemoryLimit(options_.requests.memory_limit_bytes)),
        watchdog_(clock, log, &registry_of_metrics_),
        profiles_(clock),
        health_metrics_(std::chrono::duration<double>(clock.Wall()).count()) {}

  Result<void> Start() {
    ShareFreedMemory();
    AddCollectedMetrics();
    UseKinds();
    if (given_store_ == nullptr) {
      SKIFF_ASSIGN_OR_RETURN(store_, OpenStore(options_.storage, clock_, random_, log_));
    }
    SKIFF_RETURN_IF_ERROR(Serve());
    SKIFF_RETURN_IF_ERROR(StartStorages());
    lookup_.emplace(*storages_);
    SKIFF_ASSIGN_OR_RETURN(security_, MakeSecurity(options_, *lookup_, clock_, random_, log_,
                                                   [this](const LegacyTokenUse& use) {
                                                     RecordLegacyTokenUse(use, *storages_, log_);
                                                   }));
    rest_.namespaces = storages_->Find(object::FindResource("", "v1", "namespaces")->hub);
    rest_.may_create = CreatePermissionCheck(security_.authorizer());
    if (settings_.gates.IsOn("AllowUnsafeMalformedObjectDeletion")) {
      rest_.may_delete_unreadable = UnreadableDeletionCheck(security_.authorizer());
    }
    rest_.min_request_timeout = options_.requests.min_request_timeout;
    rest_.delete_collection_workers = options_.storage.delete_collection_workers;
    rest_.garbage_collector = options_.storage.enable_garbage_collector;
    custom_.emplace(served_, CustomServing{*storages_, *environment_, rest_, &conversion_});
    AddStorageMetrics(registry_of_metrics_, store(), *storages_, *custom_);
    catalog_.emplace(*served_, *storages_, *custom_);
    SKIFF_RETURN_IF_ERROR(StartAggregator());
    SKIFF_RETURN_IF_ERROR(MakeAdmission());
    registry_.emplace(RegistryContext{
        .storages = *storages_,
        .clock = clock_,
        .random = random_,
        .authorizer = security_.authorizer(),
        .rbac = security_.roles_decide ? security_.rbac.get() : nullptr,
        .service = {options_.service.cluster_ip_ranges, options_.service.node_port_min,
                    options_.service.node_port_max}});
    router_.emplace(*served_, *storages_, *registry_, *custom_, rest_);
    FollowDefinitions();
    AddReviews(*router_, security_, clock_);
    AddCoreVirtuals();
    followers_.emplace(security_, *storages_, store(), background_tasks_, clock_, random_, log_);
    followers_->Start();
    FollowFlows();
    background_tasks_.Add(std::chrono::seconds(1), [this] {
      ForgetStart();
      store_reporter_.Update(store().Health());
      memory_pressure_.Check();
    });
    background_tasks_.Add(std::chrono::seconds(15), [this] { memory_pressure_.ReleaseIfMuch(); });
    background_tasks_.Start();
    AwaitDefinitions();
    AddHealthChecks();
    SKIFF_RETURN_IF_ERROR(MakePipeline());
    if (options_.listen) SKIFF_RETURN_IF_ERROR(Listen());
    return StartBootstrap();
  }

  ~Impl() {
    if (bootstrap_) bootstrap_->Stop();
    profiles_.Stop();
    if (components_) components_->Stop();
    // What waits for webhooks or for other writes is answered while there is somebody to answer.
    webhooks_.Stop();
    if (aggregator_) aggregator_->Stop();
    if (environment_) environment_->key_locks->Stop();
    if (http_) http_->Stop();
    http_.reset();
    deadlines_.EndAll();
    background_tasks_.Stop();
    if (followers_) followers_->Stop();
    definitions_.reset();
    if (custom_) custom_->Stop();
    if (leases_) leases_->Close();
    if (storages_) storages_->Stop();
    AwaitChanges();
  }

  const std::vector<std::string>& addresses() const {
    static const std::vector<std::string> kNone;
    return http_ ? http_->addresses() : kNone;
  }

  std::unique_ptr<client::ClientTransport> Connect(serving::UserInfo user, Executor& executor) {
    return MakeInProcessTransport(
        {.user = std::move(user),
         .executor = executor,
         .handle =
             [this](serving::ApiRequestPtr request) { pipeline_->HandleLocal(std::move(request)); },
         .authorizer = security_.authorizer(),
         .served = [this] { return custom_->Served(); },
         .registrations = aggregator_->registrations(),
         .post = [this](Executor::Work work) { background_tasks_.Post(std::move(work)); }});
  }
  MetricsRegistry& metrics() { return registry_of_metrics_; }
  client::WorkQueueMetrics& queue_metrics() { return queue_metrics_; }
  void SetControllerManager(std::function<std::string()> fault) {
    components_->SetWithin("controller-manager", std::move(fault));
  }
  void Watch(const std::shared_ptr<net::EventLoop>& loop) { watchdog_.Watch(loop); }
  std::string UnderWay() const {
    std::string out = watchdog_.Fault();
    if (!http_) return out;
    const net::HttpServerFigures figures = http_->figures();
    if (!out.empty()) out += "; ";
    return out + std::to_string(figures.requests_in_flight) + " requests on " +
           std::to_string(figures.connections) + " connections are not finished";
  }
  Duration DrainTime() const {
    if (!http_) return {};
    const Duration turning_away = options_.shutdown.send_retry_after
                                      ? Duration(options_.requests.request_timeout)
                                      : Duration();
    return options_.shutdown.delay_duration + turning_away + LastWait();
  }
  bool ready() const {
    return storages_->ready() && followers_->roles_ready() && followers_->nodes_ready() &&
           definitions_ready() && aggregator_->synced() && bootstrapped() && !draining_;
  }

  void Drain() {
    draining_ = true;
    if (bootstrap_) bootstrap_->Drain();
    if (!http_) return;
    ServeOn(options_.shutdown.delay_duration);
    if (options_.shutdown.send_retry_after) StartRejecting();
    http_->OnDrain([this] {
      deadlines_.EndAll();
      aggregator_->EndLongRequests();
      profiles_.Stop();
    });
    http_->Drain(LastWait());
  }

 private:
  // For what is under way when nothing new is taken any more.
  Duration LastWait() const {
    return std::max(options_.requests.request_timeout,
                    options_.shutdown.watch_termination_grace_period);
  }

  store::Store& store() { return given_store_ != nullptr ? *given_store_ : *store_.store; }

  // What is being written refers to storages and admission plugins until the store has answered,
  // and what clients of this process wrote, who are gone, goes on here: with the store while there
  // is one, and not at all after that.
  void AwaitChanges() {
    store_.compactor.reset();
    const std::weak_ptr<const void> under_way = changes_;
    changes_.reset();
    const auto await = [&](Duration longest, auto what_is_left) {
      const Duration until = clock_.Monotonic() + longest;
      while (!under_way.expired() && clock_.Monotonic() < until) {
        what_is_left();
        if (!under_way.expired()) ServeOn(std::chrono::milliseconds(1));
      }
    };
    await(given_store_ == nullptr ? kLastAnswers : kLongestLastWrite,
          [this] { background_tasks_.RunLeft(); });
    store_.store.reset();
    await(kLongestLastWrite, [this] { background_tasks_.DropLeft(); });
    background_tasks_.DropLeft();
  }

  // --shutdown-delay-duration: /readyz says no, and load balancers get the time to notice.
  void ServeOn(Duration delay) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const Duration until = clock_.Monotonic() + delay;
    while (clock_.Monotonic() < until) clock_.WaitUntil(never, lock, until);
  }

  // --shutdown-send-retry-after: until what is under way is finished, others are not cut off but
  // sent away with an answer.
  void StartRejecting() {
    pipeline_->StartRejecting();
    const Duration until = clock_.Monotonic() + options_.requests.request_timeout;
    while (pipeline_->in_flight() > 0 && clock_.Monotonic() < until) {
      ServeOn(std::chrono::milliseconds(20));
    }
  }

  Result<void> Serve() {
    std::string config;
    for (const auto& [key, on] : options_.runtime_config) {
      if (!config.empty()) config += ',';
      config += key + (on ? "=true" : "=false");
    }
    SKIFF_ASSIGN_OR_RETURN(const RuntimeConfig runtime, RuntimeConfig::Parse(config));
    served_ = std::make_shared<const ServedResources>(runtime, settings_.gates);
    return {};
  }

  Result<void> MakeAdmission() {
    const PluginContext context{
        .storages = *storages_,
        .clock = clock_,
        .authorizer = security_.authorizer(),
        .feature_enabled = [this](Gate gate) { return settings_.gates.IsOn(gate); },
        .is_served =
            [this](const object::ResourceDesc& resource) {
              const object::GroupVersionDesc& version = *resource.version->desc;
              return served_->FindResource(version.group, version.version, resource.name) !=
                     nullptr;
            },
        .find_custom_kind = [this](
                                std::string_view group, std::string_view version,
                                std::string_view kind) { return CustomKind(group, version, kind); },
        .policy_observer = &admission_metrics_,
        .defaults = defaults_.get(),
        .webhook_metrics = &webhook_metrics_,
        .webhooks = &webhooks_,
        .add_background = [this](Duration interval,
                                 std::function<void()> run) -> std::function<void()> {
          const size_t task = background_tasks_.Add(interval, std::move(run));
          return [this, task] { background_tasks_.Trigger(task); };
        },
        .not_ready_toleration_seconds = options_.default_not_ready_toleration_seconds,
        .unreachable_toleration_seconds = options_.default_unreachable_toleration_seconds};
    SKIFF_ASSIGN_OR_RETURN(admission_,
                           AdmissionChain::Make(context, {options_.enable_admission_plugins,
                                                          options_.disable_admission_plugins,
                                                          options_.admission_control_config_file}));
    admission_->SetObserver(&admission_metrics_);
    rest_.admission = admission_.get();
    return {};
  }

  // For policies, whose parameters may be of any kind. The cache of one that nobody has asked for
  // before begins to be filled.
  FoundKind CustomKind(std::string_view group, std::string_view version,
                       std::string_view kind) const {
    if (!catalog_) return {};
    const FoundResource found = catalog_->FindKind(group, version, kind);
    if (!found) return {};
    ResourceStorage* const storage = catalog_->StorageOf(found);
    if (storage == nullptr) catalog_->WithStorage(found, [](ResourceStorage*) {});
    return {found.resource, storage, found.definition};
  }

  // Serves the custom resources that are defined.
  void FollowDefinitions() {
    ResourceStorage* const storage = storages_->Find(
        object::FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")->hub);
    if (storage == nullptr) return;
    const size_t run = background_tasks_.Add({}, [this] { definitions_->Run(); });
    background_tasks_.Add(limits::kProgressInterval, [this] {
      definitions_->Tick();
      custom_->Tick();
    });
    definitions_.emplace(
        DefinitionController::Context{
            .definitions = storage,
            .api_services = storages_->Find(
                object::FindResource("apiregistration.k8s.io", "v1", "apiservices")->hub),
            .resources = *custom_,
            .rest = rest_,
            .log = log_},
        [this, run] { background_tasks_.Trigger(run); });
    definitions_->Start();
  }
  // Nobody is to be told that a resource is not there whose definition has not been looked at yet:
  // others would take its objects for gone. The definitions themselves are in the cache by now.
  void AwaitDefinitions() {
    const Duration until = clock_.Monotonic() + options_.storage.initialization_timeout;
    while (!definitions_ready() && clock_.Monotonic() < until) {
      ServeOn(std::chrono::milliseconds(1));
    }
  }
  bool definitions_ready() const { return !definitions_ || definitions_->synced(); }
  // Which other servers there are, and the way to them.
  Result<void> StartAggregator() {
    const size_t run = background_tasks_.Add({}, [this] { aggregator_->Run(); });
    aggregator_.emplace(
        Aggregator::Context{.storages = *storages_,
                            .rest = rest_,
                            .metrics = registry_of_metrics_,
                            .log = log_,
                            .on_api_service =
                                [this](std::string_view name, const object::Document* now) {
                                  if (definitions_) definitions_->OnApiService(name, now);
                                },
                            .on_loop_start = [this](const auto& loop) { watchdog_.Watch(loop); }},
        AggregatorOptionsOf(options_, *served_), [this, run] { background_tasks_.Trigger(run); });
    background_tasks_.Add(std::chrono::seconds(1), [this] { aggregator_->Tick(); });
    if (aggregator_->has_certificate()) {
      background_tasks_.Add(std::chrono::seconds(10),
                            [this] { aggregator_->ReadCertificateAgain(); });
    }
    return aggregator_->Start();
  }

  // Resources of the core group that are answered and not stored.
  void AddCoreVirtuals() {
    components_.emplace(StandardComponents(store()));
    router_->SetVirtual("", "componentstatuses",
                        [this](serving::ApiRequestPtr request, const Endpoint& endpoint) {
                          components_->Answer(std::move(request), endpoint);
                        });
  }

  Result<void> StartStorages() {
    leases_.emplace(store(), clock_,
                    store::LeasePoolOptions{.max_reuse = std::chrono::seconds(
                                                options_.storage.lease_reuse_duration_seconds)});
    environment_.emplace(StorageEnvironment{
        .store = store(),
        .clock = clock_,
        .random = random_,
        .leases = *leases_,
        .defaults = *defaults_,
        .prefix = options_.storage.etcd_prefix,
        .events_come_first = store_.embedded,
        .event_ttl = std::chrono::duration_cast<std::chrono::seconds>(options_.storage.event_ttl),
        .changes = changes_,
        .prefer_json = options_.storage.media_type == "application/json",
        .log = &log_,
        .read_completion = [this](const object::ResourceHub& hub) {
          return CompletionOf(hub, options_.service.cluster_ip_ranges);
        }});
    SKIFF_ASSIGN_OR_RETURN(storages_, StorageSet::Make(HubsOf(*served_), *environment_));
    storages_->Start();
    return AwaitStorages(
        *storages_, store(),
        {.timeout = options_.storage.initialization_timeout, .give_up = options_.give_up}, clock_,
        log_);
  }

  // What is found out when somebody asks for metrics.
  void AddCollectedMetrics() {
    AddFeatureMetrics(registry_of_metrics_, options_.feature_gates);
    AddProcessMetrics(registry_of_metrics_, std::chrono::duration<double>(clock_.Wall()).count());
    AddBuildInfo(registry_of_metrics_);
  }

  void AddHealthChecks() {
    health_.SetLivezGrace(clock_, clock_.Monotonic() + options_.livez_grace_period);
    health_.SetMetrics(health_metrics_);
    health_.Add({"ping", serving::HealthCheck::kAll, [] { return std::string(); }});
    health_.Add({"log", serving::HealthCheck::kAll, [] { return std::string(); }});
    for (serving::HealthCheck& check : StoreHealthChecks([this] { return store().Health(); })) {
      health_.Add(std::move(check));
    }
    health_.Add({"event-loops", serving::HealthCheck::kAll, [this] { return watchdog_.Fault(); }});
    health_.Add({"informer-sync", serving::HealthCheck::kReadyz, [this]() -> std::string {
                   const bool filled = storages_->ready() && followers_->nodes_ready() &&
                                       definitions_ready() && aggregator_->synced();
                   return filled ? "" : "not filled yet";
                 }});
    health_.Add({"poststarthook/rbac/bootstrap-roles", serving::HealthCheck::kAll, [this] {
                   return followers_->roles_ready() ? std::string()
                                                    : std::string("not written yet");
                 }});
    AddFollowerChecks();
    for (const Bootstrap::HealthCheck& check : Bootstrap::HealthChecks()) {
      const auto has_done = [this](Bootstrap::Duty duty) {
        return bootstrap_ready_.load() && bootstrap_->has_done(duty);
      };
      // What has not succeeded yet is tried again, and would not be helped by a new start.
      AddCheck(
          check.name, "not finished",
          [has_done] { return has_done(Bootstrap::Duty::kSystemObjects); },
          serving::HealthCheck::kLivez);
      AddCheck(
          check.name, "not finished", [has_done, duty = check.duty] { return has_done(duty); },
          serving::HealthCheck::kHealthz | serving::HealthCheck::kReadyz);
    }
    AddAggregatorChecks(*aggregator_, health_);
    health_.Add({"shutdown", serving::HealthCheck::kReadyz, [this] {
                   return draining_ ? std::string("process is shutting down") : std::string();
                 }});
  }

  void AddCheck(std::string_view name, std::string_view fault, std::function<bool()> is_well,
                int endpoints = serving::HealthCheck::kAll) {
    health_.Add({std::string(name), static_cast<uint8_t>(endpoints),
                 [fault = std::string(fault), is_well = std::move(is_well)] {
                   return is_well() ? std::string() : fault;
                 }});
  }
  // What has to have been read once before it can decide anything.
  void AddFollowerChecks() {
    constexpr std::string_view kNotRead = "not read yet";
    const auto filled = [this] { return storages_->ready(); };
    // Plugins look at these caches themselves.
    AddCheck("poststarthook/start-apiserver-admission-initializer", kNotRead, filled);
    AddCheck("poststarthook/generic-apiserver-start-informers", kNotRead, [this] {
      return storages_->ready() && followers_->roles_ready() && followers_->nodes_ready();
    });
    AddCheck("poststarthook/storage-readiness", kNotRead, filled);
    if (flow_) {
      AddCheck("poststarthook/priority-and-fairness-config-consumer", kNotRead, [this] {
        if (!flow_read_) flow_read_ = flow_->Matcher().complete();
        return flow_read_.load();
      });
    }
    if (!definitions_) return;
    for (const char* const check :
         {"poststarthook/start-apiextensions-informers",
          "poststarthook/start-apiextensions-controllers", "poststarthook/crd-informer-synced"}) {
      AddCheck(check, "not every definition of custom resources has been looked at yet",
               [this] { return definitions_ready(); });
    }
  }

  // Which flow requests belong to.
  void FollowFlows() {
    if (!options_.requests.enable_priority_and_fairness) return;
    const auto storage = [&](std::string_view name) {
      const object::ResourceDesc* resource =
          object::FindResource("flowcontrol.apiserver.k8s.io", "v1", name);
      return resource == nullptr ? nullptr : storages_->Find(resource->hub);
    };
    ResourceStorage* schemas = storage("flowschemas");
    ResourceStorage* levels = storage("prioritylevelconfigurations");
    if (schemas == nullptr || levels == nullptr) return;
    flow_.emplace(schemas->cache(), levels->cache(),
                  [](std::string_view stored) { return DecodeStored(stored, store::Revision{}); });
    background_tasks_.Add(std::chrono::seconds(1), [this] { flow_->Refresh(); });
  }

  Result<void> MakePipeline() {
    own_paths_.emplace(NonResourcePaths::Context{.options = options_,
                                                 .gates = settings_.gates,
                                                 .clock = clock_,
                                                 .metrics = registry_of_metrics_,
                                                 .health = health_,
                                                 .health_metrics = health_metrics_,
                                                 .openid = security_.openid,
                                                 .served = served_,
                                                 .custom = *custom_,
                                                 .registrations = aggregator_->registrations(),
                                                 .documents = aggregator_->documents(),
                                                 .router = *router_});
    SKIFF_ASSIGN_OR_RETURN(
        response_headers_,
        ResponseHeaders::Make({.allowed_origins = options_.cors_allowed_origins,
                               .transport_security = options_.strict_transport_security_directives,
                               .goaway_chance = options_.requests.goaway_chance},
                              random_));
    pipeline_.emplace(PipelineOptions{
        .clock = clock_,
        .random = random_,
        .log = log_,
        .metrics = metrics_,
        .authenticator = *security_.authenticator,
        .authorizer = security_.authorizer(),
        .deadlines = request_deadlines_,
        .headers = *response_headers_,
        .flow = flow_ ? &*flow_ : nullptr,
        .memory = &memory_,
        .request_timeout = options_.requests.request_timeout,
        .max_readonly_inflight = options_.requests.max_requests_inflight,
        .max_mutating_inflight = options_.requests.max_mutating_requests_inflight,
        .pass_on = [this](serving::ApiRequestPtr& request) { return aggregator_->Answer(request); },
        .resolvers = {
            [this](serving::ApiRequestPtr& request) { return own_paths_->Answer(*request); },
            [this](serving::ApiRequestPtr& request) {
              return options_.profiling && profiles_.Answer(request);
            },
            [this](serving::ApiRequestPtr& request) {
              return own_paths_->AnswerDocument(*request);
            },
            [this](serving::ApiRequestPtr& request) {
              return request->info.is_resource && router_->Route(request);
            }}});
    return {};
  }

  Result<void> Listen() {
    net::HttpServerOptions http = ListenerOptions(options_, memory_.limit_bytes());
    http.handler = &*pipeline_;
    http.clock = &clock_;
    http.watchdog = &watchdog_;
    http.on_error = [this](std::string_view text) { log_.Error(text); };
    watchdog_.Start();
    SKIFF_ASSIGN_OR_RETURN(http_, net::HttpServer::Start(std::move(http)));
    for (const std::string& address : http_->addresses()) {
      log_.Info("Serving securely", {{"address", address}});
    }
    return {};
  }

  // Once, when all that belongs to the start is over.
  void ForgetStart() {
    if (start_forgotten_ || !ready()) return;
    start_forgotten_ = true;
    ReleaseStartupMemory();
  }

  bool bootstrapped() const { return bootstrap_ready_.load() && bootstrap_->done(); }

  Result<void> StartBootstrap() {
    SKIFF_ASSIGN_OR_RETURN(BootstrapOptions bootstrap, MakeBootstrapOptions(options_));
    bootstrap.port = options_.secure_port;
    if (http_) {
      const std::string& address = http_->addresses().front();
      bootstrap.port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    }
    bootstrap_.emplace(BootstrapContext{*storages_, store(), *registry_, rest_, *served_, log_},
                       std::move(bootstrap));
    bootstrap_->Start();
    bootstrap_ready_ = true;
    return {};
  }

  const ApiServerOptions options_;
  Clock& clock_;
  Random& random_;
  Log& log_;
  store::Store* const given_store_;  // null: store_ has one
  const KindSettings settings_;
  // Before all that holds documents, which point into it.
  const std::unique_ptr<const DefaultPlans> defaults_;
  MetricsRegistry registry_of_metrics_;
  ApiServerMetrics metrics_;
  client::WorkQueueMetrics queue_metrics_;
  OpenedStore store_;
  std::optional<store::LeasePool> leases_;
  std::shared_ptr<const void> changes_ = std::make_shared<int>(0);
  std::optional<StorageEnvironment> environment_;
  Deadlines deadlines_;
  RequestDeadlines request_deadlines_;
  RestContext rest_;
  std::shared_ptr<const ServedResources> served_;
  std::unique_ptr<StorageSet> storages_;
  std::optional<CachedObjects> lookup_;
  Security security_;
  std::optional<AuthorizerFollowers> followers_;
  BackgroundTasks background_tasks_;
  bool start_forgotten_ = false;  // of background_tasks_, like what follows
  StoreReporter store_reporter_{log_};
  MemoryGauge memory_;
  MemoryPressure memory_pressure_{memory_, log_};
  net::LoopWatchdog watchdog_;
  std::optional<Registry> registry_;
  AdmissionMetrics admission_metrics_{metrics_};
  WebhookMetricFamilies webhook_metrics_{registry_of_metrics_};
  WebhookCaller webhooks_{clock_, [this](const CalledService& called) {
                            return aggregator_->routes().Find(called.name_space, called.name,
                                                              called.port);
                          },
                          [this](const auto& loop) { watchdog_.Watch(loop); }};
  ConversionMetrics conversion_metrics_{registry_of_metrics_};
  ConvertedObjects converted_objects_{limits::kConversionMemoryBytes};
  const ConversionServices conversion_{webhooks_, clock_, random_, converted_objects_,
                                       conversion_metrics_};
  std::optional<Aggregator> aggregator_;
  std::unique_ptr<AdmissionChain> admission_;
  std::optional<CustomResources> custom_;
  std::optional<ResourceCatalog> catalog_;
  std::optional<DefinitionController> definitions_;
  std::optional<Router> router_;
  std::optional<ComponentStatuses> components_;
  serving::ProfilePages profiles_;
  serving::HealthMetrics health_metrics_;
  serving::Health health_;
  std::optional<NonResourcePaths> own_paths_;
  std::optional<FlowConfig> flow_;
  std::atomic<bool> flow_read_{false};  // the schemas that every cluster has were there once
  std::unique_ptr<ResponseHeaders> response_headers_;
  std::optional<Pipeline> pipeline_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<net::HttpServer> http_;
  std::optional<Bootstrap> bootstrap_;
  std::atomic<bool> bootstrap_ready_{false};  // bootstrap_ is there
};

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::~ApiServer() = default;

Result<std::unique_ptr<ApiServer>> ApiServer::Start(ApiServerOptions options, Clock& clock,
                                                    Random& random, Log& log, store::Store* store) {
  auto impl = std::make_unique<Impl>(std::move(options), clock, random, log, store);
  SKIFF_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(impl)));
}

std::unique_ptr<client::ClientTransport> ApiServer::Connect(serving::UserInfo user,
                                                            Executor& executor) {
  return impl_->Connect(std::move(user), executor);
}

const std::vector<std::string>& ApiServer::addresses() const { return impl_->addresses(); }
MetricsRegistry& ApiServer::metrics() { return impl_->metrics(); }
client::WorkQueueMetrics& ApiServer::queue_metrics() { return impl_->queue_metrics(); }
void ApiServer::SetControllerManager(std::function<std::string()> fault) {
  impl_->SetControllerManager(std::move(fault));
}
void ApiServer::Watch(const std::shared_ptr<net::EventLoop>& loop) { impl_->Watch(loop); }
std::string ApiServer::UnderWay() const { return impl_->UnderWay(); }
Duration ApiServer::DrainTime() const { return impl_->DrainTime(); }
bool ApiServer::ready() const { return impl_->ready(); }
void ApiServer::Drain() { impl_->Drain(); }

}  // namespace skiff::apiserver

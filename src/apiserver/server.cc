#include "apiserver/server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "apiserver/admission/chain.h"
#include "apiserver/admission_metrics.h"
#include "apiserver/api_service_proxy.h"
#include "apiserver/authz/rbac_follower.h"
#include "apiserver/background_tasks.h"
#include "apiserver/bootstrap/bootstrap.h"
#include "apiserver/bootstrap_options.h"
#include "apiserver/cached_objects.h"
#include "apiserver/component_statuses.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/discovery/runtime_config.h"
#include "apiserver/discovery/served_resources.h"
#include "apiserver/discovery/server_documents.h"
#include "apiserver/flowcontrol/flow_config.h"
#include "apiserver/in_process/transport.h"
#include "apiserver/legacy_token_tracking.h"
#include "apiserver/log_files.h"
#include "apiserver/metrics.h"
#include "apiserver/open_store.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/permission_checks.h"
#include "apiserver/pipeline.h"
#include "apiserver/registry/disabled_fields.h"
#include "apiserver/registry/read_completion.h"
#include "apiserver/registry/registry.h"
#include "apiserver/registry/unenforced.h"
#include "apiserver/registry/use_kinds.h"
#include "apiserver/request_deadlines.h"
#include "apiserver/response_headers.h"
#include "apiserver/rest/deadlines.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/rest/storage_set.h"
#include "apiserver/reviews.h"
#include "apiserver/router.h"
#include "apiserver/security.h"
#include "apiserver/storage_metrics.h"
#include "apiserver/store_health.h"
#include "apiserver/stored_rbac.h"
#include "base/feature_gates.h"
#include "base/limits.h"
#include "base/memory_limit.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "base/resident_memory.h"
#include "base/version.h"
#include "net/loop_watchdog.h"
#include "net/server.h"
#include "serving/health.h"
#include "serving/profile_pages.h"
#include "serving/request/negotiate.h"
#include "serving/request/respond.h"
#include "serving/zpages.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

// While the store is waited for: how often somebody may ask to stop, and how often it is told.
constexpr Duration kLookAround = std::chrono::milliseconds(100);
constexpr Duration kSilence = std::chrono::seconds(3);

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
        profiles_(clock),
        health_metrics_(std::chrono::duration<double>(clock.Wall()).count()),
        memory_(clock, MemoryLimit(options_.requests.memory_limit_bytes)),
        watchdog_(clock, log, &registry_of_metrics_) {}

  Result<void> Start() {
    ShareFreedMemory();
    AddCollectedMetrics();
    UseKinds();
    if (given_store_ == nullptr) {
      SKIFF_ASSIGN_OR_RETURN(store_, OpenStore(options_.storage, clock_, random_, log_));
    }
    SKIFF_RETURN_IF_ERROR(Serve());
    SKIFF_RETURN_IF_ERROR(StartStorages());
    AddStorageMetrics(registry_of_metrics_, store(), *storages_);
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
    SKIFF_RETURN_IF_ERROR(MakeAdmission());
    registry_.emplace(RegistryContext{
        .storages = *storages_,
        .clock = clock_,
        .random = random_,
        .authorizer = security_.authorizer(),
        .rbac = security_.roles_decide ? security_.rbac.get() : nullptr,
        .service = {options_.service.cluster_ip_ranges, options_.service.node_port_min,
                    options_.service.node_port_max}});
    router_.emplace(*served_, *storages_, *registry_, rest_);
    AddReviews(*router_, security_, clock_);
    AddCoreVirtuals();
    if (security_.roles_decide) FollowRoles();
    FollowNodes();
    FollowFlows();
    background_tasks_.Add(std::chrono::seconds(1), [this] {
      ForgetStart();
      store_reporter_.Update(store().Health());
      LookAtMemory();
    });
    background_tasks_.Add(std::chrono::seconds(15), [this] { freed_memory_.ReleaseIfMuch(); });
    run_soon_ = background_tasks_.Add({}, [this] { RunWaiting(); });
    background_tasks_.Start();
    AddHealthChecks();
    SKIFF_RETURN_IF_ERROR(MakePipeline());
    if (options_.listen) SKIFF_RETURN_IF_ERROR(Listen());
    return StartBootstrap();
  }

  ~Impl() {
    if (bootstrap_) bootstrap_->Stop();
    profiles_.Stop();
    if (components_) components_->Stop();
    if (http_) http_->Stop();
    http_.reset();
    deadlines_.EndAll();
    background_tasks_.Stop();
    RunWaiting();
    follower_.reset();
    node_follower_.reset();
    if (leases_) leases_->Close();
    if (storages_) storages_->Stop();
  }

  const std::vector<std::string>& addresses() const {
    static const std::vector<std::string> kNone;
    return http_ ? http_->addresses() : kNone;
  }

  std::unique_ptr<client::ClientTransport> Connect(serving::UserInfo user, Executor& executor) {
    static const object::ResourceHub* const services =
        object::FindResource("apiregistration.k8s.io", "v1", "apiservices")->hub;
    return MakeInProcessTransport(
        {.user = std::move(user),
         .executor = executor,
         .handle =
             [this](serving::ApiRequestPtr request) { pipeline_->HandleLocal(std::move(request)); },
         .authorizer = security_.authorizer(),
         .served = served_,
         .api_services = storages_->Find(services),
         .run_elsewhere = [this](Executor::Work work) { RunSoon(std::move(work)); }});
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
    return storages_->ready() && roles_ready() && nodes_ready() && bootstrapped() && !draining_;
  }

  void Drain() {
    draining_ = true;
    if (bootstrap_) bootstrap_->Drain();
    if (!http_) return;
    ServeOn(options_.shutdown.delay_duration);
    if (options_.shutdown.send_retry_after) StartRejecting();
    http_->OnDrain([this] {
      deadlines_.EndAll();
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

  // Any thread, under locks too. On that of background_tasks_, under none.
  void RunSoon(Executor::Work work) {
    {
      const std::lock_guard lock(soon_mutex_);
      soon_.push_back(std::move(work));
    }
    background_tasks_.Trigger(run_soon_);
  }

  void RunWaiting() {
    std::vector<Executor::Work> work;
    {
      const std::lock_guard lock(soon_mutex_);
      work.swap(soon_);
    }
    for (Executor::Work& each : work) each();
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
    openapi_ = std::make_unique<OpenApi>(served_, std::string(kKubernetesVersion));
    discovery_ = std::make_unique<Discovery>(served_, ExternalAddress(options_));
    return {};
  }

  Result<void> MakeAdmission() {
    const PluginContext context{
        .storages = *storages_,
        .clock = clock_,
        .authorizer = security_.authorizer(),
        .feature_enabled = [this](Gate gate) { return settings_.gates.IsOn(gate); },
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

  // Brings the roles that every cluster has up to date, and the policy up to the roles.
  void FollowRoles() {
    const auto cache = [&](std::string_view name) {
      return &storages_->Find(object::FindPreferredResource("rbac.authorization.k8s.io", name)->hub)
                  ->cache();
    };
    const RbacFollower::Caches caches{.roles = cache("roles"),
                                      .cluster_roles = cache("clusterroles"),
                                      .role_bindings = cache("rolebindings"),
                                      .cluster_role_bindings = cache("clusterrolebindings")};
    const size_t run = background_tasks_.Add({}, [this] { follower_->Run(); });
    background_tasks_.Add(std::chrono::seconds(1), [this] { follower_->Tick(); });
    follower_.emplace(*security_.rbac, caches, [this, run] { background_tasks_.Trigger(run); });
    follower_->Start();
    stored_rbac_.emplace(*storages_, clock_, random_);
    const size_t ensure = background_tasks_.Add({}, [this] { EnsureRoles(); });
    // Tried again every second until it has been done once.
    background_tasks_.Add(std::chrono::seconds(1), [this, ensure] {
      if (!roles_written_) background_tasks_.Trigger(ensure);
    });
    background_tasks_.Trigger(ensure);
  }

  // Tells the Node authorizer what is on which node.
  void FollowNodes() {
    if (security_.node_graph == nullptr) return;
    const auto cache = [&](std::string_view group, std::string_view name) -> store::ResourceCache* {
      ResourceStorage* storage = storages_->Find(object::FindPreferredResource(group, name)->hub);
      return storage != nullptr ? &storage->cache() : nullptr;
    };
    // In the order of NodeGraph::kSources. A pod that is on no node is nobody's business yet, and
    // most of those that are being created are not on one.
    const std::vector<FollowedCache> caches = {
        {cache("", "pods"), object::FieldSelector::NotEquals("spec.nodeName", "")},
        {cache("", "persistentvolumes")},
        {cache("storage.k8s.io", "volumeattachments")},
        {cache("resource.k8s.io", "resourceslices")},
        {cache("certificates.k8s.io", "podcertificaterequests")}};
    const size_t run = background_tasks_.Add({}, [this] { node_follower_->Run(); });
    background_tasks_.Add(std::chrono::seconds(1), [this] { node_follower_->Tick(); });
    node_follower_.emplace(*security_.node_graph, caches,
                           [this, run] { background_tasks_.Trigger(run); });
    node_follower_->Start();
  }

  void EnsureRoles() {
    if (roles_written_) return;
    EnsureBootstrapPolicy(*stored_rbac_, [this](const Result<void>& done) {
      // What is damaged grants nothing; trying again does not help.
      const bool is_damage = !done && done.error().reason() == StatusReason::kInternalError &&
                             store().Health().damaged > 0;
      if (done || is_damage) roles_written_ = true;
      if (is_damage) {
        log_.Error("Some roles of the cluster could not be written, since they are damaged",
                   {{"err", done.error().ToString()}});
      } else if (!done) {
        log_.Warning("The roles of the cluster could not be written; trying again",
                     {{"err", done.error().ToString()}});
      }
    });
  }

  bool nodes_ready() const { return !node_follower_ || node_follower_->synced(); }
  bool roles_ready() const {
    return !security_.roles_decide || (roles_written_ && follower_->synced());
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
        .prefer_json = options_.storage.media_type == "application/json",
        .log = &log_,
        .read_completion = [this](const object::ResourceHub& hub) {
          return CompletionOf(hub, options_.service.cluster_ip_ranges);
        }});
    SKIFF_ASSIGN_OR_RETURN(storages_, StorageSet::Make(HubsOf(*served_), *environment_));
    storages_->Start();
    return AwaitStorages();
  }

  // Says what it waits for, and stops when it is asked to.
  Result<void> AwaitStorages() {
    const Duration deadline = clock_.Monotonic() + options_.storage.initialization_timeout;
    Duration next_word = clock_.Monotonic() + kSilence;
    while (true) {
      const Duration now = clock_.Monotonic();
      if (storages_->WaitUntilReady(std::min(deadline, now + kLookAround))) return {};
      const std::string reason = storages_->fault(store().Health().reason);
      if (clock_.Monotonic() >= deadline) {
        return Fail(StatusReason::kServiceUnavailable,
                    "the cluster store could not be read in time: " + reason);
      }
      if (options_.give_up && options_.give_up()) {
        return Fail(StatusReason::kServiceUnavailable, "the start was given up");
      }
      if (clock_.Monotonic() < next_word) continue;
      next_word += kSilence;
      log_.Warning("waiting for the cluster store", {{"reason", reason}});
    }
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
                   return storages_->ready() && nodes_ready() ? "" : "not filled yet";
                 }});
    health_.Add({"poststarthook/rbac/bootstrap-roles", serving::HealthCheck::kAll, [this] {
                   return roles_ready() ? std::string() : std::string("not written yet");
                 }});
    for (const std::string_view check : Bootstrap::HealthChecks()) {
      health_.Add({std::string(check), serving::HealthCheck::kAll, [this] {
                     return bootstrapped() ? std::string() : std::string("not finished");
                   }});
    }
    health_.Add({"shutdown", serving::HealthCheck::kReadyz, [this] {
                   return draining_ ? std::string("process is shutting down") : std::string();
                 }});
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

  void MakeZPages() {
    zpages_.emplace(
        serving::ZPages::Options{
            .component = "apiserver",
            .status = settings_.gates.IsOn("ComponentStatusz"),
            .flags = settings_.gates.IsOn("ComponentFlagz") ? options_.shown_flags : nullptr,
            .served = OwnPaths()},
        clock_);
  }

  Result<void> MakePipeline() {
    MakeZPages();
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
        .resolvers = {
            [this](serving::ApiRequestPtr& request) { return AnswerOwnPaths(*request); },
            [this](serving::ApiRequestPtr& request) {
              return options_.profiling && profiles_.Answer(request);
            },
            [this](serving::ApiRequestPtr& request) { return AnswerDiscovery(*request); },
            [this](serving::ApiRequestPtr& request) {
              return request->info.is_resource && router_->Route(request);
            },
            [this](serving::ApiRequestPtr& request) {
              static const object::ResourceHub* const hub =
                  object::FindResource("apiregistration.k8s.io", "v1", "apiservices")->hub;
              return ProxyToApiService(*request, storages_->Find(hub));
            }}});
    return {};
  }

  bool AnswerOwnPaths(serving::ApiRequest& request) {
    if (request.info.is_resource) return false;
    if (health_.Answer(request)) return true;
    const std::string& path = request.info.path;
    if (path == "/metrics") {
      serving::RespondBytes(request, 200, kMetricsContentType,
                            SharedBytes(registry_of_metrics_.Text()));
      return true;
    }
    if (path == "/metrics/slis") {
      serving::RespondBytes(request, 200, kMetricsContentType, SharedBytes(health_metrics_.Text()));
      return true;
    }
    if (zpages_->Answer(request)) return true;
    if (path == "/version" || path == "/version/") {
      if (RefusesWrite(request)) return true;
      RespondDocument(request, VersionDocument({.kubernetes_version = kKubernetesVersion,
                                                .skiff_version = kVersion}));
      return true;
    }
    if (path == "/" || path == "/index.html") {
      std::vector<std::string> paths = OwnPaths();
      std::ranges::move(zpages_->Paths(), std::back_inserter(paths));
      RespondDocument(request, IndexDocument(*served_, paths));
      return true;
    }
    if (options_.enable_logs_handler && log_files_.Answer(request)) return true;
    return AnswerOpenId(request);
  }

  static bool Reads(const serving::ApiRequest& request) {
    return request.http.method == "GET" || request.http.method == "HEAD";
  }

  // Documents can only be read: anything else is answered here.
  static bool RefusesWrite(serving::ApiRequest& request) {
    if (Reads(request)) return false;
    serving::RespondError(request, MethodNotAllowed());
    return true;
  }

  bool AnswerOpenId(serving::ApiRequest& request) {
    if (!security_.openid) return false;
    const std::string& path = request.info.path;
    const bool keys = path == OpenIdMetadata::kKeysPath;
    if (!keys && path != OpenIdMetadata::kConfigurationPath) return false;
    if (RefusesWrite(request)) return true;
    constexpr std::string_view kOffers[] = {OpenIdMetadata::kKeysContentType};
    if (keys && !serving::Negotiate(request.http.headers.Get("accept"), kOffers,
                                    [](const serving::Conversion*) { return true; })) {
      Status refused(StatusReason::kNotAcceptable,
                     "406: Not Acceptable\n\nAvailable representations: " +
                         std::string(OpenIdMetadata::kKeysContentType));
      serving::RespondError(request, refused.SetSubject({}));
      return true;
    }
    net::HttpHeaders extra;
    extra.Add("cache-control", OpenIdMetadata::kCacheControl);
    serving::RespondBytes(
        request, 200, keys ? OpenIdMetadata::kKeysContentType : "application/json",
        SharedBytes(keys ? security_.openid->keys : security_.openid->configuration),
        std::move(extra));
    return true;
  }

  std::vector<std::string> OwnPaths() const {
    std::vector<std::string> out = {"/healthz",    "/livez",  "/metrics",    "/metrics/slis",
                                    "/openapi/v2", "/readyz", "/openapi/v3", "/version"};
    for (std::string& path : health_.Paths()) out.push_back(std::move(path));
    if (options_.enable_logs_handler) out.emplace_back("/logs");
    if (security_.openid) {
      out.emplace_back(OpenIdMetadata::kKeysPath);
      out.emplace_back(OpenIdMetadata::kConfigurationPath);
    }
    return out;
  }

  static void RespondDocument(serving::ApiRequest& request, serving::DocumentResponse answer) {
    net::HttpHeaders extra;
    if (!answer.etag.empty()) extra.Add("etag", answer.etag);
    if (!answer.vary.empty()) extra.Add("vary", answer.vary);
    if (!answer.location.empty()) extra.Add("location", answer.location);
    if (!answer.cache_control.empty()) extra.Add("cache-control", answer.cache_control);
    serving::RespondBytes(request, answer.code, answer.content_type, std::move(answer.body),
                          std::move(extra));
  }

  bool AnswerDiscovery(serving::ApiRequest& request) {
    if (request.info.is_resource) return false;
    const serving::DocumentRequest wanted{
        .path = request.info.path,
        .query = request.http.query,
        .accept = request.http.headers.Get("accept"),
        .if_none_match = request.http.headers.Get("if-none-match"),
        .user_agent = request.http.headers.Get("user-agent")};
    if (auto document = openapi_->Answer(wanted); document) {
      if (RefusesWrite(request)) return true;
      RespondDocument(request, std::move(*document));
      return true;
    }
    Result<std::optional<serving::DocumentResponse>> answer = discovery_->Answer(wanted);
    if (!answer) {
      serving::RespondError(request, answer.error());
      return true;
    }
    if (!*answer) return AnswerUnknownVersion(request);
    if (!RefusesWrite(request)) RespondDocument(request, std::move(**answer));
    return true;
  }

  // /apis/apps/v99: the group is there, but not the version.
  bool AnswerUnknownVersion(serving::ApiRequest& request) {
    std::string_view path = request.info.path;
    std::string_view group;
    if (path.starts_with("/apis/")) {
      group = path.substr(6, path.find('/', 6) - 6);
    } else if (!path.starts_with("/api/")) {
      return false;
    }
    if (!router_->ServesGroup(group)) return false;
    serving::RespondError(request, UnknownResource());
    return true;
  }

  Result<void> Listen() {
    net::HttpServerOptions http;
    http.addresses = {options_.bind_address.WithPort(options_.secure_port)};
    http.handler = &*pipeline_;
    http.clock = &clock_;
    http.watchdog = &watchdog_;
    http.share_port = options_.permit_port_sharing;
    http.limits.body_timeout = options_.requests.request_timeout;
    // Requests on their way may have a quarter of the memory, and so may connections that are idle.
    const uint64_t quarter = memory_.limit_bytes() / 4;
    http.limits.memory_bytes = std::min<uint64_t>(http.limits.memory_bytes, quarter);
    http.limits.max_connections =
        std::min<uint64_t>(http.limits.max_connections, quarter / limits::kHttpIdleConnectionBytes);
    if (options_.requests.http2_max_streams_per_connection > 0) {
      http.limits.max_streams =
          static_cast<uint32_t>(options_.requests.http2_max_streams_per_connection);
    }
    http.on_error = [this](std::string_view text) { log_.Error(text); };
    net::TlsOptions tls;
    tls.certificate = {options_.tls.cert_file, options_.tls.private_key_file, {}};
    tls.by_name = options_.tls.sni_cert_keys;
    tls.client_ca_files = ClientCaFilesOf(options_).files;
    tls.cipher_suites = options_.tls.cipher_suites;
    tls.curve_preferences.assign(options_.tls.curve_preferences.begin(),
                                 options_.tls.curve_preferences.end());
    tls.min_version =
        options_.tls.min_version == MinTlsVersion::kTls13 ? "VersionTLS13" : "VersionTLS12";
    tls.http2 = !options_.disable_http2_serving;
    http.tls = std::move(tls);
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
    LogUnenforced(*storages_, log_);
    ReleaseStartupMemory();
  }

  // What was freed may be all that is lacking.
  void LookAtMemory() {
    if (memory_.level() != MemoryGauge::Level::kRoom) freed_memory_.Release();
    const bool is_short = memory_.level() != MemoryGauge::Level::kRoom;
    if (std::exchange(memory_was_short_, is_short) == is_short) return;
    if (is_short) {
      log_.Warning("memory is short: requests are refused",
                   {{"limit", std::to_string(memory_.limit_bytes())}});
    } else {
      log_.Info("there is enough memory again");
    }
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
  std::optional<StorageEnvironment> environment_;
  Deadlines deadlines_;
  RequestDeadlines request_deadlines_;
  RestContext rest_;
  std::shared_ptr<const ServedResources> served_;
  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<OpenApi> openapi_;
  std::unique_ptr<StorageSet> storages_;
  std::optional<CachedObjects> lookup_;
  Security security_;
  std::optional<StoredRbac> stored_rbac_;
  std::optional<RbacFollower> follower_;
  std::optional<CacheFollower> node_follower_;
  std::atomic<bool> roles_written_{false};
  std::mutex soon_mutex_;
  std::vector<Executor::Work> soon_;
  size_t run_soon_ = 0;  // of background_tasks_
  BackgroundTasks background_tasks_;
  bool start_forgotten_ = false;  // of background_tasks_, like what follows
  StoreReporter store_reporter_{log_};
  FreedMemory freed_memory_;
  bool memory_was_short_ = false;  // as last told
  std::optional<Registry> registry_;
  AdmissionMetrics admission_metrics_{metrics_};
  std::unique_ptr<AdmissionChain> admission_;
  std::optional<Router> router_;
  std::optional<ComponentStatuses> components_;
  LogFiles log_files_;
  serving::ProfilePages profiles_;
  serving::HealthMetrics health_metrics_;
  MemoryGauge memory_;
  serving::Health health_;
  std::optional<serving::ZPages> zpages_;
  std::optional<FlowConfig> flow_;
  std::unique_ptr<ResponseHeaders> response_headers_;
  std::optional<Pipeline> pipeline_;
  std::atomic<bool> draining_{false};
  net::LoopWatchdog watchdog_;
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

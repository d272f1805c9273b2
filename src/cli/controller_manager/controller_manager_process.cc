#include "cli/controller_manager/controller_manager_process.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/feature_gates.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "cli/common/host.h"
#include "cli/controller_manager/controller_health.h"
#include "cli/controller_manager/controller_manager_access.h"
#include "cli/controller_manager/controller_manager_config.h"
#include "client/https/https_transport.h"
#include "client/https/rest_metrics.h"
#include "client/https/service_accounts.h"
#include "client/leader_election.h"
#include "client/work_queue_metrics.h"
#include "component/client_ca.h"
#include "component/component_server.h"
#include "net/loop_executor.h"
#include "net/loop_watchdog.h"

namespace skiff::cli {
namespace {

constexpr char kName[] = "kube-controller-manager";
// How often it is looked whether the loops have come to rest.
constexpr Duration kRestInterval = std::chrono::milliseconds(10);
// What is left to be answered once the ways to the server are closed takes no time.
constexpr Duration kClosedRest = std::chrono::seconds(1);
// How long the cluster may take to tell the CA of clients.
constexpr Duration kLookUpTime = std::chrono::seconds(20);

// Something that another thread brings.
template <typename T>
class Awaited {
 public:
  void Set(T value) {
    const std::lock_guard lock(mutex_);
    value_.emplace(std::move(value));
    wake_.notify_all();
  }
  // Nothing: it did not come in time.
  std::optional<T> Wait(Clock& clock, Duration time) {
    const Duration end = clock.Monotonic() + time;
    std::unique_lock lock(mutex_);
    while (!value_ && clock.Monotonic() < end) clock.WaitUntil(wake_, lock, end);
    return std::exchange(value_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<T> value_;
};

class Process final : public ControllerManagerProcess {
 public:
  Process(const ControllerManagerCommandLine& line, Clock& clock, Random& random, Log& log)
      : line_(line),
        clock_(clock),
        random_(random),
        log_(log),
        queue_metrics_(metrics_),
        rest_metrics_(metrics_),
        controller_metrics_(metrics_),
        leader_metrics_(metrics_),
        health_(clock, line.lease.name, line.lease_duration),
        watchdog_(clock, log, &metrics_) {
    AddFeatureMetrics(metrics_, line.feature_gates);
    AddProcessMetrics(metrics_, std::chrono::duration<double>(clock.Wall()).count());
    AddBuildInfo(metrics_);
  }
  ~Process() override {
    if (loop_ == nullptr) return;
    if (!stopped_) Halt();
    if (server_ != nullptr) server_->Stop();
    loop_->Stop();
  }

  Result<void> Start() {
    SKIFF_ASSIGN_OR_RETURN(const ControllerManagerAccess access, FindAccess(line_));
    SKIFF_ASSIGN_OR_RETURN(line_.manager.loops, LoadLoopOptions(line_, access.main));
    SKIFF_ASSIGN_OR_RETURN(loop_, net::EventLoop::Create(clock_));
    executor_.emplace(loop_);
    loop_->Start("loops");
    watchdog_.Watch(loop_);
    watchdog_.Start();
    SKIFF_RETURN_IF_ERROR(OpenTransports(access));
    if (line_.secure_port != 0) SKIFF_RETURN_IF_ERROR(Serve());
    loop_->Post([this] { Begin(); });
    return {};
  }

  bool lost() const override { return lost_; }

  std::string UnderWay() const override {
    const std::string stuck = watchdog_.Fault();
    return stuck.empty() ? "control loops, or their lease" : stuck;
  }

  void Stop() override {
    Awaited<bool> rested;
    loop_->Post([this, &rested] {
      log_.Info("control loops end");
      if (manager_ != nullptr) manager_->Stop();
      WhenAtRest(clock_.Monotonic() + line_.shutdown_timeout, [this, &rested] {
        if (elector_ == nullptr) return rested.Set(true);
        elector_->Stop([&rested] { rested.Set(true); });
      });
    });
    while (!rested.Wait(clock_, std::chrono::minutes(1))) {
    }
    Halt();
  }

 private:
  Result<std::unique_ptr<client::HttpsTransport>> Open(const client::RestConfig& config) {
    return client::HttpsTransport::Open(Environment(), config);
  }
  client::HttpsEnvironment Environment() {
    return {.loop = loop_,
            .executor = *executor_,
            .random = random_,
            .log = &log_,
            .metrics = &rest_metrics_};
  }

  Result<void> OpenTransports(const ControllerManagerAccess& access) {
    SKIFF_ASSIGN_OR_RETURN(root_, Open(access.main));
    SKIFF_ASSIGN_OR_RETURN(election_, Open(access.election));
    if (access.authentication) {
      SKIFF_ASSIGN_OR_RETURN(authentication_, Open(*access.authentication));
    }
    if (access.authorization) {
      SKIFF_ASSIGN_OR_RETURN(authorization_, Open(*access.authorization));
    }
    client::NamedTransports::Rates rates;
    for (const controllers::ControllerSpec& spec : controllers::AllControllers()) {
      if (spec.qps_factor == 1 && spec.burst_factor == 1) continue;
      rates[std::string(spec.service_account)] = {spec.qps_factor, spec.burst_factor};
    }
    if (line_.use_service_account_credentials) {
      SKIFF_ASSIGN_OR_RETURN(accounts_, client::NamedTransports::OpenServiceAccounts(
                                            Environment(), access.main, *root_, std::move(rates)));
    } else {
      SKIFF_ASSIGN_OR_RETURN(accounts_, client::NamedTransports::OpenSameIdentity(
                                            Environment(), access.main, std::move(rates)));
    }
    return {};
  }

  // Those of clients: of a file, or what the cluster says.
  Result<void> FindClientCa() {
    if (!line_.client_ca_file.empty()) {
      line_.tls.client_ca_files = {line_.client_ca_file};
      return {};
    }
    if (line_.authentication_skip_lookup) return {};
    if (authentication_ == nullptr) {
      log_.Warning(
          "clients are not known by certificates or tokens: there is neither "
          "--authentication-kubeconfig nor the cluster of a pod");
      return {};
    }
    auto found = std::make_shared<Awaited<Result<std::string>>>();
    loop_->Post([this, found] {
      Detach<Result<std::string>>(component::ReadClientCa(client::Client(*authentication_, kName)),
                                  [found](Result<std::string> ca) { found->Set(std::move(ca)); });
    });
    Result<std::string> ca = found->Wait(clock_, kLookUpTime)
                                 .value_or(Fail(StatusReason::kTimeout, "there was no answer"));
    if (!ca) {
      const std::string why =
          "cannot read kube-system/extension-apiserver-authentication, which has the CA of "
          "clients: " +
          ca.error().message();
      if (!line_.authentication_tolerate_lookup_failure) {
        return Fail(ca.error().reason(),
                    why + " (--authentication-tolerate-lookup-failure goes on without)");
      }
      log_.Warning(why);
      return {};
    }
    if (ca->empty()) return {};
    SKIFF_ASSIGN_OR_RETURN(client_ca_file_, component::MemoryFile::Make("client-ca", *ca));
    line_.tls.client_ca_files = {client_ca_file_->path()};
    loop_->Post([this, ca = std::move(*ca)] {
      client_ca_.emplace(client::Client(*authentication_, kName), ca, *client_ca_file_, log_);
    });
    return {};
  }

  Result<void> Serve() {
    SKIFF_RETURN_IF_ERROR(FindClientCa());
    SKIFF_ASSIGN_OR_RETURN(serving_, FindServingCertificate(line_, clock_));
    if (authorization_ == nullptr) {
      log_.Warning(
          "nobody is let in but where everybody is: there is neither "
          "--authorization-kubeconfig nor the cluster of a pod");
    }
    component::ComponentServerOptions options;
    const std::string address = line_.bind_address.ToString();
    const bool v6 = address.find(':') != std::string::npos;
    options.address =
        (v6 ? "[" + address + "]" : address) + ":" + std::to_string(line_.secure_port);
    options.tls = line_.tls;
    options.tls.certificate = serving_.files;
    options.tls.http2 = !line_.disable_http2;
    options.share_port = line_.permit_port_sharing;
    options.max_streams = line_.http2_max_streams;
    options.profiling = line_.profiling;
    options.config_json = ConfigJson(line_);
    options.zpages.component = kName;
    options.zpages.status = IsFeatureOn(line_.feature_gates, Gate("ComponentStatusz").name());
    if (IsFeatureOn(line_.feature_gates, Gate("ComponentFlagz").name())) {
      options.zpages.flags = [this] {
        return ShowFlags<ControllerManagerCommandLine>(AllControllerManagerFlags(), line_);
      };
    }
    options.delegation = line_.delegation;
    options.token_reviews = authentication_.get();
    options.access_reviews = authorization_.get();
    SKIFF_ASSIGN_OR_RETURN(
        server_, component::ComponentServer::Start(
                     std::move(options),
                     {.clock = clock_, .random = random_, .log = log_, .metrics = metrics_}));
    SetChecks();
    for (const std::string& each : server_->addresses()) log_.Info("serving", {{"address", each}});
    return {};
  }

  void SetChecks() {
    if (server_ == nullptr) return;
    std::vector<serving::HealthCheck> checks = health_.Checks(line_.leader_elect);
    if (checks.empty()) checks.push_back({.name = "ping", .check = [] { return std::string(); }});
    checks.push_back({.name = "event-loops", .check = [this] { return watchdog_.Fault(); }});
    server_->SetChecks(std::move(checks));
  }

  // On the loop, from its begin to its end.
  void ReportHealth() {
    health_.Report(
        {.faults = manager_ != nullptr ? manager_->Faults() : std::map<std::string, std::string>(),
         .lease_renewed = elector_ != nullptr ? elector_->renewed() : std::nullopt,
         .lease_lost = lost_});
    executor_->Cancel(health_timer_);
    health_timer_ = executor_->After(ControllerHealth::kReportInterval, [this] { ReportHealth(); });
  }

  // From here on everything is on the loop.
  void Begin() {
    ReportHealth();
    if (!line_.leader_elect) return StartLoops();
    const std::string identity = FindHostFacts().host_name + "_" + NewUuid(random_);
    events_ = client::MakeEventRecorder(client::Client(*election_, kName), kName, random_);
    elector_ = client::MakeLeaderElector(client::Client(*election_, kName),
                                         {.lease = line_.lease,
                                          .identity = identity,
                                          .lease_duration = line_.lease_duration,
                                          .renew_deadline = line_.renew_deadline,
                                          .retry_period = line_.retry_period,
                                          .events = events_.get(),
                                          .metrics = &leader_metrics_,
                                          .log = &log_},
                                         random_);
    log_.Info("Attempting to acquire leader lease...",
              {{"lock", line_.lease.name_space + "/" + line_.lease.name}});
    elector_->Start(
        [this, identity] {
          log_.Info("Successfully acquired lease", {{"identity", identity}});
          StartLoops();
        },
        [this] {
          if (manager_ != nullptr) manager_->Stop();
          // Whatever the loops still want to send does not leave the process.
          CloseTransports();
          lost_ = true;
          ReportHealth();
        });
  }

  void StartLoops() {
    controllers::ManagerEnvironment environment{
        .transport = [this](std::string_view account) -> client::ClientTransport& {
          if (account.empty()) return *root_;
          return accounts_->Of(account);
        },
        .clock = clock_,
        .random = random_,
        .log = log_,
        .metrics = controller_metrics_,
        .queue_metrics = &queue_metrics_};
    auto made = controllers::ControllerManager::Make(line_.manager, std::move(environment));
    // Names were looked at when the command line was read.
    assert(made);
    manager_ = std::move(*made);
    manager_->Start();
    ReportHealth();
    SetChecks();
  }

  void WhenAtRest(Duration until, std::function<void()> then) {
    if (manager_ == nullptr || manager_->idle() || clock_.Monotonic() >= until) return then();
    executor_->After(kRestInterval, [this, until, then = std::move(then)]() mutable {
      WhenAtRest(until, std::move(then));
    });
  }

  void CloseTransports() {
    if (accounts_ != nullptr) accounts_->Close();
    for (client::HttpsTransport* each :
         {root_.get(), election_.get(), authentication_.get(), authorization_.get()}) {
      if (each != nullptr) each->Close();
    }
  }

  // Everything that belongs to the loop goes, on it.
  void Halt() {
    stopped_ = true;
    Awaited<bool> done;
    loop_->Post([this, &done] {
      executor_->Cancel(health_timer_);
      client_ca_.reset();
      elector_ = nullptr;
      events_ = nullptr;
      if (manager_ != nullptr) manager_->Stop();
      CloseTransports();
      WhenAtRest(clock_.Monotonic() + kClosedRest, [this, &done] {
        // What does not come to rest may still be used by what is under way.
        if (manager_ != nullptr && !manager_->idle()) static_cast<void>(manager_.release());
        manager_ = nullptr;
        done.Set(true);
      });
    });
    while (!done.Wait(clock_, std::chrono::minutes(1))) {
    }
    if (server_ != nullptr) server_->Stop();
  }

  ControllerManagerCommandLine line_;
  Clock& clock_;
  Random& random_;
  Log& log_;
  MetricsRegistry metrics_;
  client::WorkQueueMetrics queue_metrics_;
  client::RestClientMetrics rest_metrics_;
  controllers::ControllerMetrics controller_metrics_;
  client::LeaderElectionMetrics leader_metrics_;
  ControllerHealth health_;
  net::LoopWatchdog watchdog_;
  ServingFiles serving_;
  std::optional<component::MemoryFile> client_ca_file_;
  std::atomic<bool> lost_ = false;
  bool stopped_ = false;

  // What follows belongs to the loop once it has begun; transports end when it has stopped.
  std::shared_ptr<net::EventLoop> loop_;
  std::optional<net::LoopExecutor> executor_;
  Executor::TimerId health_timer_;
  std::unique_ptr<client::HttpsTransport> root_;
  std::unique_ptr<client::HttpsTransport> election_;
  std::unique_ptr<client::HttpsTransport> authentication_;
  std::unique_ptr<client::HttpsTransport> authorization_;
  std::unique_ptr<client::NamedTransports> accounts_;
  std::optional<component::ClientCaFollower> client_ca_;
  std::unique_ptr<client::EventRecorder> events_;
  std::unique_ptr<client::LeaderElector> elector_;
  std::unique_ptr<controllers::ControllerManager> manager_;

  std::unique_ptr<component::ComponentServer> server_;
};

}  // namespace

Result<std::unique_ptr<ControllerManagerProcess>> ControllerManagerProcess::Start(
    const ControllerManagerCommandLine& line, Clock& clock, Random& random, Log& log) {
  auto process = std::make_unique<Process>(line, clock, random, log);
  SKIFF_RETURN_IF_ERROR(process->Start());
  return process;
}

}  // namespace skiff::cli

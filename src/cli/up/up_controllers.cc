#include "cli/up/up_controllers.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/common/host.h"
#include "controllers/manager.h"
#include "net/event_loop.h"
#include "net/loop_executor.h"
#include "serving/auth/user.h"

namespace skiff::cli {
namespace {

// Calls are answered when their transport is closed, so that what is under way ends at once.
constexpr Duration kMaxStop = std::chrono::seconds(5);
// How often it is looked whether loops that were stopped have come to rest.
constexpr Duration kRestInterval = std::chrono::milliseconds(10);

// How long the thread of the loops may take to say how they are.
constexpr Duration kMaxAnswer = std::chrono::seconds(20);

constexpr char kManagerName[] = "kube-controller-manager";

// As the authenticators would find them.
serving::UserInfo ManagerUser() {
  return {.name = "system:kube-controller-manager",
          .uid = {},
          .groups = {serving::kAuthenticatedGroup},
          .extra = {}};
}
serving::UserInfo ServiceAccountUser(std::string_view name) {
  return {.name = "system:serviceaccount:kube-system:" + std::string(name),
          .uid = {},
          .groups = {serving::kServiceAccountsGroup,
                     std::string(serving::kServiceAccountsGroup) + ":kube-system",
                     serving::kAuthenticatedGroup},
          .extra = {}};
}

class RunningControllers final : public UpControllers {
 public:
  RunningControllers(UpControllersOptions options, apiserver::ApiServer& server, Clock& clock,
                     Random& random, Log& log, std::shared_ptr<net::EventLoop> loop)
      : options_(std::move(options)),
        server_(server),
        clock_(clock),
        random_(random),
        log_(log),
        loop_(std::move(loop)),
        metrics_(server.metrics()) {}
  RunningControllers(const RunningControllers&) = delete;
  RunningControllers& operator=(const RunningControllers&) = delete;

  ~RunningControllers() override {
    server_.SetControllerManager(nullptr);
    RunOnLoop([this] { BeginStop(); });
    const Duration until = clock_.Monotonic() + kMaxStop;
    bool idle = false;
    while (!idle && clock_.Monotonic() < until) {
      RunOnLoop([&] { idle = manager_ == nullptr || manager_->idle(); });
    }
    if (idle) HandOn(until);
    RunOnLoop([&] {
      // What has not ended may still come back to it; the process is about to end.
      if (!idle) static_cast<void>(manager_.release());
      manager_ = nullptr;
      elector_ = nullptr;
      events_ = nullptr;
      if (election_ != nullptr) election_->Close();
      election_ = nullptr;
      transports_.clear();
      executor_ = nullptr;
    });
    // What the server had to do on this thread has then been done.
    RunOnLoop([] {});
    loop_->Stop();
  }

  Result<void> Start() {
    loop_->Start("controllers");
    server_.Watch(loop_);
    Result<void> started;
    RunOnLoop([&] { started = StartOnLoop(); });
    if (started) server_.SetControllerManager([this] { return Fault(); });
    return started;
  }

  bool leads() override {
    bool runs = false;
    RunOnLoop([&] { runs = manager_ != nullptr && !stopping_; });
    return runs;
  }

 private:
  // What is wrong with the loops; empty: nothing. It is no fault to stand by while others lead.
  std::string Fault() {
    struct Answer {
      std::mutex mutex;
      std::condition_variable changed;
      std::optional<std::string> fault;
    };
    const auto answer = std::make_shared<Answer>();
    loop_->Post([this, answer] {
      std::string fault;
      if (manager_ != nullptr && !stopping_) {
        for (const auto& [loop, why] : manager_->Faults()) {
          if (!why.empty()) fault += (fault.empty() ? "" : "; ") + loop + ": " + why;
        }
      }
      const std::lock_guard lock(answer->mutex);
      answer->fault = std::move(fault);
      answer->changed.notify_all();
    });
    const Duration until = clock_.Monotonic() + kMaxAnswer;
    std::unique_lock lock(answer->mutex);
    while (!answer->fault && clock_.Monotonic() < until) {
      clock_.WaitUntil(answer->changed, lock, until);
    }
    return answer->fault.value_or("the control loops do not answer");
  }

  // Waits for it.
  template <typename Work>
  void RunOnLoop(Work work) {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    loop_->Post([&] {
      work();
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }

  Result<void> StartOnLoop() {
    executor_ = std::make_unique<net::LoopExecutor>(loop_);
    if (!options_.elect) return StartLoops();
    // Of a name that is wrong one wants to hear now.
    SKIFF_RETURN_IF_ERROR(controllers::CheckControllers(options_.controllers));
    election_ = server_.Connect(ManagerUser(), *executor_);
    election_metrics_.emplace(server_.metrics());
    events_ =
        client::MakeEventRecorder(client::Client(*election_, kManagerName), kManagerName, random_);
    identity_ = FindHostFacts().host_name + "_" + NewUuid(random_);
    TakePart();
    return {};
  }

  Result<void> StartLoops() {
    controllers::ManagerEnvironment environment{
        .transport = [this](std::string_view account) -> client::ClientTransport& {
          return TransportOf(account);
        },
        .clock = clock_,
        .random = random_,
        .log = log_,
        .metrics = metrics_,
        .queue_metrics = &server_.queue_metrics()};
    controllers::ManagerOptions manager;
    manager.controllers = options_.controllers;
    manager.loops.root_ca = options_.root_ca;
    manager.loops.service_account_private_key = options_.service_account_private_key;
    SKIFF_ASSIGN_OR_RETURN(
        manager_, controllers::ControllerManager::Make(std::move(manager), std::move(environment)));
    manager_->Start();
    return {};
  }

  void TakePart() {
    stopping_ = false;
    client::LeaderElectionOptions election = options_.election;
    election.lease = {.name_space = "kube-system", .name = kManagerName};
    election.identity = identity_;
    election.metrics = &*election_metrics_;
    election.events = events_.get();
    elector_ = client::MakeLeaderElector(client::Client(*election_, kManagerName),
                                         std::move(election), random_);
    log_.Info("Attempting to acquire leader lease...",
              {{"lock", std::string("kube-system/") + kManagerName}});
    elector_->Start([this] { Lead(); }, [this] { Lose(); });
  }

  void Lead() {
    log_.Info("Successfully acquired lease", {{"identity", identity_}});
    const Result<void> started = StartLoops();
    if (!started) log_.Error("no control loops", {{"err", started.error().message()}});
  }

  // Whatever the loops still want to do does not happen.
  void Lose() {
    log_.Warning("the lease was lost: the control loops end here", {{"identity", identity_}});
    StopLoops();
    timer_ = executor_->After(kRestInterval, [this] { TakePartAgain(); });
  }

  // Two managers must not run at a time, not even in one process.
  void TakePartAgain() {
    timer_ = {};
    if (manager_ != nullptr && !manager_->idle()) {
      timer_ = executor_->After(kRestInterval, [this] { TakePartAgain(); });
      return;
    }
    manager_ = nullptr;
    transports_.clear();
    TakePart();
  }

  void StopLoops() {
    stopping_ = true;
    if (manager_) manager_->Stop();
    for (const auto& [account, transport] : transports_) transport->Close();
  }

  void BeginStop() {
    if (executor_ != nullptr) executor_->Cancel(timer_);
    StopLoops();
  }

  // Others need not wait until the lease has run out.
  void HandOn(Duration until) {
    const auto done = std::make_shared<std::atomic<bool>>(false);
    RunOnLoop([&] {
      if (elector_ == nullptr) {
        *done = true;
      } else {
        elector_->Stop([done] { *done = true; });
      }
    });
    while (!*done && clock_.Monotonic() < until) RunOnLoop([] {});
  }

  client::ClientTransport& TransportOf(std::string_view account) {
    std::unique_ptr<client::ClientTransport>& place = transports_[std::string(account)];
    if (place == nullptr) {
      place = server_.Connect(account.empty() ? ManagerUser() : ServiceAccountUser(account),
                              *executor_);
    }
    return *place;
  }

  const UpControllersOptions options_;
  apiserver::ApiServer& server_;
  Clock& clock_;
  Random& random_;
  Log& log_;
  const std::shared_ptr<net::EventLoop> loop_;
  controllers::ControllerMetrics metrics_;
  // On the loop:
  std::string identity_;
  bool stopping_ = false;
  std::unique_ptr<net::LoopExecutor> executor_;
  std::map<std::string, std::unique_ptr<client::ClientTransport>> transports_;
  std::unique_ptr<controllers::ControllerManager> manager_;
  // With elections:
  std::optional<client::LeaderElectionMetrics> election_metrics_;
  std::unique_ptr<client::ClientTransport> election_;
  std::unique_ptr<client::EventRecorder> events_;
  std::unique_ptr<client::LeaderElector> elector_;
  Executor::TimerId timer_;
};

}  // namespace

Result<std::unique_ptr<UpControllers>> UpControllers::Start(const UpControllersOptions& options,
                                                            apiserver::ApiServer& server,
                                                            Clock& clock, Random& random,
                                                            Log& log) {
  SKIFF_ASSIGN_OR_RETURN(std::shared_ptr<net::EventLoop> loop, net::EventLoop::Create(clock));
  auto loops =
      std::make_unique<RunningControllers>(options, server, clock, random, log, std::move(loop));
  SKIFF_RETURN_IF_ERROR(loops->Start());
  return loops;
}

}  // namespace skiff::cli

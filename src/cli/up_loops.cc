#include "cli/up_loops.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "apiserver/authn/user.h"
#include "controllers/manager.h"
#include "net/event_loop.h"
#include "net/loop_executor.h"

namespace skiff {
namespace {

// Calls are answered when their transport is closed, so that what is under way ends at once.
constexpr Duration kMaxStop = std::chrono::seconds(5);

// As the authenticators would find them.
UserInfo ManagerUser() {
  return {.name = "system:kube-controller-manager",
          .uid = {},
          .groups = {kAuthenticatedGroup},
          .extra = {}};
}
UserInfo ServiceAccountUser(std::string_view name) {
  return {.name = "system:serviceaccount:kube-system:" + std::string(name),
          .uid = {},
          .groups = {kServiceAccountsGroup, std::string(kServiceAccountsGroup) + ":kube-system",
                     kAuthenticatedGroup},
          .extra = {}};
}

class RunningLoops final : public UpLoops {
 public:
  RunningLoops(ApiServer& server, Clock& clock, Random& random, Log& log,
               std::shared_ptr<EventLoop> loop)
      : server_(server), clock_(clock), random_(random), log_(log), loop_(std::move(loop)) {}
  RunningLoops(const RunningLoops&) = delete;
  RunningLoops& operator=(const RunningLoops&) = delete;

  ~RunningLoops() override {
    RunOnLoop([this] { BeginStop(); });
    const Duration until = clock_.Monotonic() + kMaxStop;
    bool idle = false;
    while (!idle && clock_.Monotonic() < until) {
      RunOnLoop([&] { idle = manager_ == nullptr || manager_->idle(); });
    }
    RunOnLoop([&] {
      // What has not ended may still come back to it; the process is about to end.
      if (!idle) static_cast<void>(manager_.release());
      manager_ = nullptr;
      transports_.clear();
      executor_ = nullptr;
    });
    // What the server had to do on this thread has then been done.
    RunOnLoop([] {});
    loop_->Stop();
  }

  Result<void> Start(ManagerOptions options) {
    loop_->Start("controllers");
    Result<void> started;
    RunOnLoop([&] { started = StartOnLoop(std::move(options)); });
    return started;
  }

 private:
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

  Result<void> StartOnLoop(ManagerOptions options) {
    executor_ = std::make_unique<LoopExecutor>(loop_);
    ManagerEnvironment environment{
        .transport = [this](std::string_view account) -> ClientTransport& {
          return TransportOf(account);
        },
        .clock = clock_,
        .random = random_,
        .log = log_,
        .metrics = server_.metrics(),
        .queue_metrics = &server_.queue_metrics()};
    SKIFF_ASSIGN_OR_RETURN(manager_,
                           ControllerManager::Make(std::move(options), std::move(environment)));
    manager_->Start();
    return {};
  }

  void BeginStop() {
    if (manager_) manager_->Stop();
    for (const auto& [account, transport] : transports_) transport->Close();
  }

  ClientTransport& TransportOf(std::string_view account) {
    std::unique_ptr<ClientTransport>& place = transports_[std::string(account)];
    if (place == nullptr) {
      place = server_.Connect(account.empty() ? ManagerUser() : ServiceAccountUser(account),
                              *executor_);
    }
    return *place;
  }

  ApiServer& server_;
  Clock& clock_;
  Random& random_;
  Log& log_;
  const std::shared_ptr<EventLoop> loop_;
  // On the loop:
  std::unique_ptr<LoopExecutor> executor_;
  std::map<std::string, std::unique_ptr<ClientTransport>> transports_;
  std::unique_ptr<ControllerManager> manager_;
};

}  // namespace

Result<std::unique_ptr<UpLoops>> UpLoops::Start(const UpLoopsOptions& options, ApiServer& server,
                                                Clock& clock, Random& random, Log& log) {
  SKIFF_ASSIGN_OR_RETURN(std::shared_ptr<EventLoop> loop, EventLoop::Create(clock));
  auto loops = std::make_unique<RunningLoops>(server, clock, random, log, std::move(loop));
  ManagerOptions manager;
  manager.controllers = options.controllers;
  manager.loops.root_ca = options.root_ca;
  manager.loops.service_account_private_key = options.service_account_private_key;
  SKIFF_RETURN_IF_ERROR(loops->Start(std::move(manager)));
  return loops;
}

}  // namespace skiff

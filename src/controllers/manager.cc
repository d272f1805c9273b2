#include "controllers/manager.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/suggest.h"

namespace skiff::controllers {
namespace {

// What managed fields and user agents call everything that runs here.
constexpr std::string_view kManagerName = "kube-controller-manager";
// Others may need the tokens that this one makes for them.
constexpr std::string_view kTokens = "serviceaccount-token-controller";

bool Has(const ControllerSpec& spec, std::string_view name) {
  return name == spec.name || (!spec.alias.empty() && name == spec.alias);
}

Result<void> CheckName(std::string_view given) {
  std::string_view name = given;
  if (name == "*") return {};
  if (name.starts_with('-')) name.remove_prefix(1);
  std::vector<std::string_view> known;
  for (const ControllerSpec& spec : AllControllers()) {
    if (Has(spec, name)) return {};
    known.push_back(spec.name);
    if (!spec.alias.empty()) known.push_back(spec.alias);
  }
  return Fail(StatusReason::kInvalid,
              Quoted(name) + " is not in the list of known controllers" + DidYouMean(name, known));
}

// The first mention decides, as for Kubernetes; "*" stands for what is on by default and not
// mentioned.
bool IsChosen(const ControllerSpec& spec, std::span<const std::string> controllers) {
  if (spec.name == kTokens) return true;
  bool star = false;
  for (const std::string_view entry : controllers) {
    if (entry == "*") {
      star = true;
    } else if (entry.starts_with('-')) {
      if (Has(spec, entry.substr(1))) return false;
    } else if (Has(spec, entry)) {
      return true;
    }
  }
  return star && spec.on_by_default;
}

bool IsMentioned(const ControllerSpec& spec, std::span<const std::string> controllers) {
  return std::ranges::any_of(controllers, [&](std::string_view entry) { return Has(spec, entry); });
}

class Manager final : public ControllerManager {
 public:
  Manager(ManagerOptions options, ManagerEnvironment environment)
      : options_(std::move(options)),
        environment_(std::move(environment)),
        informers_(client::MakeInformerSet(ClientOf({}), environment_.random)) {}

  ~Manager() override {
    for (const Loop& loop : loops_) executor().Cancel(loop.start);
    // Loops go before the informers that they are handlers of.
    loops_.clear();
  }

  void Start() override {
    for (const ControllerSpec& spec : AllControllers()) {
      if (IsChosen(spec, options_.controllers)) Make(spec);
    }
    std::ranges::stable_partition(loops_,
                                  [](const Loop& loop) { return loop.spec->name == kTokens; });
    for (Loop& loop : loops_) {
      if (options_.start_interval > Duration::zero()) {
        StartLater(loop);
      } else {
        Begin(loop);
      }
    }
    environment_.log.Info("Started controllers", {{"count", std::to_string(loops_.size())}});
    informers_->Start();
  }

  void Stop() override {
    stopped_ = true;
    for (Loop& loop : loops_) {
      executor().Cancel(std::exchange(loop.start, {}));
      loop.controller->Stop();
      environment_.metrics.SetRunning(loop.spec->name, false);
    }
  }

  bool synced() const override { return informers_->synced(); }

  bool idle() const override {
    return std::ranges::all_of(loops_, [](const Loop& loop) { return loop.controller->idle(); });
  }

  std::vector<std::string_view> running() const override {
    std::vector<std::string_view> names;
    for (const Loop& loop : loops_) names.push_back(loop.spec->name);
    std::ranges::sort(names);
    return names;
  }

  std::map<std::string, std::string> Faults() const override {
    std::map<std::string, std::string> faults;
    for (const Loop& loop : loops_) {
      std::string& fault = faults[std::string(loop.spec->name)];
      const Duration busy = loop.controller->busy_for();
      if (stopped_) {
        fault = "the loop was stopped";
      } else if (busy > loop.controller->step_bound()) {
        fault = "a step of the loop has lasted for " +
                std::to_string(std::chrono::floor<std::chrono::seconds>(busy).count()) + " s";
      }
    }
    return faults;
  }

 private:
  struct Loop {
    const ControllerSpec* spec;
    std::unique_ptr<client::EventRecorder> events;
    std::unique_ptr<Controller> controller;  // goes before the events that it tells
    Executor::TimerId start = {};
  };

  Executor& executor() const { return environment_.transport({}).executor(); }

  void Begin(Loop& loop) {
    loop.controller->Start();
    environment_.metrics.SetRunning(loop.spec->name, true);
    environment_.log.Verbose(1, "Started controller",
                             {{"controller", std::string(loop.spec->name)}});
  }

  // Loops stay where they are once all have been made.
  void StartLater(Loop& loop) {
    const double factor = 1 + environment_.random.UniformDouble();
    const auto delay = std::chrono::duration_cast<Duration>(options_.start_interval * factor);
    loop.start = executor().After(delay, [this, &loop] {
      loop.start = {};
      Begin(loop);
    });
  }

  client::Client ClientOf(std::string_view service_account) {
    return client::Client(environment_.transport(service_account), std::string(kManagerName));
  }

  void Make(const ControllerSpec& spec) {
    if (spec.make == nullptr) {
      if (IsMentioned(spec, options_.controllers)) {
        environment_.log.Warning("this controller is not there yet, and does not run",
                                 {{"controller", std::string(spec.name)}});
      }
      return;
    }
    client::Client client = ClientOf(spec.service_account);
    auto events = client::MakeEventRecorder(client, std::string(spec.name), environment_.random);
    auto controller = spec.make({.client = client,
                                 .informers = *informers_,
                                 .clock = environment_.clock,
                                 .random = environment_.random,
                                 .log = environment_.log,
                                 .events = *events,
                                 .options = options_.loops,
                                 .queue_metrics = environment_.queue_metrics,
                                 .metrics = &environment_.metrics});
    // A loop may find that it has nothing to do with these options.
    if (controller == nullptr) return;
    loops_.push_back(
        {.spec = &spec, .events = std::move(events), .controller = std::move(controller)});
  }

  const ManagerOptions options_;
  const ManagerEnvironment environment_;
  const std::unique_ptr<client::InformerSet> informers_;
  std::vector<Loop> loops_;
  bool stopped_ = false;
};

}  // namespace

Result<void> CheckControllers(std::span<const std::string> controllers) {
  for (const std::string& name : controllers) SKIFF_RETURN_IF_ERROR(CheckName(name));
  return {};
}

Result<std::unique_ptr<ControllerManager>> ControllerManager::Make(ManagerOptions options,
                                                                   ManagerEnvironment environment) {
  SKIFF_RETURN_IF_ERROR(CheckControllers(options.controllers));
  return std::make_unique<Manager>(std::move(options), std::move(environment));
}

}  // namespace skiff::controllers

#include "tests/sim/managers.h"

#include <cstdio>
#include <utility>

namespace skiff::sim {
namespace {

constexpr Duration kLeaseDuration = std::chrono::seconds(15);
constexpr Duration kLookAgain = std::chrono::milliseconds(250);
constexpr std::string_view kCollector = "generic-garbage-collector";

serving::UserInfo ManagerUser() {
  return {.name = "system:kube-controller-manager",
          .uid = {},
          .groups = {serving::kAuthenticatedGroup},
          .extra = {}};
}

bool IsWrite(const client::ClientCall& call) {
  return call.verb != client::ClientVerb::kGet && call.verb != client::ClientVerb::kList;
}

class QuietSink final : public LogSink {
 public:
  void Write(std::string_view line) override {
    if (Cluster::verbose) fwrite(line.data(), 1, line.size(), stderr);
  }
};

}  // namespace

// One life of an instance.
class ManagerProcess {
 public:
  ManagerProcess(Managers& owner, const std::string& name, int life)
      : owner_(owner),
        process_(owner.cluster(), name,
                 DeriveSeed(owner.cluster().seed(), name + "/" + std::to_string(life))),
        log_(process_.clock, sink_) {
    elector_ = client::MakeLeaderElector(client::Client(Transport(""), name),
                                         {.lease = {"kube-system", "kube-controller-manager"},
                                          .identity = name + "_" + std::to_string(life),
                                          .lease_duration = kLeaseDuration},
                                         process_.random);
    process_.executor.Post([this] {
      if (killed_) return;
      elector_->Start([this] { Lead(); }, [this] { Lose(); });
    });
  }

  // Closed at once; it can be destroyed when over() holds.
  void Kill() {
    if (std::exchange(killed_, true)) return;
    owner_.OnLost(process_.name);
    if (manager_ != nullptr) manager_->Stop();
    for (const auto& [account, transport] : transports_) transport->Close();
  }
  bool over() const {
    if (manager_ != nullptr && !manager_->idle()) return false;
    for (const auto& [account, transport] : transports_) {
      if (transport->open_calls() != 0) return false;
    }
    return true;
  }
  bool idle() const { return manager_ != nullptr && manager_->synced() && manager_->idle(); }
  bool wants_to_end() const { return lost_; }
  SimProcess& process() { return process_; }

 private:
  SimTransport& Transport(std::string_view account) {
    std::unique_ptr<SimTransport>& place = transports_[std::string(account)];
    if (place != nullptr) return *place;
    place = owner_.cluster().network().MakeTransport(
        process_.name, account.empty() ? ManagerUser() : ServiceAccountUser(account),
        process_.executor);
    if (account == kCollector && owner_.hide_owners_one_in() != 0) {
      place->SetLie([this](const client::ClientCall& call) -> std::optional<Status> {
        if (call.verb != client::ClientVerb::kGet) return {};
        if (process_.random.Uniform(owner_.hide_owners_one_in()) != 0) return {};
        return Status(StatusReason::kNotFound, "a lie");
      });
    }
    if (account == kCollector && owner_.collector_lie()) place->SetLie(owner_.collector_lie());
    return *place;
  }

  void Lead() {
    if (killed_) return;
    owner_.OnLead(process_.name);
    controllers::ManagerOptions options;
    if (!owner_.left_out().empty()) options.controllers.push_back("-" + owner_.left_out());
    options.loops.root_ca = kRootCa;
    auto made = controllers::ControllerManager::Make(
        std::move(options),
        {.transport = [this](std::string_view account) -> client::ClientTransport& {
           return Transport(account);
         },
         .clock = process_.clock,
         .random = process_.random,
         .log = log_,
         .metrics = metrics_});
    if (!made) return owner_.cluster().Fail("no manager: " + made.error().ToString());
    manager_ = std::move(*made);
    manager_->Start();
  }

  void Lose() {
    if (killed_ || owner_.ignores_lost_leads()) return;
    owner_.OnLost(process_.name);
    // The process ends; whoever looks after it notices.
    Kill();
    lost_ = true;
  }

  Managers& owner_;
  SimProcess process_;
  QuietSink sink_;
  Log log_;
  MetricsRegistry registry_;
  controllers::ControllerMetrics metrics_{registry_};
  std::map<std::string, std::unique_ptr<SimTransport>, std::less<>> transports_;
  std::unique_ptr<client::LeaderElector> elector_;
  std::unique_ptr<controllers::ControllerManager> manager_;
  bool killed_ = false;
  bool lost_ = false;
};

Managers::Managers(Cluster& cluster, int count)
    : cluster_(cluster),
      clock_(cluster.scheduler()),
      executor_(cluster.loop(), clock_),
      processes_(static_cast<size_t>(count)),
      lives_(static_cast<size_t>(count)) {
  cluster_.network().AddObserver(this);
}

Managers::~Managers() { cluster_.network().RemoveObserver(this); }

std::string Managers::NameOf(size_t which) const { return "manager-" + std::to_string(which); }

std::string Managers::LifeOf(const std::string& process) const {
  for (size_t i = 0; i < lives_.size(); ++i) {
    if (NameOf(i) == process) return process + "/" + std::to_string(lives_[i]);
  }
  return "";
}

SimClock* Managers::ClockOf(size_t which) {
  return processes_[which] == nullptr ? nullptr : &processes_[which]->process().clock;
}

void Managers::StartOne(size_t which) {
  if (stopped_ || processes_[which] != nullptr) return;
  processes_[which] = std::make_unique<ManagerProcess>(*this, NameOf(which), lives_[which]++);
}

void Managers::Start() {
  for (size_t i = 0; i < processes_.size(); ++i) StartOne(i);
  LookAfter();
}

// Those that have ended are started again.
void Managers::LookAfter() {
  executor_.After(kLookAgain, [this] {
    for (size_t i = 0; i < processes_.size(); ++i) {
      if (processes_[i] != nullptr && processes_[i]->wants_to_end()) {
        Crash(i, std::chrono::seconds(1));
      }
    }
    std::erase_if(ending_, [](const auto& process) { return process->over(); });
    LookAfter();
  });
}

void Managers::Crash(size_t which, Duration back_after) {
  if (processes_[which] == nullptr) return;
  processes_[which]->Kill();
  ending_.push_back(std::move(processes_[which]));
  executor_.After(back_after, [this, which] { StartOne(which); });
}

void Managers::StopAll() {
  stopped_ = true;
  for (size_t i = 0; i < processes_.size(); ++i) Crash(i, std::chrono::hours(1000));
  cluster_.loop().RunFor(std::chrono::minutes(1), [this] {
    std::erase_if(ending_, [](const auto& process) { return process->over(); });
    return ending_.empty();
  });
  if (!ending_.empty()) cluster_.Fail("a controller manager does not come to its end");
}

bool Managers::idle() const {
  for (const auto& process : processes_) {
    if (process != nullptr && process->idle()) return true;
  }
  return false;
}

void Managers::OnLead(const std::string& process) {
  leading_.insert(process);
  if (leading_.size() > 1) {
    cluster_.Fail("two lead: " + *leading_.begin() + " and " + *leading_.rbegin());
  }
  if (!last_leader_.empty() && last_leader_ != process) cluster_.counters().Count("leader changes");
  last_leader_ = process;
  cluster_.counters().Count("leads");
  cluster_.Tell(process + " leads");
}

void Managers::OnLost(const std::string& process) {
  if (leading_.erase(process) != 0) cluster_.Tell(process + " leads no more");
}

void Managers::OnSend(const std::string& process, const client::ClientCall& call) {
  if (!process.starts_with("manager-") || !IsWrite(call)) return;
  if (call.resource->name == "leases" && call.resource->group == "coordination.k8s.io") return;
  cluster_.counters().Count("writes of loops");
  if (Cluster::verbose) {
    cluster_.Tell(process + " " + std::to_string(static_cast<int>(call.verb)) + " " +
                  call.resource->name + " " + call.subresource + " " + call.target.name_space +
                  "/" + call.target.name + " " + call.patch);
  }
  if (leading_.contains(process)) return;
  cluster_.Fail(process + " acts but does not lead: " + call.resource->name + " " +
                call.target.name_space + "/" + call.target.name);
}

}  // namespace skiff::sim

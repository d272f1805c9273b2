#include "tests/sim/faults.h"

#include <utility>

namespace skiff::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

Faults::Faults(Cluster& cluster, FaultTargets targets)
    : cluster_(cluster),
      targets_(targets),
      random_(DeriveSeed(cluster.seed(), "faults")),
      clock_(cluster.scheduler()),
      executor_(cluster.loop(), clock_) {
  for (Kind& kind : AllKinds()) {
    // Half of the kinds, so that runs differ in more than the moments.
    if (random_.Uniform(2) == 0) kinds_.push_back(std::move(kind));
  }
}

std::vector<Faults::Kind> Faults::AllKinds() {
  std::vector<Kind> out;
  AddServerKinds(out);
  AddNetworkKinds(out);
  AddProcessKinds(out);
  return out;
}

Duration Faults::DrawUpTo(Duration longest) {
  return Duration(random_.Uniform(static_cast<uint64_t>(longest.count()) + 1));
}

void Faults::AddServerKinds(std::vector<Kind>& out) {
  SimServer& server = cluster_.server();
  out.push_back({"server crash", seconds(20), [this, &server] {
                   if (!server.up()) return;
                   server.Crash();
                   cluster_.RestartServer(DrawUpTo(seconds(6)));
                 }});
  out.push_back({"slow disk", seconds(15), [this, &server] {
                   server.SetSlowDisk(DrawUpTo(milliseconds(300)) + milliseconds(1));
                   executor_.After(DrawUpTo(seconds(5)), [&server] { server.SetSlowDisk({}); });
                 }});
  out.push_back({"disk write failed", seconds(20), [this, &server] {
                   server.FailNextWrite(random_.Uniform(2) == 0
                                            ? store::MemoryDisk::Outcome::kApplied
                                            : store::MemoryDisk::Outcome::kLost);
                 }});
  out.push_back({"disk full", seconds(20), [this, &server] {
                   server.SetFullDisk(true);
                   executor_.After(DrawUpTo(seconds(4)), [&server] { server.SetFullDisk(false); });
                 }});
  out.push_back({"compaction", seconds(6), [&server] { server.Compact(); }});
}

void Faults::AddNetworkKinds(std::vector<Kind>& out) {
  SimNetwork& network = cluster_.network();
  out.push_back({"partition of a process", seconds(12), [this, &network] {
                   const std::string process = DrawProcess();
                   network.Partition(process, true);
                   // Some last longer than the lease of a leader.
                   executor_.After(DrawUpTo(seconds(25)),
                                   [&network, process] { network.Partition(process, false); });
                 }});
  out.push_back({"bad network", seconds(10), [this, &network] {
                   NetworkTrouble trouble;
                   trouble.longest_delay = DrawUpTo(milliseconds(200));
                   static constexpr uint32_t kLosses[] = {0, 30, 5};
                   trouble.lose_request_one_in = kLosses[random_.Uniform(3)];
                   trouble.lose_answer_one_in = kLosses[random_.Uniform(3)];
                   trouble.cut_watch_one_in = random_.Uniform(2) == 0 ? 20 : 0;
                   trouble.slow_one_in = random_.Uniform(2) == 0 ? 20 : 0;
                   network.SetTrouble(trouble);
                   executor_.After(DrawUpTo(seconds(8)), [&network] { network.SetTrouble({}); });
                 }});
}

void Faults::AddProcessKinds(std::vector<Kind>& out) {
  out.push_back({"manager crash", seconds(15), [this] {
                   targets_.managers.Crash(random_.Uniform(targets_.managers.size()),
                                           DrawUpTo(seconds(5)));
                 }});
  out.push_back({"follower crash", seconds(15), [this] {
                   Follower& follower =
                       *targets_.followers[random_.Uniform(targets_.followers.size())];
                   if (!follower.up()) return;
                   follower.Crash();
                   follower.Start();
                 }});
  out.push_back({"clock jump", seconds(10), [this] { JumpSomeClock(); }});
}

std::string Faults::DrawProcess() {
  std::vector<std::string> names;
  for (size_t i = 0; i < targets_.managers.size(); ++i) {
    names.push_back(targets_.managers.NameOf(i));
  }
  for (const auto& follower : targets_.followers) names.push_back(follower->name());
  for (const auto& actor : targets_.actors) names.push_back(actor->name());
  return names[random_.Uniform(names.size())];
}

void Faults::JumpSomeClock() {
  std::vector<SimClock*> clocks{&cluster_.server().clock()};
  for (size_t i = 0; i < targets_.managers.size(); ++i) {
    if (SimClock* clock = targets_.managers.ClockOf(i)) clocks.push_back(clock);
  }
  for (const auto& actor : targets_.actors) clocks.push_back(&actor->clock());
  const Duration by = DrawUpTo(hours(2)) - hours(1);
  clocks[random_.Uniform(clocks.size())]->JumpWall(by);
}

void Faults::Schedule(const Kind& kind) {
  executor_.After(DrawUpTo(kind.pause), [this, &kind] {
    if (stopped_) return;
    cluster_.counters().Count(std::string("fault: ") + kind.name);
    cluster_.Tell(std::string("fault: ") + kind.name);
    kind.strike();
    Schedule(kind);
  });
}

void Faults::Start() {
  for (const Kind& kind : kinds_) Schedule(kind);
}

void Faults::Stop() {
  stopped_ = true;
  cluster_.network().HealAll();
  cluster_.server().SetSlowDisk({});
  cluster_.server().SetFullDisk(false);
  if (!cluster_.server().up()) cluster_.RestartServer({});
}

}  // namespace skiff::sim

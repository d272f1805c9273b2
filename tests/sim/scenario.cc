#include "tests/sim/scenario.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/sim/churn.h"
#include "tests/sim/definitions.h"
#include "tests/sim/faults.h"
#include "tests/sim/follower.h"
#include "tests/sim/graph.h"
#include "tests/sim/managers.h"
#include "tests/sim/propagation.h"
#include "tests/sim/roles.h"
#include "tests/sim/storm.h"
#include "tests/sim/tenant.h"

namespace skiff::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// How long clients may take to come to an end, and all else to come about, once there are no
// faults. What failed often is tried again late.
constexpr Duration kActorsEnd = minutes(5);
constexpr Duration kSettle = minutes(45);
// With a planted bug it does not come about, and nobody need wait for that.
constexpr Duration kSettleInVain = minutes(10);
// Nothing may go wrong after that either.
constexpr Duration kCalm = seconds(40);

struct Plan {
  uint32_t switch_one_in;
  int storms;
  int churns;
  int graphs;
  int followers;
  int managers;
  Duration busy;
  int tenants;
  int roles;
  int definitions;
};

// The loop that does not run, if that is the bug.
std::string LeftOut(PlantedBug bug) {
  switch (bug) {
    case PlantedBug::kIdleCollector:
      return "garbage-collector-controller";
    case PlantedBug::kIdleNamespaces:
      return "namespace-controller";
    case PlantedBug::kIdleQuotas:
      return "resourcequota-controller";
    case PlantedBug::kIdleAccounts:
      return "serviceaccount-controller";
    case PlantedBug::kIdleRootCa:
      return "root-ca-certificate-publisher-controller";
    case PlantedBug::kIdleAggregation:
      return "clusterrole-aggregation-controller";
    default:
      return "";
  }
}

bool NeedsGraphs(PlantedBug bug) {
  return bug == PlantedBug::kHiddenOwners || bug == PlantedBug::kIdleCollector ||
         bug == PlantedBug::kLostOrphans || bug == PlantedBug::kHastyForeground ||
         bug == PlantedBug::kNoPropagation || bug == PlantedBug::kSilentCollector;
}

Plan DrawPlan(const ScenarioOptions& options) {
  SeededRandom random(DeriveSeed(options.seed, "plan"));
  static constexpr uint32_t kSwitches[] = {0, 200, 20};
  Plan plan{.switch_one_in = kSwitches[random.Uniform(3)],
            .storms = static_cast<int>(random.Uniform(3)),
            .churns = static_cast<int>(random.Uniform(3)),
            .graphs = static_cast<int>(random.Uniform(3)),
            .followers = 1 + static_cast<int>(random.Uniform(2)),
            .managers = 1 + static_cast<int>(random.Uniform(3)),
            .busy = seconds(10 + random.Uniform(20)),
            .tenants = static_cast<int>(random.Uniform(2)),
            .roles = static_cast<int>(random.Uniform(2)),
            .definitions = static_cast<int>(random.Uniform(3))};
  if (plan.storms + plan.churns + plan.graphs == 0) plan.graphs = 1;
  if (options.bug == PlantedBug::kPretendedWrites || options.bug == PlantedBug::kForgottenWrites) {
    plan.storms = std::max(plan.storms, 1);
  }
  if (NeedsGraphs(options.bug)) {
    plan.graphs = std::max(plan.graphs, 1);
    plan.busy = seconds(30);
  }
  if (options.bug == PlantedBug::kIdleNamespaces) plan.churns = std::max(plan.churns, 1);
  if (options.bug == PlantedBug::kIgnoredDeadline) plan.managers = 2;
  if (options.bug == PlantedBug::kIdleQuotas) plan.tenants = 1;
  if (options.bug == PlantedBug::kIdleAggregation) plan.roles = 1;
  if (options.bug == PlantedBug::kLooseDefinitions || options.bug == PlantedBug::kDeafWatchers) {
    plan.definitions = 1;
    plan.busy = seconds(30);
  }
  return plan;
}

class Scenario {
 public:
  explicit Scenario(const ScenarioOptions& options)
      : options_(options),
        plan_(DrawPlan(options)),
        cluster_(options.seed, plan_.switch_one_in),
        guarantees_(cluster_),
        definition_rules_(cluster_),
        managers_(cluster_, plan_.managers),
        propagation_(cluster_, managers_) {}

  Outcome Run() {
    cluster_.Boot();
    if (cluster_.failures().empty()) {
      MakeProcesses();
      PlantBug();
      Busy();
      Settle();
      if (cluster_.failures().empty()) CompareAfterCrash();
      End();
    }
    return {.failures = cluster_.failures(),
            .trace = cluster_.scheduler().trace(),
            .simulated = cluster_.loop().now(),
            .counters = cluster_.counters()};
  }

 private:
  void MakeProcesses() {
    for (int i = 0; i < plan_.storms; ++i) {
      actors_.push_back(std::make_unique<StormActor>(cluster_, guarantees_, i));
    }
    for (int i = 0; i < plan_.churns; ++i) {
      actors_.push_back(std::make_unique<ChurnActor>(cluster_, guarantees_, i));
    }
    for (int i = 0; i < plan_.graphs; ++i) {
      auto graph = std::make_unique<GraphActor>(cluster_, guarantees_, propagation_, i);
      if (options_.bug == PlantedBug::kHastyForeground) graph->SetHasty();
      if (options_.bug == PlantedBug::kNoPropagation) graph->SetNegligent();
      actors_.push_back(std::move(graph));
    }
    for (int i = 0; i < plan_.tenants; ++i) {
      actors_.push_back(std::make_unique<TenantActor>(cluster_, guarantees_, i));
    }
    for (int i = 0; i < plan_.roles; ++i) {
      actors_.push_back(std::make_unique<RolesActor>(cluster_, guarantees_, i));
    }
    for (int i = 0; i < plan_.definitions; ++i) {
      auto definitions = std::make_unique<DefinitionsActor>(cluster_, guarantees_, i);
      if (options_.bug == PlantedBug::kLooseDefinitions) definitions->SetReckless();
      if (options_.bug == PlantedBug::kDeafWatchers) definitions->SetDeaf();
      actors_.push_back(std::move(definitions));
    }
    for (int i = 0; i < plan_.followers; ++i) {
      followers_.push_back(std::make_unique<Follower>(cluster_, "follower-" + std::to_string(i)));
    }
  }

  void PlantBug() {
    if (options_.bug == PlantedBug::kPretendedWrites) {
      cluster_.network().PretendWrites(actors_.front()->name(), 20);
    }
    managers_.LeaveOut(LeftOut(options_.bug));
    if (options_.bug == PlantedBug::kLostOrphans) {
      managers_.LieToCollector([](const client::ClientCall& call) -> std::optional<Status> {
        if (call.patch.find("\"ownerReferences\"") == std::string::npos) return {};
        return Status(StatusReason::kNotFound, "a lie");
      });
    }
    if (options_.bug == PlantedBug::kSilentCollector) {
      managers_.LieToCollector([](const client::ClientCall& call) -> std::optional<Status> {
        if (call.resource->name != "events") return {};
        return Status(StatusReason::kForbidden, "a lie");
      });
    }
    if (options_.bug == PlantedBug::kHiddenOwners) managers_.HideOwners(3);
    if (options_.bug == PlantedBug::kIgnoredDeadline) managers_.IgnoreLostLeads();
    if (options_.bug == PlantedBug::kDeafHandlers) followers_.front()->SetDeaf(50);
  }

  void Busy() {
    managers_.Start();
    for (const auto& follower : followers_) follower->Start();
    for (const auto& actor : actors_) actor->Start();
    Faults faults(cluster_, {managers_, followers_, actors_});
    if (options_.faults) faults.Start();
    RunChecked(plan_.busy);
    if (options_.bug == PlantedBug::kForgottenWrites) ForgetWrites();
    if (options_.bug == PlantedBug::kIgnoredDeadline) CutLeaderOff();
    if (options_.bug == PlantedBug::kBorrowedKeys) BorrowKey();
    faults.Stop();
    for (const auto& actor : actors_) actor->Stop();
    const bool ended = cluster_.loop().RunFor(kActorsEnd, [this] {
      cluster_.ledger().CatchUp();
      return std::ranges::all_of(actors_, [](const auto& actor) { return actor->done(); });
    });
    if (!ended) cluster_.Fail("a client does not get to its end");
  }

  // The ledger looks at what happens soon after it has.
  void RunChecked(Duration time) {
    const Duration end = cluster_.loop().now() + time;
    while (cluster_.loop().now() < end && cluster_.failures().empty()) {
      cluster_.loop().RunUntil([] { return false; },
                               std::min(end, cluster_.loop().now() + seconds(1)));
      cluster_.ledger().CatchUp();
    }
  }

  // As if the last seconds had never reached the disk.
  void ForgetWrites() {
    const std::shared_ptr<store::MemoryDisk> old = cluster_.server().disk()->Copy();
    RunChecked(seconds(3));
    cluster_.server().Crash();
    cluster_.server().ReplaceDisk(old);
    cluster_.RestartServer({});
    RunChecked(seconds(10));
  }

  // Past the server, which refuses to.
  void BorrowKey() {
    const std::string bytes =
        R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default"}})";
    cluster_.server().store()->Commit(
        store::Transaction::CreateIfAbsent("/registry/configmaps/default/b", SharedBytes(bytes)),
        [](const Result<store::CommitReply>&) {});
    RunChecked(seconds(1));
  }

  // Longer than a lease lasts.
  void CutLeaderOff() {
    for (size_t i = 0; i < managers_.size(); ++i) {
      cluster_.network().Partition(managers_.NameOf(i), true);
      RunChecked(seconds(40));
      cluster_.network().Partition(managers_.NameOf(i), false);
      RunChecked(seconds(5));
    }
  }

  std::string WhatIsNotSettled() {
    cluster_.ledger().CatchUp();
    if (!cluster_.server().ready()) return "the server is not ready";
    if (std::string left = OrphansLeft(cluster_.ledger()); !left.empty()) return left;
    if (std::string left = NamespacesOutOfOrder(cluster_.ledger()); !left.empty()) return left;
    for (std::string (*check)(const Ledger&) :
         {InvalidOwnersUntold, QuotasOutOfStep, FurnitureMissing, AggregationUnfinished,
          DefinitionsOutOfOrder}) {
      if (std::string left = check(cluster_.ledger()); !left.empty()) return left;
    }
    for (const auto& actor : actors_) {
      if (std::string left = actor->Unsettled(); !left.empty()) return left;
    }
    if (const std::string held = cluster_.server().RetiredDefinitions(); held != "0") {
      return held + " definitions that have gone are still held, with their caches";
    }
    for (const auto& follower : followers_) {
      if (std::string difference = follower->Difference(); !difference.empty()) return difference;
    }
    return "";
  }

  void Settle() {
    const Duration begin = cluster_.loop().now();
    const Duration end = begin + (options_.bug == PlantedBug::kNone ? kSettle : kSettleInVain);
    std::string left = WhatIsNotSettled();
    while (!left.empty() && cluster_.failures().empty() && cluster_.loop().now() < end) {
      RunChecked(seconds(2));
      left = WhatIsNotSettled();
    }
    if (!cluster_.failures().empty()) return;
    if (!left.empty()) return cluster_.Fail("still so long after the last fault: " + left);
    cluster_.counters().Count("simulated seconds until settled",
                              static_cast<uint64_t>((cluster_.loop().now() - begin) / seconds(1)));
    RunChecked(kCalm);
    left = WhatIsNotSettled();
    if (!left.empty()) RunChecked(seconds(10));
    left = WhatIsNotSettled();
    if (!left.empty()) cluster_.Fail("no longer so after some calm: " + left);
  }

  // All that was ever acknowledged is on the disk.
  void CompareAfterCrash() {
    cluster_.server().Crash();
    cluster_.RestartServer({});
    if (!cluster_.loop().RunFor(minutes(2), [this] { return cluster_.server().ready(); })) {
      return cluster_.Fail("the server does not come back");
    }
    class Reader final : public Actor {
     public:
      Reader(Cluster& cluster, Guarantees& guarantees) : Actor(cluster, guarantees, "reader") {}

     protected:
      Task<void> Step() override {
        for (const client::ApiResource* resource : WorkKinds()) co_await List(*resource, "");
        co_await List(client::BuiltIn("", "v1", "namespaces"), "");
        stopping_ = true;
      }
    };
    auto reader = std::make_unique<Reader>(cluster_, guarantees_);
    reader->Start();
    const uint64_t lists = cluster_.counters().Of("lists");
    cluster_.loop().RunFor(minutes(1), [&] { return reader->done(); });
    if (!reader->done() || cluster_.counters().Of("lists") < lists + 4) {
      cluster_.Fail("the server does not answer after its last crash");
    }
    actors_.push_back(std::move(reader));
  }

  void End() {
    managers_.StopAll();
    followers_.clear();
    cluster_.ledger().CatchUp();
    cluster_.server().Crash();
    actors_.clear();
  }

  const ScenarioOptions options_;
  const Plan plan_;
  Cluster cluster_;
  Guarantees guarantees_;
  DefinitionRules definition_rules_;
  Managers managers_;
  Propagation propagation_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<std::unique_ptr<Follower>> followers_;
};

}  // namespace

Outcome RunScenario(const ScenarioOptions& options) { return Scenario(options).Run(); }

}  // namespace skiff::sim

// One run: a cluster, workloads and faults that are drawn from the seed, then calm, until all that
// must come about has; then the server is killed once more, and what it serves again is compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tests/sim/counters.h"

namespace skiff::sim {

// Bugs that are put in on purpose: each must be noticed.
enum class PlantedBug : uint8_t {
  kNone,
  kPretendedWrites,   // the server says that it has written what it has not
  kForgottenWrites,   // a crash loses what was acknowledged
  kHiddenOwners,      // the collector does not see owners that are there
  kIdleCollector,     // nobody collects what has lost its owners
  kIdleNamespaces,    // nobody ends namespaces
  kIgnoredDeadline,   // a leader that has lost goes on
  kDeafHandlers,      // handlers of informers are not told everything
  kLostOrphans,       // the collector does not take references to an orphaning owner away
  kHastyForeground,   // owners go before what blocks them
  kNoPropagation,     // the server does not heed how dependents are to be treated
  kSilentCollector,   // the collector does not say that an owner is invalid
  kIdleQuotas,        // nobody counts what quotas limit
  kIdleAccounts,      // nobody makes the service accounts of namespaces
  kIdleRootCa,        // nobody publishes the root certificate
  kIdleAggregation,   // nobody puts roles together
  kBorrowedKeys,      // an object is stored under the key of another
  kLooseDefinitions,  // definitions go before their objects
  kDeafWatchers,      // watches of custom resources do not end
};

struct ScenarioOptions {
  uint64_t seed = 0;
  bool faults = true;
  PlantedBug bug = PlantedBug::kNone;
};

struct Outcome {
  std::vector<std::string> failures;
  uint64_t trace = 0;
  Duration simulated{0};
  Counters counters;
};

Outcome RunScenario(const ScenarioOptions& options);

}  // namespace skiff::sim

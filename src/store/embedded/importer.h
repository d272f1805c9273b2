// Fills an empty engine with entries from elsewhere, revisions and all: how a backup becomes an
// embedded store.
//
// Until Finish() has returned, the engine is marked as being imported into, and no store opens on
// it. History does not come along: every revision before the last counts as compacted, so that
// whoever remembers an older one is told so and reads anew.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "store/embedded/engine.h"
#include "store/embedded/record.h"
#include "store/store.h"

namespace skiff::store {

// One thread. After an error the engine is worthless.
class EmbeddedImporter {
 public:
  // The engine must be empty, and outlive it.
  static Result<EmbeddedImporter> Begin(Engine& engine, Clock& clock);

  // Leases come before the entries that have them, and end when their remaining time has passed
  // from now.
  Result<void> Add(const LeaseInfo& lease);
  // In ascending order of mod_revision, each key once.
  Result<void> Add(const KeyValue& entry);
  // The store goes on after `revision`, which must not be below that of any entry.
  Result<void> Finish(Revision revision, Random& random);

 private:
  EmbeddedImporter(Engine& engine, Clock& clock)
      : engine_(&engine), clock_(&clock), batch_(engine.NewBatch()) {}
  Result<void> WriteIfLarge();
  Result<void> WriteBatch();

  Engine* engine_;
  Clock* clock_;
  std::unique_ptr<EngineBatch> batch_;
  LogPosition last_;
  int64_t keys_ = 0;
  std::string scratch_;
};

}  // namespace skiff::store

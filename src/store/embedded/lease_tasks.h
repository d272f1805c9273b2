// What the committer does for leases: granting, the first renewal, and the end of a lease with its
// keys.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "store/embedded/committer.h"
#include "store/embedded/lease_table.h"
#include "store/store.h"

namespace skiff::store {

std::unique_ptr<CommitTask> GrantTask(LeaseTable* leases, Clock* clock, Random* random,
                                      std::chrono::seconds ttl, LeaseId id,
                                      StoreCallback<LeaseInfo> done);

// Writes down that the lease is one that is renewed, and renews it.
std::unique_ptr<CommitTask> FirstRenewalTask(LeaseTable* leases, LeaseId id,
                                             StoreCallback<LeaseInfo> done);

std::unique_ptr<CommitTask> RevokeTask(LeaseTable* leases, LeaseId id,
                                       StoreCallback<Revision> done);

// Ends leases of the list whose time has passed, each with its keys at a revision of its own, until
// enough keys are together; the rest is for another task. `done` gets the outcome.
std::unique_ptr<CommitTask> ExpireTask(LeaseTable* leases, std::vector<LeaseId> due,
                                       StoreCallback<Revision> done);

}  // namespace skiff::store

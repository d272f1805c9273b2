// Snapshots that an etcd can be restored from: a file of bbolt with etcd's buckets.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "store/etcd_server/core.h"

namespace skiff::store {

// Writes all of the store, history too, and replaces the file; its size. Takes long.
Result<uint64_t> WriteEtcdSnapshot(EtcdServerCore& core, const std::string& path);

struct KeyHash {
  uint32_t hash = 0;
  Revision revision;   // that was hashed
  Revision compacted;  // then
};

// etcd's hash of all entries up to a revision (zero: the newest), by which members compare their
// data. Takes long.
Result<KeyHash> HashKeys(EtcdServerCore& core, Revision through);

}  // namespace skiff::store

// The metrics that etcd has and people watch: those of its dashboards and alerts that one member on
// an embedded store can have. Names and texts are etcd's.
#pragma once

#include "store/etcd_server/core.h"

namespace skiff::store {

// Adds them to the core's registry, once.
void AddEtcdMetrics(EtcdServerCore& core);

}  // namespace skiff::store

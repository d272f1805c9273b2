// How much is stored, counted whenever somebody asks for metrics: objects of each resource, and the
// revision that its cache has come to.
#pragma once

#include "apiserver/rest/storage_set.h"
#include "base/metrics.h"

namespace skiff {

// The storages live as long as anybody asks the registry.
void AddStorageMetrics(MetricsRegistry& registry, const StorageSet& storages);

}  // namespace skiff

// How much is stored, counted whenever somebody asks for metrics: objects of each resource, the
// revision that its cache has come to, and what of the store is damaged.
#pragma once

#include "apiserver/extensions/custom_resources.h"
#include "apiserver/rest/storage_set.h"
#include "base/metrics.h"

namespace skiff::apiserver {

// Store, storages and definitions live as long as anybody asks the registry.
void AddStorageMetrics(MetricsRegistry& registry, store::Store& store, const StorageSet& storages,
                       const CustomResources& custom);

}  // namespace skiff::apiserver

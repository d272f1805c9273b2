#include "apiserver/storage_metrics.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/metrics.h"

namespace skiff::apiserver {
namespace {

constexpr MetricSpec kRetiredSpec{
    .name = "skiff_custom_resources_retired",
    .help =
        "[ALPHA] Definitions of custom resources that are not served any more and whose caches "
        "are still held, by requests or watches.",
    .labels = {}};
constexpr MetricSpec kDamagedSpec{
    .name = "skiff_store_damaged",
    .help = "[ALPHA] Keys and files of the store that are known to be damaged.",
    .labels = {}};

struct Counted {
  std::atomic<int64_t> objects{-1};  // while it is not known
  std::atomic<int64_t> revision{0};
};

std::shared_ptr<const Counted> Count(ResourceStorage& storage) {
  auto counted = std::make_shared<Counted>();
  // From memory, and so before the call returns; unless the cache is being filled anew.
  storage.cache().List({.resource_version = "0"}, [counted](const Result<store::ListReply>& reply) {
    if (!reply) return;
    counted->objects = static_cast<int64_t>(reply->RangeSize());
    counted->revision = static_cast<int64_t>(reply->revision().value);
  });
  return counted;
}

using Each =
    std::function<void(std::string_view group, std::string_view resource, const Counted& counted)>;

void Tell(ResourceStorage& storage, const Each& call) {
  const object::ResourceDesc& resource = *storage.hub().resource;
  call(resource.version->desc->group, resource.name, *Count(storage));
}

// Of custom resources those that somebody has asked for: others have no cache.
void ForEach(const StorageSet& storages, const CustomResources& custom, const Each& call) {
  for (const std::unique_ptr<ResourceStorage>& each : storages.all()) Tell(*each, call);
  custom.ForEach([&](const ServedDefinition& served) {
    if (ResourceStorage* const storage = served.storage(); storage != nullptr) Tell(*storage, call);
  });
}

}  // namespace

void AddStorageMetrics(MetricsRegistry& registry, store::Store& store, const StorageSet& storages,
                       const CustomResources& custom) {
  registry.AddCollected(kRetiredSpec, MetricKind::kGauge,
                        [&custom](const MetricsRegistry::Emit& emit) {
                          emit({}, static_cast<double>(custom.retired()));
                        });
  registry.AddCollected(kDamagedSpec, MetricKind::kGauge,
                        [&store](const MetricsRegistry::Emit& emit) {
                          emit({}, static_cast<double>(store.Health().damaged));
                        });
  registry.AddCollected(kStorageObjectsSpec, MetricKind::kGauge,
                        [&storages, &custom](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, custom,
                                  [&](auto group, auto resource, const Counted& counted) {
                                    std::string name(resource);
                                    if (!group.empty()) name.append(".").append(group);
                                    emit({name}, static_cast<double>(counted.objects));
                                  });
                        });
  registry.AddCollected(kResourceObjectsSpec, MetricKind::kGauge,
                        [&storages, &custom](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, custom,
                                  [&](auto group, auto resource, const Counted& counted) {
                                    emit({group, resource}, static_cast<double>(counted.objects));
                                  });
                        });
  registry.AddCollected(kWatchCacheResourceVersionSpec, MetricKind::kGauge,
                        [&storages, &custom](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, custom,
                                  [&](auto group, auto resource, const Counted& counted) {
                                    emit({group, resource}, static_cast<double>(counted.revision));
                                  });
                        });
}

}  // namespace skiff::apiserver

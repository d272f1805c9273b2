#include "apiserver/storage_metrics.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/metrics.h"

namespace skiff::apiserver {
namespace {

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

void ForEach(const StorageSet& storages, const Each& call) {
  for (const std::unique_ptr<ResourceStorage>& each : storages.all()) {
    const object::ResourceDesc& resource = *each->hub().resource;
    call(resource.version->desc->group, resource.name, *Count(*each));
  }
}

}  // namespace

void AddStorageMetrics(MetricsRegistry& registry, store::Store& store, const StorageSet& storages) {
  registry.AddCollected(kDamagedSpec, MetricKind::kGauge,
                        [&store](const MetricsRegistry::Emit& emit) {
                          emit({}, static_cast<double>(store.Health().damaged));
                        });
  registry.AddCollected(kStorageObjectsSpec, MetricKind::kGauge,
                        [&storages](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, [&](auto group, auto resource, const Counted& counted) {
                            std::string name(resource);
                            if (!group.empty()) name.append(".").append(group);
                            emit({name}, static_cast<double>(counted.objects));
                          });
                        });
  registry.AddCollected(kResourceObjectsSpec, MetricKind::kGauge,
                        [&storages](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, [&](auto group, auto resource, const Counted& counted) {
                            emit({group, resource}, static_cast<double>(counted.objects));
                          });
                        });
  registry.AddCollected(kWatchCacheResourceVersionSpec, MetricKind::kGauge,
                        [&storages](const MetricsRegistry::Emit& emit) {
                          ForEach(storages, [&](auto group, auto resource, const Counted& counted) {
                            emit({group, resource}, static_cast<double>(counted.revision));
                          });
                        });
}

}  // namespace skiff::apiserver

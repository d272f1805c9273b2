#include "apiserver/aggregator/aggregator.h"

#include <utility>

#include "object/resource.h"

namespace skiff::apiserver {
namespace {

ResourceStorage* StorageOf(const StorageSet& storages, std::string_view group,
                           std::string_view name) {
  const object::ResourceDesc* const resource = object::FindPreferredResource(group, name);
  return resource != nullptr ? storages.Find(resource->hub) : nullptr;
}

ResourceStorage* ApiServices(const StorageSet& storages) {
  return StorageOf(storages, "apiregistration.k8s.io", "apiservices");
}

}  // namespace

Aggregator::Aggregator(Context context, AggregatorOptions options, std::function<void()> schedule)
    : listener_(std::move(context.on_api_service)),
      awaited_(options.awaited),
      certificate_(std::move(options.proxy_client_cert_file),
                   std::move(options.proxy_client_key_file), context.log),
      routes_({.services = StorageOf(context.storages, "", "services"),
               .slices = StorageOf(context.storages, "discovery.k8s.io", "endpointslices"),
               .to_endpoints = options.to_endpoints},
              context.rest.random),
      caller_(
          context.rest.clock,
          [this](const CalledService& service) {
            return routes_.Find(service.name_space, service.name, service.port);
          },
          certificate_, std::move(context.on_loop_start)),
      availability_({.api_services = ApiServices(context.storages),
                     .rest = context.rest,
                     .caller = caller_,
                     .routes = routes_,
                     .metrics = context.metrics,
                     .log = context.log}),
      backends_(ApiServices(context.storages) != nullptr ? &ApiServices(context.storages)->cache()
                                                         : nullptr,
                caller_, {&listener_, &awaited_, &registered_, &availability_},
                std::move(schedule)),
      discovery_({.backends = backends_,
                  .post = [this](Executor::Work work) { return caller_.Post(std::move(work)); },
                  .executor = [this]() -> Executor& { return caller_.executor(); },
                  .registered = registered_,
                  .log = context.log}),
      openapi_({.backends = backends_,
                .post = [this](Executor::Work work) { return caller_.Post(std::move(work)); },
                .executor = [this]() -> Executor& { return caller_.executor(); },
                .log = context.log}),
      forwarder_(backends_, caller_, openapi_, std::move(options.forwarding)) {}

Result<void> Aggregator::Start() {
  SKIFF_RETURN_IF_ERROR(certificate_.Load());
  SKIFF_RETURN_IF_ERROR(caller_.Start());
  backends_.OnChange([this] {
    discovery_.OnChange();
    openapi_.OnChange();
  });
  backends_.Start();
  return {};
}

bool Aggregator::discovered() const {
  if (discovered_.load(std::memory_order_acquire)) return true;
  if (!synced() || !registered_.is_complete()) return false;
  discovered_.store(true, std::memory_order_release);
  return true;
}

}  // namespace skiff::apiserver

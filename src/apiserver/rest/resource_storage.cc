#include "apiserver/rest/resource_storage.h"

#include <utility>

namespace skiff {
namespace {

std::string PrefixOf(const ResourceHub& hub, const StorageEnvironment& environment) {
  return environment.prefix + "/" + std::string(hub.storage->prefix) + "/";
}

CacheOptions CacheOptionsOf(const ResourceHub& hub, const StorageEnvironment& environment,
                            SymbolTable& symbols, std::shared_ptr<const FactsReader> facts) {
  CacheOptions options;
  options.prefix = PrefixOf(hub, environment);
  options.namespaced = hub.resource->namespaced;
  options.facts = std::move(facts);
  options.symbols = &symbols;
  options.events_come_first = environment.events_come_first;
  return options;
}

}  // namespace

Result<std::unique_ptr<ResourceStorage>> ResourceStorage::Make(const ResourceHub& hub,
                                                               StorageEnvironment& environment,
                                                               SymbolTable& symbols) {
  SKIFF_ASSIGN_OR_RETURN(FactsReader facts, FactsReader::Make(hub));
  SKIFF_ASSIGN_OR_RETURN(Strategy strategy, Strategy::Make(*hub.storage));
  return std::unique_ptr<ResourceStorage>(new ResourceStorage(
      hub, environment, symbols, std::make_shared<const FactsReader>(std::move(facts)),
      std::move(strategy)));
}

ResourceStorage::ResourceStorage(const ResourceHub& hub, StorageEnvironment& environment,
                                 SymbolTable& symbols, std::shared_ptr<const FactsReader> facts,
                                 Strategy strategy)
    : hub_(&hub),
      environment_(environment),
      prefix_(PrefixOf(hub, environment)),
      facts_(std::move(facts)),
      strategy_(std::move(strategy)),
      cache_(environment.store, environment.clock, environment.random,
             CacheOptionsOf(hub, environment, symbols, facts_)) {}

std::string ResourceStorage::Key(std::string_view name_space, std::string_view name) const {
  std::string key = prefix_;
  if (namespaced()) {
    key += name_space;
    key += '/';
  }
  key += name;
  return key;
}

std::chrono::seconds ResourceStorage::ttl() const {
  return desc().ttl_seconds == 0 ? std::chrono::seconds(0) : environment_.event_ttl;
}

}  // namespace skiff

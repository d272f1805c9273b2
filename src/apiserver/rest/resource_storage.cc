#include "apiserver/rest/resource_storage.h"

#include <utility>

#include "base/limits.h"

namespace skiff::apiserver {
namespace {

std::string PrefixOf(const object::ResourceHub& hub, const StorageEnvironment& environment) {
  return environment.prefix + "/" + std::string(hub.storage->prefix) + "/";
}

store::CacheOptions CacheOptionsOf(const object::ResourceHub& hub,
                                   const StorageEnvironment& environment,
                                   object::SymbolTable& symbols,
                                   std::shared_ptr<const store::FactsReader> facts,
                                   std::shared_ptr<const StoredObjects> objects) {
  store::CacheOptions options;
  options.read = [objects = std::move(objects)](const SharedBytes& stored) {
    return objects->Read(stored);
  };
  options.prefix = PrefixOf(hub, environment);
  options.namespaced = hub.resource->namespaced;
  options.facts = std::move(facts);
  options.symbols = &symbols;
  options.events_come_first = environment.events_come_first;
  return options;
}

// What refers to tables, and keeps them.
template <typename T>
std::shared_ptr<const T> WithOwner(T made, std::shared_ptr<const void> owner) {
  struct Both {
    std::shared_ptr<const void> owner;
    T made;
  };
  auto both = std::make_shared<const Both>(Both{std::move(owner), std::move(made)});
  return {both, &both->made};
}

}  // namespace

Result<std::unique_ptr<ResourceStorage>> ResourceStorage::Make(
    const object::ResourceHub& hub, StorageEnvironment& environment, object::SymbolTable& symbols,
    std::shared_ptr<const void> hub_owner, ObjectConverter* converter) {
  SKIFF_ASSIGN_OR_RETURN(store::FactsReader facts, store::FactsReader::Make(hub));
  SKIFF_ASSIGN_OR_RETURN(Strategy strategy, Strategy::Make(*hub.storage));
  ReadCompletion completion;
  if (environment.read_completion) completion = environment.read_completion(hub);
  return std::unique_ptr<ResourceStorage>(new ResourceStorage(
      hub, environment, symbols, WithOwner(std::move(facts), hub_owner),
      WithOwner(StoredObjects(*hub.storage, environment.defaults, environment.prefer_json,
                              std::move(completion), /*keeps_versions=*/converter != nullptr),
                hub_owner),
      std::move(strategy), converter));
}

ResourceStorage::ResourceStorage(const object::ResourceHub& hub, StorageEnvironment& environment,
                                 object::SymbolTable& symbols,
                                 std::shared_ptr<const store::FactsReader> facts,
                                 std::shared_ptr<const StoredObjects> objects, Strategy strategy,
                                 ObjectConverter* converter)
    : hub_(&hub),
      environment_(environment),
      prefix_(PrefixOf(hub, environment)),
      facts_(std::move(facts)),
      objects_(std::move(objects)),
      strategy_(std::move(strategy)),
      converter_(converter),
      symbols_(symbols),
      cache_(environment.store, environment.clock, environment.random,
             CacheOptionsOf(hub, environment, symbols, facts_, objects_)) {}

std::string ResourceStorage::Key(std::string_view name_space, std::string_view name) const {
  std::string key = prefix_;
  if (namespaced()) {
    key += name_space;
    key += '/';
  }
  key += name;
  return key;
}

// In the words of the storage of Kubernetes.
std::string ResourceStorage::ExplainUnreadable(std::string_view key, store::Revision revision,
                                               std::string_view why) const {
  return "StorageError: corrupt object, Code: 7, Key: " + prefix_ + std::string(key) +
         ", ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=" +
         std::to_string(revision.value) + ": " + std::string(why);
}

Status ResourceStorage::Unreadable(std::string_view key, store::Revision revision,
                                   std::string_view why) const {
  const std::string text = ExplainUnreadable(key, revision, why);
  Status out(StatusReason::kInternalError, "Internal error occurred: " + text);
  out.AddCause({"", text, ""});
  return out;
}

Result<void> ResourceStorage::CheckReadable(const store::CacheEntry& entry) const {
  if (entry.readable()) return {};
  return std::unexpected(Unreadable(entry.key(), entry.revision(), entry.value().view()));
}

Result<void> ResourceStorage::CheckReadable(const store::ListReply& list) const {
  const auto unreadable = list.Unreadable(limits::kMaxUnreadableReported + 1);
  if (unreadable.empty()) return {};
  const std::string group(hub_->resource->version->desc->group);
  const std::string resource(hub_->resource->name);
  Status why(StatusReason::kStoreReadError, "failed to read one or more " + resource +
                                                (group.empty() ? "" : "." + group) +
                                                " from the storage");
  why.SetSubject({.name = "list", .group = group, .kind = resource, .uid = {}});
  for (size_t i = 0; i < unreadable.size() && i < limits::kMaxUnreadableReported; ++i) {
    const store::CacheEntry& entry = *unreadable[i];
    why.AddCause({"UnexpectedServerResponse",
                  ExplainUnreadable(entry.key(), entry.revision(), entry.value().view()),
                  prefix_ + std::string(entry.key())});
  }
  if (unreadable.size() > limits::kMaxUnreadableReported) {
    why.AddCause({"FieldValueTooMany", "too many errors, the list is truncated", ""});
  }
  return std::unexpected(std::move(why));
}

std::chrono::seconds ResourceStorage::ttl() const {
  return desc().ttl_seconds == 0 ? std::chrono::seconds(0) : environment_.event_ttl;
}

}  // namespace skiff::apiserver

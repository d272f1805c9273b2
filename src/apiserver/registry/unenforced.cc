#include "apiserver/registry/unenforced.h"

#include <string>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"

namespace skiff::apiserver {
namespace {

struct Unenforced {
  std::string_view group;
  std::string_view resource;
  std::string_view kind;
  std::string_view why;
};

constexpr std::string_view kNoAggregation =
    "this server does not pass requests on to other servers yet";
constexpr Unenforced kUnenforced[] = {
    {"apiregistration.k8s.io", "apiservices", "APIService", kNoAggregation},
};

// An APIService without a service is about what this server serves itself.
bool IsLocal(const Unenforced& what, const object::Document& object) {
  const object::Value* service = object.root().FindPath({"spec", "service"});
  return what.kind == "APIService" && (service == nullptr || service->is_null());
}

}  // namespace

void UnenforcedBehaviour::Check(WriteContext& write, const object::Document*,
                                const object::Document& object, bool follows_rules, FieldErrors&) {
  if (!follows_rules || !write.subresource.empty() || write.warnings == nullptr) return;
  for (const Unenforced& each : kUnenforced) {
    if (each.kind != object.kind() || IsLocal(each, object)) continue;
    write.warnings->push_back("the " + std::string(each.kind) +
                              " is stored and has no effect: " + std::string(each.why));
  }
}

void LogUnenforced(const StorageSet& storages, Log& log) {
  for (const Unenforced& each : kUnenforced) {
    ResourceStorage* storage =
        storages.Find(object::FindPreferredResource(each.group, each.resource)->hub);
    size_t count = 0;
    ForEachInCache(storage, [&](const store::CacheEntry& entry) {
      const Result<object::Document> object = DecodeStored(entry.value().view(), {});
      if (object && !IsLocal(each, *object)) ++count;
    });
    if (count == 0) continue;
    log.Warning("there are objects that have no effect",
                {{"resource", std::string(each.resource) + "." + std::string(each.group)},
                 {"count", std::to_string(count)},
                 {"why", std::string(each.why)}});
  }
}

}  // namespace skiff::apiserver

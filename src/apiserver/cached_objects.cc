#include "apiserver/cached_objects.h"

#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_output.h"

namespace skiff::apiserver {

void CachedObjects::Find(BoundKind kind, std::string name_space, std::string name,
                         std::move_only_function<void(Result<BoundObject>)> done) {
  const object::ResourceDesc* resource = object::FindResource("", "v1", BoundResource(kind));
  ResourceStorage* storage = resource != nullptr ? storages_.Find(resource->hub) : nullptr;
  if (storage == nullptr) {
    return done(
        Fail(StatusReason::kNotFound, std::string(BoundResource(kind)) + " are not served here"));
  }
  storage->cache().Get(
      {std::move(name_space), name, ""},
      [kind, resource, name, done = std::move(done)](Result<store::CacheGetReply> reply) mutable {
        if (!reply) return done(std::unexpected(std::move(reply.error())));
        if (!reply->entry) return done(std::unexpected(NotFound(*resource, name)));
        Result<object::Document> object =
            DecodeStored(reply->entry->value().view(), reply->entry->revision());
        if (!object) return done(std::unexpected(std::move(object.error())));
        done(ReadBoundObject(kind, *object));
      });
}

}  // namespace skiff::apiserver

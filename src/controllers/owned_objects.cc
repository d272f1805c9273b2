#include "controllers/owned_objects.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace skiff::controllers {
namespace {

bool Is(const Result<client::ObjectPtr>& result, StatusReason reason) {
  return !result && result.error().reason() == reason;
}

std::vector<OwnerReference> WithoutGiven(std::vector<OwnerReference> owners,
                                         const std::vector<std::string>& given) {
  std::erase_if(owners, [&](const OwnerReference& owner) {
    return std::ranges::find(given, owner.uid) != given.end();
  });
  return owners;
}

std::vector<OwnerReference> Unblocked(std::vector<OwnerReference> owners,
                                      const std::vector<std::string>& /*given*/) {
  for (OwnerReference& owner : owners) {
    if (owner.blocks()) owner.block_owner_deletion = false;
  }
  return owners;
}

}  // namespace

Task<Result<client::ObjectPtr>> OwnedObjects::GetAny(
    std::shared_ptr<const client::ApiResource> resource, client::ObjectName name) {
  client::ClientCall call;
  call.verb = client::ClientVerb::kGet;
  call.resource = resource.get();
  call.target = std::move(name);
  call.metadata_only = true;
  Result<client::ClientReply> reply = co_await client_.Send(std::move(call));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  if (reply->object == nullptr) {
    co_return Fail(StatusReason::kInternalError, "the answer has no object");
  }
  co_return std::move(reply->object);
}

Task<Result<client::ObjectPtr>> OwnedObjects::Get(OwnedObject object) {
  Result<client::ObjectPtr> found = co_await GetAny(object.resource, object.name());
  if (found && client::UidOf(**found) != object.identity.uid) {
    co_return Fail(StatusReason::kNotFound, object.identity.name + " is another object now");
  }
  co_return found;
}

Task<Result<void>> OwnedObjects::Delete(OwnedObject object, client::ObjectPtr latest,
                                        std::string propagation) {
  const std::vector<OwnerReference> owners = OwnersOf(*latest);
  const std::vector<std::string> finalizers = FinalizersOf(*latest);
  for (int tries = 1;; ++tries) {
    client::DeleteChoice how;
    how.uid = object.identity.uid;
    how.resource_version = client::ResourceVersionOf(*latest);
    how.propagation = propagation;
    Result<void> deleted = co_await client_.Delete(*object.resource, object.name(), how);
    if (deleted || deleted.error().reason() != StatusReason::kConflict ||
        tries == limits::kMaxConflictTries) {
      co_return deleted;
    }
    // Somebody changed it meanwhile, which matters if it has other owners now, or if somebody else
    // has begun to delete it: how that one wants its dependents to be treated stands.
    Result<client::ObjectPtr> again = co_await Get(object);
    if (!again) co_return std::unexpected(std::move(again).error());
    if (OwnersOf(**again) != owners || FinalizersOf(**again) != finalizers) co_return deleted;
    latest = std::move(*again);
  }
}

Task<Result<client::ObjectPtr>> OwnedObjects::Patch(OwnedObject object, client::PatchType type,
                                                    std::string patch) {
  client::ClientCall call;
  call.verb = client::ClientVerb::kPatch;
  call.resource = object.resource.get();
  call.target = object.name();
  call.patch_type = type;
  call.patch = std::move(patch);
  call.metadata_only = true;
  Result<client::ClientReply> reply = co_await client_.Send(std::move(call));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  co_return std::move(reply->object);
}

Task<Result<client::ObjectPtr>> OwnedObjects::ChangeOwners(OwnedObject object,
                                                           std::string strategic, Edit edit,
                                                           std::vector<std::string> given) {
  if (object.resource->type != nullptr && !strategic.empty()) {
    Result<client::ObjectPtr> patched =
        co_await Patch(object, client::PatchType::kStrategic, std::move(strategic));
    if (!Is(patched, StatusReason::kUnsupportedMediaType)) co_return patched;
  }
  for (int tries = 1;; ++tries) {
    Result<client::ObjectPtr> latest = co_await Get(object);
    if (!latest) co_return latest;
    const std::vector<OwnerReference> before = OwnersOf(**latest);
    const std::vector<OwnerReference> after = edit(before, given);
    if (after == before) co_return latest;
    std::string patch =
        OwnersPatch(object.identity.uid, client::ResourceVersionOf(**latest), after);
    Result<client::ObjectPtr> patched =
        co_await Patch(object, client::PatchType::kMerge, std::move(patch));
    if (!Is(patched, StatusReason::kConflict) || tries == limits::kMaxConflictTries) {
      co_return patched;
    }
  }
}

Task<Result<void>> OwnedObjects::Disown(OwnedObject object, std::vector<std::string> owners) {
  std::string strategic = DisownPatch(object.identity.uid, owners);
  Result<client::ObjectPtr> changed =
      co_await ChangeOwners(std::move(object), std::move(strategic), WithoutGiven, owners);
  if (!changed) co_return std::unexpected(std::move(changed).error());
  co_return Result<void>();
}

Task<Result<client::ObjectPtr>> OwnedObjects::Unblock(OwnedObject object) {
  // A strategic patch would bring back references that somebody takes away at the same time.
  const std::string no_strategic;
  const std::vector<std::string> none;
  co_return co_await ChangeOwners(std::move(object), no_strategic, Unblocked, none);
}

Task<Result<void>> OwnedObjects::RemoveFinalizer(OwnedObject object, std::string finalizer) {
  for (int tries = 1;; ++tries) {
    Result<client::ObjectPtr> latest = co_await Get(object);
    if (Is(latest, StatusReason::kNotFound)) co_return Result<void>();
    if (!latest) co_return std::unexpected(std::move(latest).error());
    std::vector<std::string> finalizers = FinalizersOf(**latest);
    if (std::erase(finalizers, finalizer) == 0) co_return Result<void>();
    std::string patch =
        FinalizersPatch(object.identity.uid, client::ResourceVersionOf(**latest), finalizers);
    Result<client::ObjectPtr> patched =
        co_await Patch(object, client::PatchType::kMerge, std::move(patch));
    if (patched || Is(patched, StatusReason::kNotFound)) co_return Result<void>();
    if (!Is(patched, StatusReason::kConflict) || tries == limits::kMaxConflictTries) {
      co_return std::unexpected(std::move(patched).error());
    }
  }
}

}  // namespace skiff::controllers

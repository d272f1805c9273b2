// What the garbage collector does to objects that it knows by their place and uid. Every call is
// bound to the uid: an object that took the place of another is never touched, and is answered as
// kNotFound.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "client/client.h"
#include "controllers/owner_reference.h"

namespace skiff::controllers {

struct OwnedObject {
  std::shared_ptr<const client::ApiResource> resource;
  ObjectIdentity identity;

  client::ObjectName name() const {
    return {.name_space = resource->namespaced ? identity.name_space : std::string(),
            .name = identity.name};
  }
};

class OwnedObjects {
 public:
  explicit OwnedObjects(client::Client client) : client_(std::move(client)) {}

  // The object's metadata, as the server has it now.
  Task<Result<client::ObjectPtr>> Get(OwnedObject object);
  // Of whatever is there, with any uid.
  Task<Result<client::ObjectPtr>> GetAny(std::shared_ptr<const client::ApiResource> resource,
                                         client::ObjectName name);
  // Deletes it as long as its owners are those of `latest`; kConflict when they are not.
  Task<Result<void>> Delete(OwnedObject object, client::ObjectPtr latest, std::string propagation);
  // Takes references to these owners away. Fine when there are none.
  Task<Result<void>> Disown(OwnedObject object, std::vector<std::string> owners);
  // The references stay but no longer keep owners waiting; answers the state after that.
  Task<Result<client::ObjectPtr>> Unblock(OwnedObject object);
  // Fine when it has no such finalizer, or is gone.
  Task<Result<void>> RemoveFinalizer(OwnedObject object, std::string finalizer);

 private:
  using Edit = std::vector<OwnerReference> (*)(std::vector<OwnerReference> owners,
                                               const std::vector<std::string>& given);

  Task<Result<client::ObjectPtr>> Patch(OwnedObject object, client::PatchType type,
                                        std::string patch);
  // Tries the strategic patch first, if there is one and the server has a schema; else replaces the
  // list.
  Task<Result<client::ObjectPtr>> ChangeOwners(OwnedObject object, std::string strategic, Edit edit,
                                               std::vector<std::string> given);

  client::Client client_;
};

}  // namespace skiff::controllers

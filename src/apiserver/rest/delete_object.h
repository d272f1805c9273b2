// Deletes one object: at once, after a grace period, or once its finalizers are gone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "base/maybe_task.h"

namespace skiff::apiserver {

struct Deletion {
  const Endpoint& endpoint;
  std::string name_space;
  std::string name;
  DeleteOptions options;
  // Who asked for it; null: the server itself, which asks nobody.
  std::shared_ptr<serving::ApiRequest> request = {};
  // One of many: to admission the request names none of them.
  bool of_collection = false;
  // Asked instead of whether the deletion is admitted, where clients see the request as something
  // else: an eviction.
  std::function<Task<Result<void>>(store::Transaction& transaction)> admit = {};
  // Called with the object before it is marked or removed. It may refuse, change the object, and
  // add writes of other keys with their conditions.
  std::function<Result<void>(WriteContext& write, object::Document& object)> first = {};
};

// The object as it was last, or as it is now, waiting for its end.
void DeleteObject(Deletion deletion, store::StoreCallback<Changed> done);

}  // namespace skiff::apiserver

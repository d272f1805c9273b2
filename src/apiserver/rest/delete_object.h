// Deletes one object: at once, after a grace period, or once its finalizers are gone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"

namespace skiff::apiserver {

struct Deletion {
  const Endpoint& endpoint;
  std::string name_space;
  std::string name;
  DeleteOptions options;
  const serving::UserInfo* user = nullptr;       // null: the server itself, which asks nobody
  std::vector<std::string>* warnings = nullptr;  // where admission puts its own, if anywhere
  // Asked instead of whether the deletion is admitted, where clients see the request as something
  // else: an eviction.
  std::function<Result<void>(store::Transaction& transaction)> admit = {};
  // Called with the object before it is marked or removed. It may refuse, change the object, and
  // add writes of other keys with their conditions.
  std::function<Result<void>(WriteContext& write, object::Document& object)> first = {};
  std::function<void(std::move_only_function<void()>)> post = {};
};

// The object as it was last, or as it is now, waiting for its end.
void DeleteObject(Deletion deletion, store::StoreCallback<Changed> done);

}  // namespace skiff::apiserver

// From an object as a client gave it to the one that is stored under a new name: what every POST,
// and every PUT or apply that creates, goes through.
#pragma once

#include <string>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

struct NewObjectOptions {
  bool dry_run = false;
  AwaitedObject* awaited = nullptr;  // for admission (rest/admission.h)
  // Where the name that the server chose is kept, for an object whose writer left it to the server,
  // so that all tries mean the same one; null: the server chooses none.
  std::string* generated = nullptr;
};

// Metadata, admission, strategy, validation, in this order. `object` is in the version of the
// request; the change has its stored form, under the name that is in it then: a webhook may have
// given it another. An object without a name is refused. Warnings are added to the request.
Task<Result<Change>> PrepareNew(serving::ApiRequest& request, const Endpoint& endpoint,
                                object::Document object, NewObjectOptions options);

}  // namespace skiff::apiserver

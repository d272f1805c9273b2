// From an object as a client gave it to the one that is stored under a new name: what every POST,
// and every PUT or apply that creates, goes through.
#pragma once

#include <string_view>

#include "apiserver/rest/admission.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// Metadata, admission, strategy, validation, in this order. `object` is in the version of the
// request; the change has its stored form. `name` is what it will be stored under; where that is
// empty, the object has no name and is refused. Warnings are added to the request. `awaited` is for
// admission (rest/admission.h).
Result<Change> PrepareNew(serving::ApiRequest& request, const Endpoint& endpoint,
                          object::Document object, std::string_view name, bool dry_run,
                          AwaitedObject* awaited = nullptr);

}  // namespace skiff::apiserver

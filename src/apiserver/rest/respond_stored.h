// Answers that are one stored object.
#pragma once

#include "apiserver/rest/endpoint.h"
#include "base/shared_bytes.h"
#include "object/protobuf/shared_fields.h"
#include "serving/request/api_request.h"
#include "store/store.h"

namespace skiff::apiserver {

// In the form that the client asked for. `revision` zero: it has none. Pieces are those that were
// cut out of the bytes.
void RespondStored(serving::ApiRequest& request, const Endpoint& endpoint, int code,
                   const SharedBytes& bytes, store::Revision revision, object::Pieces pieces = {});

}  // namespace skiff::apiserver

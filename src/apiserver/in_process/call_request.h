// What a client asks for as the request that the server would have got over HTTP, but for the body,
// which stays an object.
#pragma once

#include "apiserver/request/api_request.h"
#include "base/status.h"
#include "client/client.h"
#include "net/http.h"

namespace skiff {

// Without user and receiver of the answer. kBadRequest for a call that lacks a name.
Result<ApiRequestPtr> RequestOf(const ClientCall& call, Responder responder);
ApiRequestPtr RequestOf(const WatchCall& call, Responder responder);

}  // namespace skiff

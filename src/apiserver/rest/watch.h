// Watches: a stream of events that goes on until the client leaves, its time is up, or the server
// stops. Over HTTP the events follow each other; over a WebSocket each is a message.
#pragma once

#include "apiserver/rest/endpoint.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleWatch(serving::ApiRequestPtr request, const Endpoint& endpoint);

}  // namespace skiff::apiserver

// What a client asks for as the request that the server would have got over HTTP, but for the body,
// which stays an object.
#pragma once

#include <memory>

#include "base/status.h"
#include "client/client.h"
#include "net/http.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// Still without its user. kBadRequest for a call that lacks a name; the sink is then not told.
Result<serving::ApiRequestPtr> RequestOf(const client::ClientCall& call,
                                         std::shared_ptr<net::Responder::Sink> sink);
serving::ApiRequestPtr RequestOf(const client::WatchCall& call,
                                 std::shared_ptr<net::Responder::Sink> sink);

// The same with everything written out, as JSON: for what another server answers.
Result<serving::ApiRequestPtr> RemoteRequestOf(const client::ClientCall& call,
                                               std::shared_ptr<net::Responder::Sink> sink);
Result<serving::ApiRequestPtr> RemoteRequestOf(const client::WatchCall& call,
                                               std::shared_ptr<net::Responder::Sink> sink);

}  // namespace skiff::apiserver

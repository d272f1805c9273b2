// The transport of clients that live in the API server's process.
//
// A call becomes the same request that it would be over HTTPS, by a user who is known, and passes
// the same pipeline behind authentication: authorization, admission, validation, metrics. But
// nothing of it is encoded: bodies are handed over as documents, and answers and events are
// documents too, decoded once from the bytes at rest and shared. Handlers run on the executor's
// thread until they have to wait. What another server has is asked for as over HTTPS, and its JSON
// decoded here. Of calls and watches so many may be open as limits.h names; the
// next ones are refused with kTooManyRequests.
//
// Owner: the client; to be closed and destroyed before the server, on the executor or when that
// does not run any more.
#pragma once

#include <functional>
#include <memory>

#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"
#include "base/executor.h"
#include "client/client.h"
#include "serving/auth/authorizer.h"
#include "serving/auth/user.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// All that is referred to outlives the transport; what handles requests, also those under way.
struct InProcessOptions {
  serving::UserInfo user;
  Executor& executor;
  std::function<void(serving::ApiRequestPtr)> handle;
  serving::Authorizer& authorizer;
  std::function<std::shared_ptr<const ServedResources>()> served;  // at the moment
  const Registrations& registrations;                              // what other servers have
  // Runs work of requests whose transport has gone, on some thread.
  std::function<void(Executor::Work)> post;
};

std::unique_ptr<client::ClientTransport> MakeInProcessTransport(InProcessOptions options);

}  // namespace skiff::apiserver

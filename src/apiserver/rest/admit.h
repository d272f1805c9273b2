// Admission of requests that are no plain write of an object: what is posted and is not the object
// that gets stored (bindings, evictions, requests for tokens, reviews), and connections.
#pragma once

#include "apiserver/rest/endpoint.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"
#include "store/store.h"

namespace skiff::apiserver {

// As the creation of `body` at the endpoint, with the name of the request. What is admitted may
// have been changed. What plugins write besides goes into the transaction. All outlive the task.
Task<Result<void>> AdmitCreationOf(object::Document& body, serving::ApiRequest& request,
                                   const Endpoint& endpoint, bool dry_run,
                                   store::Transaction& transaction);

// The two halves of it, for who has something to see to in between.
Task<Result<void>> MutateCreationOf(object::Document& body, serving::ApiRequest& request,
                                    const Endpoint& endpoint);
Task<Result<void>> ValidateCreationOf(object::Document& body, serving::ApiRequest& request,
                                      const Endpoint& endpoint);

// As a connection to the subresource, with the options that the query and the path come to.
// kBadRequest when those are wrong, and for a dry run: nothing can be connected only in theory.
Task<Result<void>> AdmitConnection(serving::ApiRequest& request, const Endpoint& endpoint);

}  // namespace skiff::apiserver

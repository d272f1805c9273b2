// Admission of what is posted and is not the object that gets stored: bindings, evictions, requests
// for tokens, reviews.
#pragma once

#include "apiserver/request/api_request.h"
#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"
#include "store/store.h"

namespace skiff {

// As the creation of `body` at the endpoint, with the name of the request. What is admitted may
// have been changed. What plugins write besides goes into the transaction.
Result<void> AdmitCreationOf(Document& body, ApiRequest& request, const Endpoint& endpoint,
                             bool dry_run, Transaction& transaction);

}  // namespace skiff

// How a client wants objects to be deleted: from the body of the request, or from its query.
#pragma once

#include "apiserver/request/api_request.h"
#include "apiserver/rest/behaviour.h"
#include "base/status.h"
#include "views/meta/v1.h"

namespace skiff {

// kBadRequest for what cannot be read, kInvalid for options that exclude each other.
Result<DeleteOptions> ReadDeleteOptions(ApiRequest& request);
// The same of options that are part of another object.
Result<DeleteOptions> DeleteOptionsOf(const views::meta_v1::DeleteOptions& options);

}  // namespace skiff

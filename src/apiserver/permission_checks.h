// Permissions that are checked in the midst of a request: a PUT or an apply was authorized as such,
// and turns out to make a new object; a GET opens a stream into a pod; a deletion is of an object
// that cannot be read.
#pragma once

#include <functional>

#include "base/status.h"
#include "serving/auth/authorizer.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// The authorizer must outlive the function, which answers kForbidden to who may not.
std::function<Result<void>(const serving::ApiRequest&)> CreatePermissionCheck(
    serving::Authorizer& authorizer);
std::function<Result<void>(const serving::ApiRequest&)> UnreadableDeletionCheck(
    serving::Authorizer& authorizer);

}  // namespace skiff::apiserver

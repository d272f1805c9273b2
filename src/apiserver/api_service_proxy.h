// The API-service proxy: requests for groups that an APIService says another server serves.
// Proxying them needs that server to be reached; until then they are answered as for one that
// cannot be.
#pragma once

#include "apiserver/rest/resource_storage.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// False: no APIService says so, and the request is for somebody else to answer. `services` is the
// storage of apiservices; may be null.
bool ProxyToApiService(serving::ApiRequest& request, ResourceStorage* services);

}  // namespace skiff::apiserver

// Where a service of the cluster is reached by the server itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/rest/resource_storage.h"
#include "apiserver/webhook/webhook_caller.h"
#include "base/status.h"

namespace skiff::apiserver {

// Its cluster IP, or the name that it stands for. Reads the cache, and does not wait.
Result<CalledAddress> AddressOfService(ResourceStorage* services, std::string_view name_space,
                                       std::string_view name, int32_t port);

}  // namespace skiff::apiserver

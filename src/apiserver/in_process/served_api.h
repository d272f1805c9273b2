// What the server and extension servers serve, as clients know it.
#pragma once

#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"
#include "client/client.h"

namespace skiff::apiserver {

// Each resource in the version that is preferred of those that have it; and the versions of other
// servers that do not answer.
client::ServedApi DiscoverApi(const ServedResources& served, const RegisteredVersions& registered);

}  // namespace skiff::apiserver

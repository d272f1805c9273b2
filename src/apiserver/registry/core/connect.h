// Subresources that connect a client with a pod, a service or a node: log, exec, attach,
// portforward and proxy. Where the connection would go is found here, with the answers for what
// cannot be reached; the streams themselves need a node agent to talk to.
#pragma once

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/resource_storage.h"

namespace skiff::apiserver {

void HandlePodLog(serving::ApiRequestPtr request, const Endpoint& endpoint);
// exec and attach, which are for a container.
void HandlePodStream(serving::ApiRequestPtr request, const Endpoint& endpoint);
void HandlePodPortForward(serving::ApiRequestPtr request, const Endpoint& endpoint);
void HandlePodProxy(serving::ApiRequestPtr request, const Endpoint& endpoint);
void HandleNodeProxy(serving::ApiRequestPtr request, const Endpoint& endpoint);
// `endpoints` is the storage of endpoints, which say where a service is.
void HandleServiceProxy(serving::ApiRequestPtr request, const Endpoint& endpoint,
                        ResourceStorage* endpoints);

}  // namespace skiff::apiserver

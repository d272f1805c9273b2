// What is said of a webhook that gave no answer, or one that is none: in the words of Kubernetes,
// which are those of Go, since people look for these.
#pragma once

#include <string>

#include "apiserver/webhook/webhook_target.h"
#include "base/status.h"
#include "net/client/endpoint.h"

namespace skiff::apiserver {

// Why a request to the endpoint came to nothing, from what the client of HTTP says of it.
std::string ConnectionFault(const Status& fault, const net::ClientEndpoint& endpoint);

// An answer whose code is no success: the Status of which it is the JSON, or one that tells what
// the code means.
Status FaultOfReply(const WebhookReply& reply);

}  // namespace skiff::apiserver

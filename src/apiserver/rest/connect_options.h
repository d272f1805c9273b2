// The options of a connection (PodExecOptions and its like) as the query and the path give them.
#pragma once

#include "base/status.h"
#include "object/value.h"
#include "serving/request/query.h"
#include "serving/request/request_info.h"

namespace skiff::apiserver {

// Names and values of the query that fit no field are passed over. A field `path` is what follows
// the subresource in the URL, whatever the query says. Ports come one by one or with commas
// between them; kBadRequest for what is no port.
Result<object::Document> ConnectOptionsOf(const serving::RequestInfo& info,
                                          const serving::QueryParameters& query,
                                          const object::MessageDesc* type);

}  // namespace skiff::apiserver

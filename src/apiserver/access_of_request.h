// What a request asks the authorizer for.
#pragma once

#include "apiserver/authz/authorizer.h"
#include "apiserver/request/api_request.h"

namespace skiff {

// Points into the request.
inline AccessAttributes AttributesOf(const ApiRequest& request) {
  const RequestInfo& info = request.info;
  return AccessAttributes{.user = &request.user,
                          .verb = info.verb,
                          .is_resource = info.is_resource,
                          .group = info.group,
                          .version = info.version,
                          .resource = info.resource,
                          .subresource = info.subresource,
                          .name_space = info.name_space,
                          .name = info.name,
                          .path = info.path};
}

}  // namespace skiff

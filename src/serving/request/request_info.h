// What a request is about, read from its method and path alone: the same reading that
// authorization, audit and routing go by.
//
//   /api/v1/namespaces/NS/pods/NAME/SUB      /apis/GROUP/VERSION/RESOURCE/...
//   /api/v1/watch/...                        the deprecated form of ?watch=1
//
// Everything else is no resource and known by its path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/request/query.h"

namespace skiff::serving {

struct RequestInfo {
  bool is_resource = false;
  std::string path;  // decoded
  std::string verb;  // of a resource: "get", "deletecollection", ...; else the method in lower case
  std::string group;
  std::string version;
  std::string name_space;
  std::string resource;
  std::string subresource;
  std::string name;
  // The name stands in the URL, and not just in a field selector.
  bool name_in_path = false;
  // /namespaces/NS/ stands before the resource. A namespace itself has a name_space without it.
  bool within_namespace = false;
  // What follows the subresource: "/proxy/a/b" has {"a", "b"}.
  std::vector<std::string> rest;
};

// kBadRequest for a path that cannot be meant well: broken escapes, bytes that are not UTF-8,
// control characters, `.` and `..` as a part, an escaped slash.
Result<RequestInfo> ReadRequestInfo(std::string_view method, std::string_view path,
                                    const QueryParameters& query);

// Whether a request may take longer than others: watches, and connections to containers.
bool IsLongRunning(const RequestInfo& info);

}  // namespace skiff::serving

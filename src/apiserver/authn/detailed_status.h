// A Status with what Status.details says besides the causes: which object it is about. For errors
// whose details differ from what the request's path tells.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff {

struct DetailedStatus {
  Status status;
  std::string group = {};
  std::string kind = {};  // of errors about requests the resource, of invalid objects the kind
  std::string name = {};
};

template <typename T>
using DetailedResult = std::expected<T, DetailedStatus>;

// `pods "p" is forbidden: why`; without a name, or without a resource, less.
DetailedStatus ForbiddenObject(std::string_view group, std::string_view resource,
                               std::string_view name, std::string_view why);
// `serviceaccounts "s" not found`
DetailedStatus NotFoundObject(std::string_view group, std::string_view resource,
                              std::string_view name);
// `TokenRequest.authentication.k8s.io "n" is invalid: cause`, of several causes `[cause, cause]`.
DetailedStatus InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                             std::vector<StatusCause> causes);
DetailedStatus BadRequestStatus(std::string message);

// Causes with their usual wording. `shown` is the value in the form of JSON.
StatusCause InvalidValue(std::string field, std::string_view shown, std::string_view detail);
StatusCause RequiredValue(std::string field, std::string_view detail);

}  // namespace skiff

// Errors that are about an object, told by its group, resource or kind, and name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::object {

// `pods "p" is forbidden: why`; without a name, or without a resource, less.
Status ForbiddenObject(std::string_view group, std::string_view resource, std::string_view name,
                       std::string_view why);
// `serviceaccounts "s" not found`
Status NotFoundObject(std::string_view group, std::string_view resource, std::string_view name);
// `Operation cannot be fulfilled on pods "p": why`
Status ConflictingObject(std::string_view group, std::string_view resource, std::string_view name,
                         std::string_view why);
// `TokenRequest.authentication.k8s.io "n" is invalid: cause`, of several causes `[cause, cause]`,
// and of more than an error holds `[cause, cause, ... and 7 more]`. `left_out` counts those that
// were found besides `causes`.
Status InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                     std::vector<StatusCause> causes, size_t left_out = 0);

// Causes with their usual wording. `shown` is the value in the form of JSON, of which a long one is
// cut.
StatusCause InvalidValue(std::string field, std::string_view shown, std::string_view detail);
StatusCause RequiredValue(std::string field, std::string_view detail);

}  // namespace skiff::object

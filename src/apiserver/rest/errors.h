// The errors that requests for resources end in, as Kubernetes words them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "base/status.h"
#include "object/json/json_text.h"
#include "object/resource.h"

namespace skiff::apiserver {

// 404 configmaps "a" not found.
Status NotFound(const object::ResourceDesc& resource, std::string_view name);
// 409 configmaps "a" already exists.
Status AlreadyExists(const object::ResourceDesc& resource, std::string_view name);
// 409 Operation cannot be fulfilled on configmaps "a": ...
Status Conflict(const object::ResourceDesc& resource, std::string_view name, std::string_view why);
// The same for a write that was based on a state that is no longer the newest.
Status ObjectChanged(const object::ResourceDesc& resource, std::string_view name);
// 403 configmaps "a" is forbidden: ...
Status Forbidden(const object::ResourceDesc& resource, std::string_view name, std::string_view why);
// 405.
Status MethodNotAllowed();
// 404 the server could not find the requested resource.
Status UnknownResource();

// One fault of a field. `reason` is a cause's: "FieldValueInvalid"; `message` begins with the name
// of that fault: "Invalid value: ...".
StatusCause InvalidField(std::string field, std::string_view value_json, std::string_view why);
StatusCause ForbiddenField(std::string field, std::string_view why);
StatusCause RequiredField(std::string field, std::string_view why);

// 422 ConfigMap "a" is invalid: ...; `group` is that of the kind.
Status Invalid(std::string_view kind, std::string_view group, std::string_view name,
               std::vector<StatusCause> causes);
Status Invalid(std::string_view kind, std::string_view group, std::string_view name,
               FieldErrors errors);
Status Invalid(const object::ResourceDesc& resource, std::string_view name,
               std::vector<StatusCause> causes);

}  // namespace skiff::apiserver

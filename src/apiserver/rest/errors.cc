#include "apiserver/rest/errors.h"

#include <utility>

#include "object/object_errors.h"

namespace skiff::apiserver {
namespace {

std::string_view GroupOf(const object::ResourceDesc& resource) {
  return resource.version->desc->group;
}

}  // namespace

Status NotFound(const object::ResourceDesc& resource, std::string_view name) {
  return object::NotFoundObject(GroupOf(resource), resource.name, name);
}

Status AlreadyExists(const object::ResourceDesc& resource, std::string_view name) {
  std::string message(resource.name);
  if (!GroupOf(resource).empty()) message += "." + std::string(GroupOf(resource));
  Status out(StatusReason::kAlreadyExists,
             message + " \"" + std::string(name) + "\" already exists");
  out.SetSubject(
      {std::string(name), std::string(GroupOf(resource)), std::string(resource.name), {}});
  return out;
}

Status Conflict(const object::ResourceDesc& resource, std::string_view name, std::string_view why) {
  return object::ConflictingObject(GroupOf(resource), resource.name, name, why);
}

Status ObjectChanged(const object::ResourceDesc& resource, std::string_view name) {
  return Conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status Forbidden(const object::ResourceDesc& resource, std::string_view name,
                 std::string_view why) {
  return object::ForbiddenObject(GroupOf(resource), resource.name, name, why);
}

Status MethodNotAllowed() {
  Status out(StatusReason::kMethodNotAllowed,
             "the server does not allow this method on the requested resource");
  out.SetSubject({});
  return out;
}

Status UnknownResource() {
  Status out(StatusReason::kNotFound, "the server could not find the requested resource");
  out.SetSubject({});
  return out;
}

StatusCause InvalidField(std::string field, std::string_view value_json, std::string_view why) {
  return object::InvalidValue(std::move(field), value_json, why);
}

StatusCause ForbiddenField(std::string field, std::string_view why) {
  return {"FieldValueForbidden", "Forbidden: " + std::string(why), std::move(field)};
}

StatusCause RequiredField(std::string field, std::string_view why) {
  return object::RequiredValue(std::move(field), why);
}

Status Invalid(std::string_view kind, std::string_view group, std::string_view name,
               std::vector<StatusCause> causes) {
  return object::InvalidObject(group, kind, name, std::move(causes));
}

Status Invalid(std::string_view kind, std::string_view group, std::string_view name,
               FieldErrors errors) {
  const size_t left_out = errors.left_out();
  return object::InvalidObject(group, kind, name, errors.Take(), left_out);
}

Status Invalid(const object::ResourceDesc& resource, std::string_view name,
               std::vector<StatusCause> causes) {
  return Invalid(resource.kind_name, resource.version->desc->group, name, std::move(causes));
}

}  // namespace skiff::apiserver

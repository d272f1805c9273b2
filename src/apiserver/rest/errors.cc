#include "apiserver/rest/errors.h"

#include <utility>

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff {
namespace {

// "configmaps", "deployments.apps".
std::string Qualified(const ResourceDesc& resource) {
  std::string out(resource.name);
  if (const std::string_view group = resource.version->desc->group; !group.empty()) {
    out += '.';
    out += group;
  }
  return out;
}

StatusSubject SubjectOf(const ResourceDesc& resource, std::string_view name) {
  return {std::string(name), std::string(resource.version->desc->group),
          std::string(resource.name), {}};
}

Status About(StatusReason reason, const ResourceDesc& resource, std::string_view name,
             std::string message) {
  Status out(reason, std::move(message));
  out.SetSubject(SubjectOf(resource, name));
  return out;
}

StatusCause Cause(std::string_view reason, std::string field, std::string message) {
  return {std::string(reason), std::move(message), std::move(field)};
}

}  // namespace

Status NotFound(const ResourceDesc& resource, std::string_view name) {
  return About(StatusReason::kNotFound, resource, name,
               Qualified(resource) + " \"" + std::string(name) + "\" not found");
}

Status AlreadyExists(const ResourceDesc& resource, std::string_view name) {
  return About(StatusReason::kAlreadyExists, resource, name,
               Qualified(resource) + " \"" + std::string(name) + "\" already exists");
}

Status Conflict(const ResourceDesc& resource, std::string_view name, std::string_view why) {
  return About(StatusReason::kConflict, resource, name,
               "Operation cannot be fulfilled on " + Qualified(resource) + " \"" +
                   std::string(name) + "\": " + std::string(why));
}

Status ObjectChanged(const ResourceDesc& resource, std::string_view name) {
  return Conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status Forbidden(const ResourceDesc& resource, std::string_view name, std::string_view why) {
  std::string message = Qualified(resource) + " ";
  if (!name.empty()) message += "\"" + std::string(name) + "\" ";
  return About(StatusReason::kForbidden, resource, name,
               message + "is forbidden: " + std::string(why));
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
  return Cause("FieldValueInvalid", std::move(field),
               "Invalid value: " + std::string(value_json) + ": " + std::string(why));
}

StatusCause ForbiddenField(std::string field, std::string_view why) {
  return Cause("FieldValueForbidden", std::move(field), "Forbidden: " + std::string(why));
}

StatusCause RequiredField(std::string field, std::string_view why) {
  std::string message = "Required value";
  if (!why.empty()) message += ": " + std::string(why);
  return Cause("FieldValueRequired", std::move(field), std::move(message));
}

Status Invalid(std::string_view kind, std::string_view group, std::string_view name,
               std::vector<StatusCause> causes) {
  std::string qualified(kind);
  if (!group.empty()) qualified += "." + std::string(group);
  std::string message = qualified + " \"" + std::string(name) + "\" is invalid: ";
  if (causes.size() > 1) message += '[';
  for (const StatusCause& cause : causes) {
    if (&cause != &causes.front()) message += ", ";
    message += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) message += ']';
  Status out(StatusReason::kInvalid, std::move(message));
  out.SetSubject({std::string(name), std::string(group), std::string(kind), {}});
  for (StatusCause& cause : causes) out.AddCause(std::move(cause));
  return out;
}

Status Invalid(const ResourceDesc& resource, std::string_view name,
               std::vector<StatusCause> causes) {
  return Invalid(resource.kind_name, resource.version->desc->group, name, std::move(causes));
}

std::string JsonText(std::string_view text) {
  ByteBuffer out;
  AppendJsonString(out, text);
  return out.ToString();
}

}  // namespace skiff

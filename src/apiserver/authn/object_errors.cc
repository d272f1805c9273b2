#include "apiserver/authn/object_errors.h"

#include <algorithm>
#include <utility>

namespace skiff {
namespace {

std::string Qualified(std::string_view group, std::string_view resource) {
  std::string out(resource);
  if (!group.empty()) out.append(".").append(group);
  return out;
}

std::string InQuotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

Status About(StatusReason reason, std::string_view group, std::string_view kind,
             std::string_view name, std::string message) {
  Status out(reason, std::move(message));
  out.SetSubject({std::string(name), std::string(group), std::string(kind), {}});
  return out;
}

}  // namespace

Status ForbiddenObject(std::string_view group, std::string_view resource, std::string_view name,
                       std::string_view why) {
  std::string message;
  if (!resource.empty()) {
    message = Qualified(group, resource) + " ";
    if (!name.empty()) message += InQuotes(name) + " ";
    message += "is ";
  }
  message += "forbidden: ";
  message += why;
  return About(StatusReason::kForbidden, group, resource, name, std::move(message));
}

Status NotFoundObject(std::string_view group, std::string_view resource, std::string_view name) {
  return About(StatusReason::kNotFound, group, resource, name,
               Qualified(group, resource) + " " + InQuotes(name) + " not found");
}

Status ConflictingObject(std::string_view group, std::string_view resource, std::string_view name,
                         std::string_view why) {
  return About(StatusReason::kConflict, group, resource, name,
               "Operation cannot be fulfilled on " + Qualified(group, resource) + " " +
                   InQuotes(name) + ": " + std::string(why));
}

Status InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                     std::vector<StatusCause> causes) {
  // A fault that is found twice is told once.
  std::vector<std::string> told;
  for (const StatusCause& cause : causes) {
    std::string text = cause.field + ": " + cause.message;
    if (std::ranges::find(told, text) == told.end()) told.push_back(std::move(text));
  }
  std::string list;
  for (const std::string& text : told) {
    if (!list.empty()) list += ", ";
    list += text;
  }
  if (told.size() > 1) list = "[" + list + "]";
  Status status = About(StatusReason::kInvalid, group, kind, name,
                        Qualified(group, kind) + " " + InQuotes(name) + " is invalid: " + list);
  for (StatusCause& cause : causes) status.AddCause(std::move(cause));
  return status;
}

StatusCause InvalidValue(std::string field, std::string_view shown, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = "Invalid value: " + std::string(shown) + ": " + std::string(detail),
          .field = std::move(field)};
}

StatusCause RequiredValue(std::string field, std::string_view detail) {
  std::string message = "Required value";
  if (!detail.empty()) message.append(": ").append(detail);
  return {.reason = "FieldValueRequired", .message = std::move(message), .field = std::move(field)};
}

}  // namespace skiff

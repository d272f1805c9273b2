#include "apiserver/authn/detailed_status.h"

namespace skiff {
namespace {

std::string Qualified(std::string_view group, std::string_view resource) {
  std::string out(resource);
  if (!group.empty()) out.append(".").append(group);
  return out;
}

std::string InQuotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

DetailedStatus ForbiddenObject(std::string_view group, std::string_view resource,
                               std::string_view name, std::string_view why) {
  std::string message;
  if (!resource.empty()) {
    message = Qualified(group, resource) + " ";
    if (!name.empty()) message += InQuotes(name) + " ";
    message += "is ";
  }
  message += "forbidden: ";
  message += why;
  return {Status(StatusReason::kForbidden, std::move(message)), std::string(group),
          std::string(resource), std::string(name)};
}

DetailedStatus NotFoundObject(std::string_view group, std::string_view resource,
                              std::string_view name) {
  return {Status(StatusReason::kNotFound,
                 Qualified(group, resource) + " " + InQuotes(name) + " not found"),
          std::string(group), std::string(resource), std::string(name)};
}

DetailedStatus InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                             std::vector<StatusCause> causes) {
  std::string list;
  for (const StatusCause& cause : causes) {
    if (!list.empty()) list += ", ";
    list += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) list = "[" + list + "]";
  Status status(StatusReason::kInvalid,
                Qualified(group, kind) + " " + InQuotes(name) + " is invalid: " + list);
  for (StatusCause& cause : causes) status.AddCause(std::move(cause));
  return {std::move(status), std::string(group), std::string(kind), std::string(name)};
}

DetailedStatus BadRequestStatus(std::string message) {
  return {Status(StatusReason::kBadRequest, std::move(message))};
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

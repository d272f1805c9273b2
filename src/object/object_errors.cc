#include "object/object_errors.h"

#include <set>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::object {
namespace {

// What a message has room for beside whom it is about and how many causes there are.
constexpr size_t kMaxListBytes =
    limits::kMaxStatusMessageBytes - 2 * limits::kMaxCauseFieldBytes - 1024;

std::string Qualified(std::string_view group, std::string_view resource) {
  std::string out(resource);
  if (!group.empty()) out.append(".").append(group);
  return out;
}

std::string ShownName(std::string_view name) {
  return InQuotes(CutCopy(name, limits::kMaxCauseFieldBytes));
}

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
    if (!name.empty()) message += ShownName(name) + " ";
    message += "is ";
  }
  message += "forbidden: ";
  message += why;
  return About(StatusReason::kForbidden, group, resource, name, std::move(message));
}

Status NotFoundObject(std::string_view group, std::string_view resource, std::string_view name) {
  return About(StatusReason::kNotFound, group, resource, name,
               Qualified(group, resource) + " " + ShownName(name) + " not found");
}

Status ConflictingObject(std::string_view group, std::string_view resource, std::string_view name,
                         std::string_view why) {
  return About(StatusReason::kConflict, group, resource, name,
               "Operation cannot be fulfilled on " + Qualified(group, resource) + " " +
                   ShownName(name) + ": " + std::string(why));
}

Status InvalidObject(std::string_view group, std::string_view kind, std::string_view name,
                     std::vector<StatusCause> causes, size_t left_out) {
  Status status = About(StatusReason::kInvalid, group, kind, name, "");
  // A fault that is found twice is told once.
  std::set<std::string> told;
  std::string list;
  size_t bytes = 0;
  for (StatusCause& cause : causes) {
    bytes += cause.message.size() + cause.field.size();
    if (status.causes().size() == limits::kMaxStatusCauses ||
        (bytes > limits::kMaxStatusCauseBytes && !told.empty())) {
      ++left_out;
      continue;
    }
    status.AddCause(std::move(cause));
    const StatusCause& kept = status.causes().back();
    std::string text = kept.field + ": " + kept.message;
    if (told.contains(text)) continue;
    if (!list.empty()) list += ", ";
    list += text;
    told.insert(std::move(text));
  }
  CutText(list, kMaxListBytes);
  if (left_out != 0) list += ", ... and " + std::to_string(left_out) + " more";
  if (told.size() > 1 || left_out != 0) list = "[" + list + "]";
  status.SetMessage(Qualified(group, kind) + " " + ShownName(name) + " is invalid: " + list);
  return status;
}

StatusCause InvalidValue(std::string field, std::string_view shown, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = "Invalid value: " + CutCopy(shown, limits::kMaxCauseValueBytes) + ": " +
                     std::string(detail),
          .field = std::move(field)};
}

StatusCause RequiredValue(std::string field, std::string_view detail) {
  std::string message = "Required value";
  if (!detail.empty()) message.append(": ").append(detail);
  return {.reason = "FieldValueRequired", .message = std::move(message), .field = std::move(field)};
}

}  // namespace skiff::object

#include "base/foreign_status.h"

#include <charconv>

namespace skiff {
namespace {

constexpr std::string_view kMark = "skiff/foreign";

const StatusCause* FindMark(const Status& status) {
  for (const StatusCause& cause : status.causes()) {
    if (IsForeignMark(cause)) return &cause;
  }
  return nullptr;
}

}  // namespace

bool IsForeignMark(const StatusCause& cause) { return cause.reason == kMark; }

void SetForeign(Status& status, int code, std::string_view reason) {
  // Anew, since causes are only ever added.
  Status marked(status.reason(), status.message());
  marked.AddCause({std::string(kMark), std::string(reason), std::to_string(code)});
  for (const StatusCause& cause : status.causes()) {
    if (!IsForeignMark(cause)) marked.AddCause(cause);
  }
  if (status.subject() != nullptr) marked.SetSubject(*status.subject());
  marked.SetRetryAfterSeconds(status.retry_after_seconds());
  status = std::move(marked);
}

int ShownCode(const Status& status) {
  const StatusCause* mark = FindMark(status);
  if (mark == nullptr) return status.code();
  int code = 0;
  std::from_chars(mark->field.data(), mark->field.data() + mark->field.size(), code);
  return code;
}

std::string_view ShownReason(const Status& status) {
  const StatusCause* mark = FindMark(status);
  if (mark != nullptr) return mark->message;
  return status.reason() == StatusReason::kUnknown ? std::string_view()
                                                   : StatusReasonName(status.reason());
}

}  // namespace skiff

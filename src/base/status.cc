#include "base/status.h"

#include <utility>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff {
namespace {

struct ReasonInfo {
  std::string_view name;
  int code;
};

// Indexed by StatusReason.
constexpr ReasonInfo kReasons[] = {
    {"", 500},
    {"BadRequest", 400},
    {"Unauthorized", 401},
    {"Forbidden", 403},
    {"NotFound", 404},
    {"AlreadyExists", 409},
    {"Conflict", 409},
    {"Gone", 410},
    {"Expired", 410},
    {"Invalid", 422},
    {"RequestEntityTooLarge", 413},
    {"UnsupportedMediaType", 415},
    {"NotAcceptable", 406},
    {"MethodNotAllowed", 405},
    {"ServerTimeout", 500},
    {"Timeout", 504},
    {"TooManyRequests", 429},
    {"ServiceUnavailable", 503},
    {"StorageReadError", 500},
    {"InternalError", 500},
};
static_assert(std::size(kReasons) == static_cast<size_t>(StatusReason::kInternalError) + 1);

}  // namespace

std::string_view StatusReasonName(StatusReason reason) {
  return kReasons[static_cast<size_t>(reason)].name;
}

int StatusReasonCode(StatusReason reason) { return kReasons[static_cast<size_t>(reason)].code; }

Status::Status(StatusReason reason, std::string message)
    : rep_(std::make_unique<Rep>(Rep{reason, std::move(message), {}, {}, 0, {}, {}})) {
  CutText(rep_->message, limits::kMaxStatusMessageBytes);
}

Status::Status(const Status& other) : rep_(std::make_unique<Rep>(*other.rep_)) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = std::make_unique<Rep>(*other.rep_);
  return *this;
}

std::string_view Status::field() const {
  return rep_->causes.empty() ? std::string_view() : rep_->causes.front().field;
}

Status& Status::AddCause(StatusCause cause) {
  if (rep_->causes.size() >= limits::kMaxStatusCauses) return *this;
  CutText(cause.message, limits::kMaxCauseMessageBytes);
  CutText(cause.field, limits::kMaxCauseFieldBytes);
  rep_->causes.push_back(std::move(cause));
  return *this;
}

Status& Status::SetPosition(TextPosition position) {
  rep_->position = position;
  return *this;
}

Status& Status::SetMessage(std::string message) {
  rep_->message = std::move(message);
  CutText(rep_->message, limits::kMaxStatusMessageBytes);
  return *this;
}

Status& Status::SetRetryAfterSeconds(int seconds) {
  rep_->retry_after_seconds = seconds;
  return *this;
}

Status& Status::SetContinueToken(std::string token) {
  rep_->continue_token = std::move(token);
  return *this;
}

Status& Status::SetSubject(StatusSubject subject) {
  for (std::string* text : {&subject.name, &subject.group, &subject.kind, &subject.uid}) {
    CutText(*text, limits::kMaxCauseFieldBytes);
  }
  rep_->subject = std::make_shared<const StatusSubject>(std::move(subject));
  return *this;
}

std::string Status::ToString() const {
  std::string out;
  if (rep_->position.line != 0) {
    out += "line " + std::to_string(rep_->position.line) + ", column " +
           std::to_string(rep_->position.column) + ": ";
  }
  if (!field().empty()) {
    out += field();
    out += ": ";
  }
  out += rep_->message;
  return out;
}

std::unexpected<Status> BadField(std::string path, std::string message) {
  Status status(StatusReason::kBadRequest, message);
  status.AddCause(
      {.reason = "FieldValueInvalid", .message = std::move(message), .field = std::move(path)});
  return std::unexpected(std::move(status));
}

}  // namespace skiff

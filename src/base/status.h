// The one error type of Skiff: Kubernetes' Status.
//
// A function that can be expected to fail returns Result<T>; the Status it carries is the very
// error a client would see (reason, HTTP code, message, causes), so nothing is translated on the
// way up. Status is one pointer wide, and building one is the slow path by design.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skiff {

// The reasons that some caller reacts to. Names on the wire come from StatusReasonName().
enum class StatusReason : uint8_t {
  kUnknown,
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kInvalid,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kNotAcceptable,
  kMethodNotAllowed,
  kServerTimeout,
  kTimeout,
  kTooManyRequests,
  kServiceUnavailable,
  kStoreReadError,
  kInternalError,
};

std::string_view StatusReasonName(StatusReason reason);
int StatusReasonCode(StatusReason reason);

// Where in a text an error stands. Lines and columns count from 1; columns count bytes.
// line == 0 means that the position is not known (binary input, or an error of no one place).
struct TextPosition {
  uint32_t line = 0;
  uint32_t column = 0;
};

// One entry of Status.details.causes.
struct StatusCause {
  std::string reason;   // such as FieldValueInvalid
  std::string message;  // for people
  std::string field;    // path such as spec.containers[0].image
};

// What an error is about: Status.details without its causes. `kind` is the plural of a resource
// ("configmaps"), or the kind where the content of an object is at fault ("ConfigMap").
struct StatusSubject {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
};

// An error is never much longer than limits::kMaxStatus… allow, whatever it is about: texts that
// are longer are cut and say so, and causes beyond the bound are not kept. Who adds more of them
// than that says in the message how many there are.
class Status {
 public:
  Status(StatusReason reason, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  StatusReason reason() const { return rep_->reason; }
  int code() const { return StatusReasonCode(rep_->reason); }
  const std::string& message() const { return rep_->message; }
  const std::vector<StatusCause>& causes() const { return rep_->causes; }
  // The field path of the first cause; empty when the error belongs to no field.
  std::string_view field() const;
  TextPosition position() const { return rep_->position; }
  // When trying again may help; zero: nothing is known.
  int retry_after_seconds() const { return rep_->retry_after_seconds; }
  // metadata.continue: how to go on with a list that has become too old; mostly empty.
  const std::string& continue_token() const { return rep_->continue_token; }
  // Null when the error is about nothing in particular. One with empty fields shows as details that
  // are there but empty, which some answers of Kubernetes have.
  const StatusSubject* subject() const { return rep_->subject.get(); }

  Status& AddCause(StatusCause cause);
  Status& SetPosition(TextPosition position);
  Status& SetMessage(std::string message);
  Status& SetRetryAfterSeconds(int seconds);
  Status& SetContinueToken(std::string token);
  Status& SetSubject(StatusSubject subject);

  // "line 3, column 7: spec.replicas: expected an integer": what a log line or a terminal shows.
  std::string ToString() const;

 private:
  struct Rep {
    StatusReason reason;
    std::string message;
    std::vector<StatusCause> causes;
    TextPosition position;
    int retry_after_seconds = 0;
    std::string continue_token;
    std::shared_ptr<const StatusSubject> subject;
  };
  std::unique_ptr<Rep> rep_;
};

template <typename T>
using Result = std::expected<T, Status>;

inline std::unexpected<Status> Fail(StatusReason reason, std::string message) {
  return std::unexpected<Status>(Status(reason, std::move(message)));
}
inline std::unexpected<Status> BadRequest(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}
// A bad request whose fault is one field.
std::unexpected<Status> BadField(std::string path, std::string message);

}  // namespace skiff

// Returns the error of a Result from the enclosing function.
#define SKIFF_RETURN_IF_ERROR(expr)                               \
  do {                                                            \
    if (auto skiff_result_ = (expr); !skiff_result_) [[unlikely]] \
      return std::unexpected(std::move(skiff_result_).error());   \
  } while (false)

#define SKIFF_CONCAT_INNER(a, b) a##b
#define SKIFF_CONCAT(a, b) SKIFF_CONCAT_INNER(a, b)

// SKIFF_ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the function returns F()'s error.
#define SKIFF_ASSIGN_OR_RETURN(lhs, expr)                                             \
  auto SKIFF_CONCAT(skiff_result_, __LINE__) = (expr);                                \
  if (!SKIFF_CONCAT(skiff_result_, __LINE__)) [[unlikely]]                            \
    return std::unexpected(std::move(SKIFF_CONCAT(skiff_result_, __LINE__)).error()); \
  lhs = std::move(*SKIFF_CONCAT(skiff_result_, __LINE__))

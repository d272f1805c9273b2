#include "apiserver/validation/field_errors.h"

#include <utility>

#include "apiserver/validation/internal_form.h"
#include "base/go_quoted.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

// Room for the words that say where a text was cut.
constexpr size_t kMarkBytes = 64;

std::string ShownText(std::string_view text) {
  if (text.size() <= limits::kMaxCauseValueBytes) return GoQuoted(text);
  return GoQuoted(CutCopy(text, limits::kMaxCauseValueBytes - kMarkBytes));
}

}  // namespace

ShownValue::ShownValue(std::string_view text) : json_(ShownText(text)) {}
ShownValue::ShownValue(int64_t number) : json_(std::to_string(number)) {}
ShownValue::ShownValue(const object::Value* value) {
  if (value == nullptr) {
    json_ = "null";
  } else {
    *this = ShownValue(*value);
  }
}

std::string ShownValue::json() const {
  if (!is_value_) return json_;
  std::string out = InternalForm(value_, limits::kMaxCauseValueBytes + 1);
  CutText(out, limits::kMaxCauseValueBytes);
  return out;
}

FieldErrors::Scope FieldErrors::At(std::string_view name) {
  place_.push_back({name});
  return Scope(*this);
}

FieldErrors::Scope FieldErrors::At(std::string_view name, size_t index) {
  place_.push_back({name, static_cast<int64_t>(index)});
  return Scope(*this);
}

FieldErrors::Scope FieldErrors::AtKey(std::string_view name, std::string_view key) {
  place_.push_back({name, Step::kNoIndex, key, true});
  return Scope(*this);
}

std::string FieldErrors::PathOf(std::string_view field) const {
  std::string out;
  const auto add_name = [&out](std::string_view name) {
    if (!out.empty() && !name.empty() && name.front() != '[') out += '.';
    out += name;
  };
  for (const Step& step : place_) {
    add_name(step.name);
    if (step.index != Step::kNoIndex) out += '[' + std::to_string(step.index) + ']';
    if (step.has_key) (out += '[') += CutCopy(step.key, limits::kMaxCauseFieldBytes) + ']';
  }
  add_name(field);
  CutText(out, limits::kMaxCauseFieldBytes);
  return out;
}

bool FieldErrors::full() const {
  return causes_.size() >= limits::kMaxStatusCauses || bytes_ >= limits::kMaxStatusCauseBytes;
}

bool FieldErrors::TakesAnother() {
  if (full()) ++left_out_;
  return !full();
}

void FieldErrors::Keep(StatusCause cause) {
  CutText(cause.message, limits::kMaxCauseMessageBytes);
  bytes_ += cause.message.size() + cause.field.size();
  causes_.push_back(std::move(cause));
}

void FieldErrors::Add(std::string_view reason, std::string_view field, std::string message) {
  Keep({std::string(reason), std::move(message), PathOf(field)});
}

void FieldErrors::Append(FieldErrors others) {
  left_out_ += others.left_out_;
  Append(others.Take());
}

void FieldErrors::Append(std::vector<StatusCause> causes) {
  for (StatusCause& cause : causes) {
    if (TakesAnother()) Keep(std::move(cause));
  }
}

void FieldErrors::Required(std::string_view field, std::string_view why) {
  if (!TakesAnother()) return;
  std::string message = "Required value";
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueRequired", field, std::move(message));
}

void FieldErrors::Invalid(std::string_view field, const ShownValue& value, std::string_view why) {
  if (!TakesAnother()) return;
  std::string message = "Invalid value";
  if (const std::string shown = value.json(); !shown.empty()) (message += ": ") += shown;
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueInvalid", field, std::move(message));
}

void FieldErrors::Invalid(std::string_view field, const ShownValue& value,
                          const object::NameProblems& problems) {
  for (const std::string& problem : problems) Invalid(field, value, problem);
}

void FieldErrors::NotSupported(std::string_view field, const ShownValue& value,
                               std::span<const std::string_view> supported) {
  if (!TakesAnother()) return;
  std::string message = "Unsupported value: " + value.json();
  for (size_t i = 0; i < supported.size(); ++i) {
    message += i == 0 ? ": supported values: " : ", ";
    message += GoQuoted(supported[i]);
  }
  Add("FieldValueNotSupported", field, std::move(message));
}

void FieldErrors::Forbidden(std::string_view field, std::string_view why) {
  if (!TakesAnother()) return;
  Add("FieldValueForbidden", field, "Forbidden: " + std::string(why));
}

void FieldErrors::ForbiddenAltogether(std::string_view why) {
  if (TakesAnother()) Keep({"FieldValueForbidden", "Forbidden: " + std::string(why), "[]"});
}

void FieldErrors::Duplicate(std::string_view field, const ShownValue& value) {
  if (!TakesAnother()) return;
  Add("FieldValueDuplicate", field, "Duplicate value: " + value.json());
}

void FieldErrors::Duplicate(std::string_view field, const ShownValue& value, std::string_view why) {
  if (!TakesAnother()) return;
  Add("FieldValueDuplicate", field, "Duplicate value: " + value.json() + ": " + std::string(why));
}

void FieldErrors::NotFound(std::string_view field, const ShownValue& value, std::string_view why) {
  if (!TakesAnother()) return;
  std::string message = "Not found: " + value.json();
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueNotFound", field, std::move(message));
}

void FieldErrors::TooLong(std::string_view field, size_t max_bytes) {
  if (!TakesAnother()) return;
  Add("FieldValueTooLong", field,
      "Too long: may not be more than " + std::to_string(max_bytes) +
          (max_bytes == 1 ? " byte" : " bytes"));
}

void FieldErrors::TooMany(std::string_view field, size_t count, size_t max_count) {
  if (!TakesAnother()) return;
  Add("FieldValueTooMany", field,
      "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(max_count) +
          (max_count == 1 ? " item" : " items"));
}

void FieldErrors::TypeInvalid(std::string_view field, const ShownValue& value,
                              std::string_view why) {
  if (!TakesAnother()) return;
  Add("FieldValueTypeInvalid", field, "Invalid value: " + value.json() + ": " + std::string(why));
}

void FieldErrors::Internal(std::string_view field, std::string_view why) {
  if (!TakesAnother()) return;
  Add("InternalError", field, "Internal error: " + std::string(why));
}

}  // namespace skiff::apiserver

#include "apiserver/validation/field_errors.h"

#include <utility>

#include "apiserver/validation/internal_form.h"
#include "base/limits.h"
#include "object/json/text.h"

namespace skiff {
namespace {

// As Go quotes text, which escapes less than JSON.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const unsigned char c = static_cast<unsigned char>(*at);
    const size_t length = Utf8SequenceLength(at, end);
    constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\"\\";
    if (const size_t named = kNamed.find(*at); named != kNamed.npos) {
      (out += '\\') += "abfnrtv\"\\"[named];
      ++at;
    } else if (length > 1 || (c >= 0x20 && c < 0x7f)) {
      out.append(at, length);
      at += length;
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      ((out += "\\x") += kHex[c >> 4]) += kHex[c & 15];
      ++at;
    }
  }
  return out + '"';
}

}  // namespace

ShownValue::ShownValue(std::string_view text) : json_(Quoted(text)) {}
ShownValue::ShownValue(int64_t number) : json_(std::to_string(number)) {}
ShownValue::ShownValue(const Value& value) : json_(InternalForm(value)) {}
ShownValue::ShownValue(const Value* value)
    : json_(value != nullptr ? InternalForm(*value) : "null") {}

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
    if (step.has_key) (out += '[') += std::string(step.key) + ']';
  }
  add_name(field);
  return out;
}

void FieldErrors::Add(std::string_view reason, std::string_view field, std::string message) {
  if (causes_.size() >= limits::kMaxFieldIssues) return;
  causes_.push_back({std::string(reason), std::move(message), PathOf(field)});
}

void FieldErrors::Required(std::string_view field, std::string_view why) {
  std::string message = "Required value";
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueRequired", field, std::move(message));
}

void FieldErrors::Invalid(std::string_view field, const ShownValue& value, std::string_view why) {
  std::string message = "Invalid value";
  if (!value.json().empty()) (message += ": ") += value.json();
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueInvalid", field, std::move(message));
}

void FieldErrors::Invalid(std::string_view field, const ShownValue& value,
                          const NameProblems& problems) {
  for (const std::string& problem : problems) Invalid(field, value, problem);
}

void FieldErrors::NotSupported(std::string_view field, const ShownValue& value,
                               std::span<const std::string_view> supported) {
  std::string message = "Unsupported value: " + value.json();
  for (size_t i = 0; i < supported.size(); ++i) {
    message += i == 0 ? ": supported values: " : ", ";
    message += Quoted(supported[i]);
  }
  Add("FieldValueNotSupported", field, std::move(message));
}

void FieldErrors::Forbidden(std::string_view field, std::string_view why) {
  Add("FieldValueForbidden", field, "Forbidden: " + std::string(why));
}

void FieldErrors::ForbiddenAltogether(std::string_view why) {
  if (causes_.size() >= limits::kMaxFieldIssues) return;
  causes_.push_back({"FieldValueForbidden", "Forbidden: " + std::string(why), "[]"});
}

void FieldErrors::Duplicate(std::string_view field, const ShownValue& value) {
  Add("FieldValueDuplicate", field, "Duplicate value: " + value.json());
}

void FieldErrors::Duplicate(std::string_view field, const ShownValue& value, std::string_view why) {
  Add("FieldValueDuplicate", field, "Duplicate value: " + value.json() + ": " + std::string(why));
}

void FieldErrors::NotFound(std::string_view field, const ShownValue& value, std::string_view why) {
  std::string message = "Not found: " + value.json();
  if (!why.empty()) (message += ": ") += why;
  Add("FieldValueNotFound", field, std::move(message));
}

void FieldErrors::TooLong(std::string_view field, size_t max_bytes) {
  Add("FieldValueTooLong", field,
      "Too long: may not be more than " + std::to_string(max_bytes) + " bytes");
}

void FieldErrors::TooMany(std::string_view field, size_t count, size_t max_count) {
  Add("FieldValueTooMany", field,
      "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(max_count) +
          " items");
}

void FieldErrors::TypeInvalid(std::string_view field, const ShownValue& value,
                              std::string_view why) {
  Add("FieldValueTypeInvalid", field, "Invalid value: " + value.json() + ": " + std::string(why));
}

void FieldErrors::Internal(std::string_view field, std::string_view why) {
  Add("InternalError", field, "Internal error: " + std::string(why));
}

}  // namespace skiff

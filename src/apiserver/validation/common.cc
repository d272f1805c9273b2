#include "apiserver/validation/common.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "apiserver/validation/seen_names.h"
#include "base/limits.h"

namespace skiff::apiserver {

namespace meta = views::meta_v1;

void ValidateFormat(const NameFormat& format, std::string_view text, std::string_view field,
                    FieldErrors& errors) {
  if (!format.is(text)) errors.Invalid(field, text, format.check(text));
}

void ValidateRequiredFormat(const NameFormat& format, std::string_view text, std::string_view field,
                            FieldErrors& errors) {
  if (text.empty()) return errors.Required(field);
  ValidateFormat(format, text, field, errors);
}

void ValidateRequired(std::string_view text, std::string_view field, FieldErrors& errors) {
  if (text.empty()) errors.Required(field);
}

void ValidateOneOf(std::string_view text, std::initializer_list<std::string_view> supported,
                   std::string_view field, FieldErrors& errors) {
  if (std::ranges::find(supported, text) == supported.end()) {
    errors.NotSupported(field, text, supported);
  }
}

void ValidateLabels(const object::MapView<std::string_view>& labels, std::string_view field,
                    FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    ValidateFormat(kQualifiedNameFormat, key, field, errors);
    ValidateFormat(kLabelValueFormat, value, field, errors);
  }
}

void ValidateAnnotations(const object::MapView<std::string_view>& annotations,
                         std::string_view field, FieldErrors& errors) {
  constexpr NameFormat kKey{object::IsAnnotationKey, object::CheckAnnotationKey};
  size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    ValidateFormat(kKey, key, field, errors);
    bytes += key.size() + value.size();
  }
  if (bytes > limits::kMaxAnnotationBytes) errors.TooLong(field, limits::kMaxAnnotationBytes);
}

namespace {

void ValidateRequirement(const meta::LabelSelectorRequirement& requirement,
                         const LabelSelectorOptions& options, FieldErrors& errors) {
  const std::string_view op = requirement.operator_();
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.Required("values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.Forbidden("values",
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (!options.allow_unknown_operators) {
    errors.Invalid("operator", op, "not a valid selector operator");
  }
  ValidateFormat(kQualifiedNameFormat, requirement.key(), "key", errors);
  if (options.allow_invalid_values) return;
  const auto values = requirement.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (object::IsLabelValue(values[i])) continue;
    const auto at = errors.At("values", i);
    ValidateFormat(kLabelValueFormat, values[i], "", errors);
  }
}

}  // namespace

void ValidateLabelSelector(const meta::LabelSelector& selector, const LabelSelectorOptions& options,
                           FieldErrors& errors) {
  ValidateLabels(selector.match_labels(), "matchLabels", errors);
  const auto expressions = selector.match_expressions();
  for (size_t i = 0; i < expressions.size(); ++i) {
    const auto at = errors.At("matchExpressions", i);
    ValidateRequirement(expressions[i], options, errors);
  }
}

bool HasInvalidLabelValue(const meta::LabelSelector& selector) {
  for (const meta::LabelSelectorRequirement requirement : selector.match_expressions()) {
    for (const std::string_view value : requirement.values()) {
      if (!object::IsLabelValue(value)) return true;
    }
  }
  return false;
}

void ValidateNonEmptySelector(const object::MapView<std::string_view>& selector,
                              std::string_view field, FieldErrors& errors) {
  if (selector.empty()) errors.Required(field);
}

void ValidateNonNegative(int64_t number, std::string_view field, FieldErrors& errors) {
  if (number < 0) errors.Invalid(field, number, kIsNegative);
}

void ValidatePositive(int64_t number, std::string_view field, FieldErrors& errors) {
  if (number <= 0) errors.Invalid(field, number, kIsNotPositive);
}

void ValidateInRange(int64_t number, int64_t min, int64_t max, std::string_view field,
                     FieldErrors& errors) {
  if (number >= min && number <= max) return;
  errors.Invalid(
      field, number,
      "must be between " + std::to_string(min) + " and " + std::to_string(max) + ", inclusive");
}

void ValidatePortNumber(int64_t port, std::string_view field, FieldErrors& errors) {
  constexpr int64_t kLastPort = 65535;
  ValidateInRange(port, 1, kLastPort, field, errors);
}

object::Quantity ParsedQuantity(std::string_view text) {
  Result<object::Quantity> parsed = object::Quantity::Parse(text);
  return parsed ? std::move(*parsed) : object::Quantity();
}

void ValidateNonNegativeQuantity(std::string_view quantity, std::string_view field,
                                 FieldErrors& errors) {
  // Only a sign makes an amount negative.
  if (!quantity.starts_with('-')) return;
  if (ParsedQuantity(quantity).Sign() < 0) errors.Invalid(field, quantity, kIsNegative);
}

void ValidatePositiveQuantity(std::string_view quantity, std::string_view field,
                              FieldErrors& errors) {
  if (ParsedQuantity(quantity).Sign() <= 0) errors.Invalid(field, quantity, kIsNotPositive);
}

void ValidateIntOrPercent(const object::IntOrStringValue& value, std::string_view field,
                          FieldErrors& errors) {
  constexpr NameFormat kPercent{object::IsPercent, object::CheckPercent};
  if (value.is_string) return ValidateFormat(kPercent, value.text, field, errors);
  ValidateNonNegative(value.number, field, errors);
}

std::optional<int64_t> PercentOf(const object::IntOrStringValue& value) {
  if (!value.is_string || !object::IsPercent(value.text)) return std::nullopt;
  int64_t number = 0;
  const char* end = value.text.data() + value.text.size() - 1;
  const auto read = std::from_chars(value.text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

void ValidateNotMoreThan100Percent(const object::IntOrStringValue& value, std::string_view field,
                                   FieldErrors& errors) {
  const std::optional<int64_t> percent = PercentOf(value);
  if (percent && *percent > 100) {
    errors.Invalid(field, value.text, "must not be greater than 100%");
  }
}

namespace {

bool IsConditionReason(std::string_view reason) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_end = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (reason.empty() || !is_letter(reason.front()) || !is_end(reason.back())) return false;
  return std::ranges::all_of(reason, [&](char c) { return is_end(c) || c == ',' || c == ':'; });
}

void ValidateCondition(const meta::Condition& condition, FieldErrors& errors) {
  constexpr size_t kMaxReasonBytes = 1024;
  constexpr size_t kMaxMessageBytes = 32768;
  ValidateFormat(kQualifiedNameFormat, condition.type(), "type", errors);
  ValidateOneOf(condition.status(), {"False", "True", "Unknown"}, "status", errors);
  if (condition.observed_generation() < 0) {
    errors.Invalid("observedGeneration", condition.observed_generation(),
                   "must be greater than or equal to zero");
  }
  if (condition.last_transition_time() == object::kZeroTimestamp)
    errors.Required("lastTransitionTime");
  if (condition.reason().empty()) {
    errors.Required("reason");
  } else {
    if (!IsConditionReason(condition.reason())) {
      errors.Invalid("reason", condition.reason(),
                     "a condition reason must start with alphabetic character, optionally "
                     "followed by a string of alphanumeric characters or '_,:', and must end with "
                     "an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
                     "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for "
                     "validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
    }
    if (condition.reason().size() > kMaxReasonBytes) errors.TooLong("reason", kMaxReasonBytes);
  }
  if (condition.message().size() > kMaxMessageBytes) errors.TooLong("message", kMaxMessageBytes);
}

}  // namespace

void ValidateConditions(const object::ListView<meta::Condition>& conditions, std::string_view field,
                        FieldErrors& errors) {
  SeenNames types;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto at = errors.At(field, i);
    if (!types.Add(conditions[i].type())) errors.Duplicate("type", conditions[i].type());
    ValidateCondition(conditions[i], errors);
  }
}

bool SameValue(const object::Value* a, const object::Value* b) {
  static constexpr object::Value kAbsent{};
  if (a == b) return true;
  return object::DeepEqual(a != nullptr ? *a : kAbsent, b != nullptr ? *b : kAbsent);
}

void ValidateImmutable(const object::Value* old, const object::Value* now, std::string_view field,
                       FieldErrors& errors) {
  if (!SameValue(old, now)) errors.Invalid(field, now, kIsImmutable);
}

void ValidateImmutable(std::string_view old, std::string_view now, std::string_view field,
                       FieldErrors& errors) {
  if (old != now) errors.Invalid(field, now, kIsImmutable);
}

}  // namespace skiff::apiserver

// Rules that the fields of many kinds share: names, labels, selectors, amounts, conditions.
//
// Each function reports relative to the place where `errors` is; `field` names what is looked at as
// FieldErrors does ("" is the place itself). A value without a fault costs one scan and no memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "object/scalar/names.h"
#include "object/scalar/quantity.h"
#include "object/value.h"
#include "object/view.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

inline constexpr std::string_view kIsNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kIsNotPositive = "must be greater than zero";
inline constexpr std::string_view kIsImmutable = "field is immutable";

// A syntax of names.h.
struct NameFormat {
  bool (*is)(std::string_view);
  object::NameProblems (*check)(std::string_view);
};
inline constexpr NameFormat kDnsLabelFormat{object::IsDns1123Label, object::CheckDns1123Label};
inline constexpr NameFormat kDns1035LabelFormat{object::IsDns1035Label, object::CheckDns1035Label};
inline constexpr NameFormat kDnsSubdomainFormat{object::IsDns1123Subdomain,
                                                object::CheckDns1123Subdomain};
inline constexpr NameFormat kQualifiedNameFormat{object::IsQualifiedName,
                                                 object::CheckQualifiedName};
inline constexpr NameFormat kLabelValueFormat{object::IsLabelValue, object::CheckLabelValue};
inline constexpr NameFormat kPortNameFormat{object::IsPortName, object::CheckPortName};
inline constexpr NameFormat kConfigMapKeyFormat{object::IsConfigMapKey, object::CheckConfigMapKey};

// FieldValueInvalid, once for each problem.
void ValidateFormat(const NameFormat& format, std::string_view text, std::string_view field,
                    FieldErrors& errors);
// The same, and FieldValueRequired alone when the text is empty.
void ValidateRequiredFormat(const NameFormat& format, std::string_view text, std::string_view field,
                            FieldErrors& errors);
void ValidateRequired(std::string_view text, std::string_view field, FieldErrors& errors);
// FieldValueNotSupported.
void ValidateOneOf(std::string_view text, std::initializer_list<std::string_view> supported,
                   std::string_view field, FieldErrors& errors);

// Keys and values of labels. Faults of either are at the map itself.
void ValidateLabels(const object::MapView<std::string_view>& labels, std::string_view field,
                    FieldErrors& errors);
// Keys of annotations, and how long they are together.
void ValidateAnnotations(const object::MapView<std::string_view>& annotations,
                         std::string_view field, FieldErrors& errors);

struct LabelSelectorOptions {
  // For objects that were stored with such values.
  bool allow_invalid_values = false;
  bool allow_unknown_operators = false;
};
// Reports below the place where `errors` is: enter the selector's field first.
void ValidateLabelSelector(const views::meta_v1::LabelSelector& selector,
                           const LabelSelectorOptions& options, FieldErrors& errors);
// Whether an expression has a value that no label can have.
bool HasInvalidLabelValue(const views::meta_v1::LabelSelector& selector);

// Of a selector that is a map; an empty one is a fault.
void ValidateNonEmptySelector(const object::MapView<std::string_view>& selector,
                              std::string_view field, FieldErrors& errors);

void ValidateNonNegative(int64_t number, std::string_view field, FieldErrors& errors);
void ValidatePositive(int64_t number, std::string_view field, FieldErrors& errors);
void ValidateInRange(int64_t number, int64_t min, int64_t max, std::string_view field,
                     FieldErrors& errors);
// 1 to 65535.
void ValidatePortNumber(int64_t port, std::string_view field, FieldErrors& errors);

// The amount that a stored quantity says; 0 if it says none.
object::Quantity ParsedQuantity(std::string_view text);
void ValidateNonNegativeQuantity(std::string_view quantity, std::string_view field,
                                 FieldErrors& errors);
void ValidatePositiveQuantity(std::string_view quantity, std::string_view field,
                              FieldErrors& errors);

// A number that is not negative, or a percentage.
void ValidateIntOrPercent(const object::IntOrStringValue& value, std::string_view field,
                          FieldErrors& errors);
// The number before the percent sign; nothing for numbers and other texts.
std::optional<int64_t> PercentOf(const object::IntOrStringValue& value);
void ValidateNotMoreThan100Percent(const object::IntOrStringValue& value, std::string_view field,
                                   FieldErrors& errors);

// A list of metav1.Condition.
void ValidateConditions(const object::ListView<views::meta_v1::Condition>& conditions,
                        std::string_view field, FieldErrors& errors);

// Null is an absent value, which equals the zero value of its field's type.
bool SameValue(const object::Value* a, const object::Value* b);
// FieldValueInvalid, "field is immutable".
void ValidateImmutable(const object::Value* old, const object::Value* now, std::string_view field,
                       FieldErrors& errors);
void ValidateImmutable(std::string_view old, std::string_view now, std::string_view field,
                       FieldErrors& errors);

}  // namespace skiff::apiserver

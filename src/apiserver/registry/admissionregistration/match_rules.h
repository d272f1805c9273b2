// Which requests webhooks and policies look at: rules, conditions and selectors.
//
// The kinds of this group are stored in different versions whose messages are alike, so these
// functions take values and go by the names of fields. All report below the place.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/value_fields.h"
#include "object/value.h"

namespace skiff::apiserver {

// FieldValueRequired when it is not set, else FieldValueNotSupported when it is none of these.
void ValidateRequiredOneOf(const object::Value* message, std::string_view field,
                           std::initializer_list<std::string_view> supported, FieldErrors& errors);

// A RuleWithOperations.
void ValidateRule(const object::Value* rule, FieldErrors& errors);
// A MatchResources that is there.
void ValidateMatchResources(const object::Value* match, FieldErrors& errors);
// The list `matchConditions` of the message, whose expressions may see parameters or not.
void ValidateMatchConditions(const object::Value* message, bool has_params, FieldErrors& errors);
// The selector of this name, if it is set.
void ValidateSelector(const object::Value* message, std::string_view field,
                      bool allow_invalid_values, FieldErrors& errors);

}  // namespace skiff::apiserver

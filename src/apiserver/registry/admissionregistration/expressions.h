// Expressions of policies and webhooks, as far as an object that is written can be wrong about
// them.
#pragma once

#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "cel/admission.h"

namespace skiff::apiserver {

// Where an expression stands, and what it has to come to.
struct ExpressionPlace {
  std::string_view field;
  std::string_view shown;  // as the value of the field, if the expression is wrong
  cel::AdmissionResult wanted;
  cel::AdmissionNames names;
};

// FieldValueInvalid when the text does not compile. Kubernetes lets stored expressions keep
// functions that new ones may not have; in 1.36 there are none of those.
cel::AdmissionExpression CheckExpression(cel::AdmissionCompiler& compiler, std::string_view text,
                                         const ExpressionPlace& place, FieldErrors& errors);

}  // namespace skiff::apiserver

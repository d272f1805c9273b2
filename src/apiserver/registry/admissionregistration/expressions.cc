#include "apiserver/registry/admissionregistration/expressions.h"

namespace skiff::apiserver {

cel::AdmissionExpression CheckExpression(cel::AdmissionCompiler& compiler, std::string_view text,
                                         const ExpressionPlace& place, FieldErrors& errors) {
  cel::AdmissionExpression compiled = compiler.Compile(text, place.wanted, place.names);
  if (compiled.program != nullptr) return compiled;
  if (compiled.is_internal) {
    errors.Internal(place.field, compiled.error);
  } else {
    errors.Invalid(place.field, place.shown, compiled.error);
  }
  return compiled;
}

}  // namespace skiff::apiserver

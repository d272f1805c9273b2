// Tables of functions by library, and what their implementations share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cel/declarations.h"
#include "cel/evaluation.h"
#include "cel/values/regex.h"

namespace skiff::cel {

// The operators and conversions of CEL itself; optional values; folds of two variables.
std::span<const OverloadRow> StandardFunctions();
std::span<const SharedImpl> StandardImplementations();
std::span<const OverloadRow> TimeFunctions();
std::span<const OverloadRow> OptionalFunctions();
// Libraries.
std::span<const OverloadRow> StringFunctions();
std::span<const OverloadRow> ListFunctions();
std::span<const SharedImpl> ListImplementations();
std::span<const OverloadRow> RegexFunctions();
std::span<const OverloadRow> NetworkFunctions();
std::span<const OverloadRow> QuantityFunctions();
std::span<const OverloadRow> FormatFunctions();
std::span<const OverloadRow> AuthorizerFunctions();
// Of mutating policies.
std::span<const OverloadRow> JsonPatchFunctions();

// JSONPatch{…}.
Val MakeJsonPatch(Evaluation& evaluation, const StructDecl& decl, const MapBlock& fields);
// google.protobuf.Int64Value and other messages that stand for values of CEL.
void AddProtobufTypes(Environment& environment);

using Args = std::span<const Val>;

// An error of values/ as one of CEL.
template <typename T>
Val ErrorOf(Evaluation& evaluation, const Result<T>& failed) {
  return evaluation.Error(failed.error().message());
}
inline Val NoSuchOverload() { return Val::ErrorLiteral("no such overload"); }

}  // namespace skiff::cel

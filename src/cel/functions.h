// What implementations of functions share.
#pragma once

#include <span>

#include "base/status.h"
#include "cel/evaluation.h"

namespace skiff::cel {

using Args = std::span<const Val>;

// An error of values/ as one of CEL.
template <typename T>
Val ErrorOf(Evaluation& evaluation, const Result<T>& failed) {
  return evaluation.Error(failed.error().message());
}
inline Val NoSuchOverload() { return Val::ErrorLiteral("no such overload"); }

}  // namespace skiff::cel

// Values in the messages of errors, written as Kubernetes writes them: map[image:a name:b].
#pragma once

#include <string>
#include <string_view>

#include "object/value.h"

namespace skiff::object {

// Longer values are cut here, so that an error stays readable and cheap.
inline constexpr size_t kMaxValueTextBytes = 2048;

std::string GoText(const Value& value);
// The type as Kubernetes names it: map[string]interface {}, []interface {}, string, int64, …
std::string_view GoTypeName(const Value& value);
// The kind of JSON value: object, array, string, number, bool, null.
std::string_view JsonTypeName(const Value& value);

}  // namespace skiff::object

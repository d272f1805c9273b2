// Names of properties as identifiers of CEL: `a-b` is a__dash__b in an expression.
//
//   __ → __underscores__   . → __dot__   - → __dash__   / → __slash__   in → __in__ (reserved
//   words)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skiff::cel {

// Words that cannot be identifiers.
bool IsReservedWord(std::string_view word);

// Nothing for names that cannot be escaped; expressions do not see such properties.
std::optional<std::string> EscapeName(std::string_view name);
// Nothing for what no name escapes to.
std::optional<std::string> UnescapeName(std::string_view identifier);

}  // namespace skiff::cel

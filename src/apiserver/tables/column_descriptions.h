// What a column shows, in a sentence: the `description` of its definition.
#pragma once

#include <string_view>

namespace skiff::apiserver {

// Empty for a column that nothing is known of.
std::string_view ColumnDescription(std::string_view kind, std::string_view column);

}  // namespace skiff::apiserver

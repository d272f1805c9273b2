// Sets of completion indexes as text: "1,3-5,7". Numbers and intervals, ascending, each below the
// number of completions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::apiserver {

// How many indexes there are. kInvalid says what is wrong with the text.
Result<int64_t> CountCompletionIndexes(std::string_view text, int64_t completions);

// What both have in common, intervals that are none being skipped; -1 if nothing.
int64_t FirstCommonIndex(std::string_view a, std::string_view b, int64_t completions);

}  // namespace skiff::apiserver

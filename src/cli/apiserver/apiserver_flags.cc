#include "cli/apiserver/apiserver_flags.h"

#include <algorithm>

#include "cli/apiserver/apiserver_flag_table.h"

namespace skiff::cli {

std::vector<ApiServerFlag> AllApiServerFlags() {
  std::vector<ApiServerFlag> out;
  std::ranges::copy(ApiServerServingFlags(), std::back_inserter(out));
  std::ranges::copy(ApiServerOtherFlags(), std::back_inserter(out));
  return out;
}

Result<void> ParseApiServerFlags(std::span<const std::string_view> words,
                                 ApiServerCommandLine& line) {
  return ServerFlagSet<ApiServerCommandLine>(AllApiServerFlags(), line).Parse(words);
}

}  // namespace skiff::cli

// Reading a command's input: files and standard input, whole.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::cli {

// The name that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

// All of the file. The error does not name it: callers put the name before every diagnostic.
Result<std::string> ReadInput(const std::string& path);

// Text that etcd tools print and that looks like none of the formats: says what it is and what to
// do. Empty for everything else.
std::string HintOnStoredText(std::string_view bytes);

// The same for text that is broken at this line because it is a template yet to be rendered.
std::string_view HintOnTemplate(std::string_view text, uint32_t line);

}  // namespace skiff::cli

// Help texts and manual pages, made from the table of commands and the flags that they declare.
#pragma once

#include <string>

#include "cli/common/command.h"

namespace skiff::cli {

enum class HelpFormat : uint8_t {
  kText,     // for a terminal of 80 columns
  kManPage,  // roff, for man(1)
};

// Help on a command, or on skiff itself when `command` is null.
std::string HelpOn(const Command* command, HelpFormat format);
// The file that man(1) finds the page in: skiff-store-backup.1.
std::string ManualPageName(const Command* command);

}  // namespace skiff::cli

// The commands of `skiff` and the programs beside it: one table, from which dispatch, help, manual
// pages and completion all come. A new command is a class, a line in the table and nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/flags.h"

namespace skiff::cli {

// In the order in which help shows them.
std::span<const Command> AllCommands();
// Those of them that are programs beside skiff.
std::vector<const Command*> AllServers();
// By its key.
const Command* FindCommand(std::string_view key);
// The members of a group; those that stand alone when `group` is null.
std::vector<const Command*> CommandsOf(const Command* group);
// The flags of a command, --help included, for those who only describe them.
FlagSet DescribeFlags(const Command& command, std::unique_ptr<CommandRun>& run);

// "skiff v0.1.0 (Kubernetes v1.36.4)"
std::string VersionText();

// From the words after the name of a command, or of a program that is one, to the exit code.
int RunCommand(const Command& command, std::span<const std::string_view> words);
// From the words after the name of skiff to the exit code.
int RunCommandLine(std::span<const std::string_view> words);

}  // namespace skiff::cli

// The commands of `skiff`: one table, from which dispatch, help, manual pages and completion all
// come. A new command is a class, a line in the table and nothing else.
//
// A command may be a group of others (`skiff store`): it does nothing itself, and the names of its
// members begin with its own (`store backup`).
//
// Executables that are one command, kube-apiserver and kube-controller-manager, are described in
// the same way; `skiff help` and `skiff completion` speak for them too.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace skiff {

// What every command ends with; scripts rely on them.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitFailure = 1;  // the input or the system is at fault
inline constexpr int kExitUsage = 2;    // the command line is at fault

// One run of a command. It owns the options that its flags set.
class CommandRun {
 public:
  virtual ~CommandRun() = default;
  virtual void Declare(FlagSet& flags) = 0;
  // Faults of the options that no single flag has, such as two that exclude each other.
  virtual Result<void> Check() { return {}; }
  // Does the work and returns the exit code.
  virtual int Run() = 0;
};

struct Example {
  std::string_view about;
  std::string_view line;
};

struct Command {
  std::string_view name;         // "convert", "store backup"
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs, an empty line between them
  std::span<const Example> examples;
  std::span<const std::string_view> exit_codes;  // what 0, 1, 2 … mean
  std::unique_ptr<CommandRun> (*make)();         // null for a group
  std::string_view program = "skiff";            // the executable, which may be all of the name

  bool is_group() const { return make == nullptr; }
  // As it is typed behind the name of its group.
  std::string_view last_word() const { return name.substr(name.rfind(' ') + 1); }
  // As it is typed: "skiff store backup", "kube-apiserver".
  std::string full_name() const;
};

// In the order in which help shows them.
std::span<const Command> AllCommands();
// The executables beside skiff.
std::vector<const Command*> AllServers();
const Command* FindCommand(std::string_view name);
// The members of a group; those that stand alone when `group` is null.
std::vector<const Command*> CommandsOf(const Command* group);
// The flags of a command, --help included, for those who only describe them.
FlagSet DescribeFlags(const Command& command, std::unique_ptr<CommandRun>& run);

// Writes all of the text to standard output or says why it cannot; the exit code.
int PrintText(std::string_view text);

// Says on standard error what is wrong; with kExitUsage, also where to read how it is done right.
// `who` is a full name. Gives the code.
int Complain(const std::string& who, const std::string& what, int code);

// "skiff v0.1.0 (Kubernetes v1.36.4)"
std::string VersionText();

// The whole of the program, from the words after its name to the exit code.
int RunCommandLine(std::span<const std::string_view> words);

}  // namespace skiff

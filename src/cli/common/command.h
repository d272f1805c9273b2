// What a command is: how it is described, declares its flags and runs. `commands.h` lists all.
//
// A command may be a group of others (`skiff store`): it does nothing itself, and the names of its
// members begin with its own (`store backup`). Servers, kube-apiserver and kube-controller-manager,
// are programs of their own that are one command, and commands of skiff by the same name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/common/flags.h"

namespace skiff::cli {

struct ServerCommandLine;

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
  // Of servers, which declare --help and --version themselves, as Kubernetes' do: whether these
  // were given. Null for all others.
  virtual const ServerCommandLine* server_line() const { return nullptr; }
};

struct Example {
  std::string_view about;
  std::string_view line;
};

struct Command {
  std::string_view name;         // "convert", "store backup"; empty for a server
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs, an empty line between them
  std::span<const Example> examples;
  std::span<const std::string_view> exit_codes;  // what 0, 1, 2 … mean
  std::unique_ptr<CommandRun> (*make)();         // null for a group
  std::string_view program = "skiff";

  bool is_group() const { return make == nullptr; }
  bool is_server() const { return name.empty(); }
  // As it is typed behind "skiff".
  std::string_view key() const { return is_server() ? program : name; }
  // As it is typed behind the name of its group.
  std::string_view last_word() const { return key().substr(key().rfind(' ') + 1); }
  // As it is typed: "skiff store backup", "kube-apiserver".
  std::string full_name() const;
};

// Writes all of the text to standard output or says why it cannot; the exit code.
int PrintText(std::string_view text);

// Says on standard error what is wrong; with kExitUsage, also where to read how it is done right.
// `who` is a full name. Gives the code.
int ReportFailure(const std::string& who, const std::string& what, int code);

}  // namespace skiff::cli

// A server as a command: how kube-apiserver and kube-controller-manager begin.
#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"
#include "cli/server_flags.h"

namespace skiff {

class ServerRun : public CommandRun {
 public:
  virtual const ServerCommandLine& line() const = 0;
};

// From the words after the server's name to the exit code: prints help or the version if they are
// asked for, and runs the server if not.
int RunServer(const Command& command, ServerRun& run, std::span<const std::string_view> words);

}  // namespace skiff

// `skiff completion SHELL`: a script that completes commands, flags, their values and files, of
// skiff and of the servers beside it. It is complete in itself and asks skiff for nothing when it
// runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

inline constexpr std::string_view kCompletionDescription =
    "Prints a completion script for skiff, kube-apiserver and kube-controller-manager. "
    "Load it into the running shell as shown below, or store it where "
    "the shell looks for such scripts; 'make install' does that.";
inline constexpr Example kCompletionExamples[] = {
    {"bash", "source <(skiff completion bash)"},
    {"zsh, after compinit", "source <(skiff completion zsh)"},
    {"fish", "skiff completion fish | source"},
};
std::unique_ptr<CommandRun> MakeCompletion();

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace skiff::cli

// Which program a process is. One executable is all of them (decision 0025): it acts by the name
// that it is called by, and the other names are links to it.
#pragma once

#include <span>
#include <string_view>

namespace skiff::cli {

// The program that a name means: "kube-apiserver" of "/usr/bin/kube-apiserver", and of
// "kube-apiserver-v1.36.4" and the like, so that several can lie side by side. `called` is the
// first word of the command line; when it means no program, as it may be chosen freely
// (`exec -a`), the file that was executed tells, and when that does not either, it is "skiff".
std::string_view ProgramOf(std::string_view called, std::string_view executed);

// From the words after the name of a program to the exit code.
int RunProgram(std::string_view program, std::span<const std::string_view> words);

}  // namespace skiff::cli

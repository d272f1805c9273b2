#include "cli/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/strings.h"
#include "cli/completion.h"
#include "cli/convert.h"
#include "cli/manual.h"
#include "cli/suggest.h"
#include "cli/version.h"

namespace skiff {
namespace {

std::unique_ptr<CommandRun> MakeHelp();
std::unique_ptr<CommandRun> MakeVersion();

constexpr std::string_view kUsualExitCodes[] = {"success", "the output could not be written",
                                                "the command line is wrong"};

const Command kCommands[] = {
    {"convert", "convert Kubernetes objects between JSON, YAML and protobuf", kConvertDescription,
     kConvertExamples, kConvertExitCodes, MakeConvert},
    {"completion", "print a script that completes commands and flags in a shell",
     kCompletionDescription, kCompletionExamples, kUsualExitCodes, MakeCompletion},
    {"version",
     "print the version",
     "Prints the version of Skiff and that of the Kubernetes "
     "whose API, formats and flags it has.",
     {},
     kUsualExitCodes,
     MakeVersion},
    {"help",
     "print help on skiff or on one of its commands",
     "Without a command, lists the "
     "commands.",
     {},
     kUsualExitCodes,
     MakeHelp},
};

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> names;
  for (const Command& command : AllCommands()) names.push_back(command.name);
  return names;
}

// Explains on standard error what is wrong with the command line.
int UsageError(std::string_view command, std::string_view message) {
  const std::string who = command.empty() ? "skiff" : "skiff " + std::string(command);
  std::fprintf(stderr, "%s: %s\nRun '%s --help' for usage.\n", who.c_str(),
               std::string(message).c_str(), who.c_str());
  return kExitUsage;
}

class HelpRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    static constexpr FlagChoice<HelpFormat> kFormats[] = {{"text", HelpFormat::kText},
                                                          {"man", HelpFormat::kManPage}};
    flags.Add({.name = "format",
               .placeholder = "FORMAT",
               .help = "the form to print help in",
               .value = OneOf(&format_, kFormats)});
    const std::vector<std::string_view> names = CommandNames();
    flags.Take({.placeholder = "COMMAND",
                .max = 1,
                .choices = {names.begin(), names.end()},
                .target = &commands_});
  }

  int Run() override {
    const Command* command = commands_.empty() ? nullptr : FindCommand(commands_[0]);
    return PrintText(HelpOn(command, format_));
  }

 private:
  HelpFormat format_ = HelpFormat::kText;
  std::vector<std::string> commands_;
};

class VersionRun : public CommandRun {
 public:
  void Declare(FlagSet&) override {}
  int Run() override { return PrintText(VersionText() + '\n'); }
};

std::unique_ptr<CommandRun> MakeHelp() { return std::make_unique<HelpRun>(); }
std::unique_ptr<CommandRun> MakeVersion() { return std::make_unique<VersionRun>(); }

void DeclareHelp(FlagSet& flags, bool* wanted) {
  flags.Add({.name = "help", .letter = 'h', .help = "print this help", .value = Switch(wanted)});
}

int RunCommand(const Command& command, std::span<const std::string_view> words) {
  const std::unique_ptr<CommandRun> run = command.make();
  bool help_wanted = false;
  FlagSet flags;
  run->Declare(flags);
  DeclareHelp(flags, &help_wanted);
  Result<void> parsed = flags.Parse(words);
  if (parsed && help_wanted) return PrintText(HelpOn(&command, HelpFormat::kText));
  if (parsed) parsed = flags.CheckComplete();
  if (parsed) parsed = run->Check();
  if (!parsed) return UsageError(command.name, parsed.error().message());
  return run->Run();
}

}  // namespace

std::span<const Command> AllCommands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

FlagSet DescribeFlags(const Command& command, std::unique_ptr<CommandRun>& run) {
  static bool unused = false;
  run = command.make();
  FlagSet flags;
  run->Declare(flags);
  DeclareHelp(flags, &unused);
  return flags;
}

int PrintText(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kExitSuccess;
  std::fprintf(stderr, "skiff: cannot write standard output: %s\n", std::strerror(errno));
  return kExitFailure;
}

std::string VersionText() {
  return "skiff " + std::string(kVersion) + " (Kubernetes " + std::string(kKubernetesVersion) + ")";
}

int RunCommandLine(std::span<const std::string_view> words) {
  if (words.empty()) {
    std::fputs(HelpOn(nullptr, HelpFormat::kText).c_str(), stderr);
    return kExitUsage;
  }
  const std::string_view first = words.front();
  if (first == "--help" || first == "-h") return PrintText(HelpOn(nullptr, HelpFormat::kText));
  if (first == "--version" || first == "-v") return PrintText(VersionText() + '\n');
  if (first.starts_with('-')) {
    static constexpr std::string_view kFlags[] = {"--help", "--version"};
    return UsageError("", "unknown flag " + Quoted(first) + DidYouMean(first, kFlags));
  }
  const Command* command = FindCommand(first);
  if (command != nullptr) return RunCommand(*command, words.subspan(1));
  return UsageError("", "unknown command " + Quoted(first) + DidYouMean(first, CommandNames()));
}

}  // namespace skiff

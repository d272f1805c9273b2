#include "cli/commands.h"

#include <cstdio>
#include <vector>

#include "base/strings.h"
#include "base/suggest.h"
#include "base/version.h"
#include "cli/apiserver/kube_apiserver.h"
#include "cli/bench/bench_commands.h"
#include "cli/cel/cel_command.h"
#include "cli/common/output.h"
#include "cli/common/server_flags.h"
#include "cli/completion.h"
#include "cli/controller_manager/kube_controller_manager.h"
#include "cli/convert/convert.h"
#include "cli/etcd/etcd.h"
#include "cli/manual.h"
#include "cli/store/store_commands.h"
#include "cli/up/up_commands.h"

namespace skiff::cli {
namespace {

std::unique_ptr<CommandRun> MakeHelp();
std::unique_ptr<CommandRun> MakeVersion();

constexpr std::string_view kUsualExitCodes[] = {"success", "the output could not be written",
                                                "the command line is wrong"};

std::vector<std::string_view> WordsOf(const Command* group) {
  std::vector<std::string_view> words;
  for (const Command* command : CommandsOf(group)) words.push_back(command->last_word());
  return words;
}

// The command that `word` stands for within a group, or on its own.
const Command* FindMember(const Command* group, std::string_view word) {
  if (word.find(' ') != std::string_view::npos) return nullptr;
  std::string name = group == nullptr ? "" : std::string(group->name) + ' ';
  return FindCommand(name.append(word));
}

// What is said of a word that is no command.
std::string UnknownCommand(const Command* group, std::string_view word) {
  return "unknown command " + Quoted(word) + DidYouMean(word, WordsOf(group));
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
    flags.Add({.name = "pages",
               .placeholder = "DIR",
               .help = "write the manual pages of all commands into this directory instead",
               .completes = Completes::kDirectories,
               .value = Text(&pages_)});
    flags.Take({.placeholder = "COMMAND",
                .max = kMaxCommandWords,
                .completes = Completes::kCommands,
                .target = &words_});
  }

  Result<void> Check() override {
    if (!pages_.empty() && !words_.empty()) return BadRequest("--pages is for all commands");
    for (const std::string& word : words_) {
      if (command_ != nullptr && !command_->is_group()) {
        return BadRequest(std::string(command_->key()) + " is no group of commands");
      }
      const Command* found = FindMember(command_, word);
      if (found == nullptr) return BadRequest(UnknownCommand(command_, word));
      command_ = found;
    }
    return {};
  }

  int Run() override {
    if (pages_.empty()) return PrintText(HelpOn(command_, format_));
    std::vector<const Command*> all = {nullptr};
    for (const Command& command : AllCommands()) all.push_back(&command);
    for (const Command* command : all) {
      HeldOutput page;
      Result<void> written = page.Append(HelpOn(command, HelpFormat::kManPage));
      if (written) written = page.CommitTo(pages_ + '/' + ManualPageName(command));
      if (written) continue;
      std::fprintf(stderr, "skiff help: %s\n", written.error().message().c_str());
      return kExitFailure;
    }
    return kExitSuccess;
  }

 private:
  static constexpr size_t kMaxCommandWords = 2;

  HelpFormat format_ = HelpFormat::kText;
  std::string pages_;
  std::vector<std::string> words_;
  const Command* command_ = nullptr;
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

// What a server says of its version; `asked` is the value of --version.
std::string ServerVersionText(std::string_view asked) {
  std::string out = "Kubernetes " + std::string(kKubernetesVersion);
  if (asked == "raw") out += ", Skiff " + std::string(kVersion);
  return out + '\n';
}

// The command of the group, or of skiff itself when that is null, that the first word names.
int RunGroup(const Command* group, std::span<const std::string_view> words) {
  if (words.empty()) {
    std::fputs(HelpOn(group, HelpFormat::kText).c_str(), stderr);
    return kExitUsage;
  }
  const std::string name = group == nullptr ? "skiff" : group->full_name();
  const std::string_view first = words.front();
  if (first == "--help" || first == "-h") return PrintText(HelpOn(group, HelpFormat::kText));
  if (group == nullptr && (first == "--version" || first == "-v")) {
    return PrintText(VersionText() + '\n');
  }
  if (first.starts_with('-')) {
    std::vector<std::string_view> flags = {"--help"};
    if (group == nullptr) flags.push_back("--version");
    return ReportFailure(name, "unknown flag " + Quoted(first) + DidYouMean(first, flags),
                         kExitUsage);
  }
  const Command* command = FindMember(group, first);
  if (command == nullptr) return ReportFailure(name, UnknownCommand(group, first), kExitUsage);
  if (command->is_group()) return RunGroup(command, words.subspan(1));
  return RunCommand(*command, words.subspan(1));
}

}  // namespace

std::span<const Command> AllCommands() {
  static const Command commands[] = {
      {"up", "run a cluster on this machine", kUpDescription, kUpExamples, kUpExitCodes, MakeUp},
      {"down", "stop the cluster that runs on this machine", kDownDescription, kDownExamples,
       kDownExitCodes, MakeDown},
      {"status", "tell how the cluster on this machine is", kStatusDescription, kStatusExamples,
       kStatusExitCodes, MakeStatus},
      {"reset", "remove a cluster with all its data", kResetDescription, kResetExamples,
       kResetExitCodes, MakeReset},
      KubeApiServerCommand(),
      KubeControllerManagerCommand(),
      {"convert", "convert Kubernetes objects between JSON, YAML and protobuf", kConvertDescription,
       kConvertExamples, kConvertExitCodes, MakeConvert},
      {"cel", "check and evaluate expressions of Kubernetes' CEL", kCelDescription, kCelExamples,
       kCelExitCodes, MakeCel},
      {"store",
       "back up, restore, inspect and copy the cluster's store",
       kStoreDescription,
       {},
       {},
       nullptr},
      {"store backup", "write all keys of a store to a file, while it is in use",
       kBackupDescription, kBackupExamples, kStoreExitCodes, MakeStoreBackup},
      {"store restore", "make an embedded store of a backup", kRestoreDescription, kRestoreExamples,
       kStoreExitCodes, MakeStoreRestore},
      {"store inspect", "tell what a store or a backup holds, and whether it is sound",
       kInspectDescription, kInspectExamples, kStoreExitCodes, MakeStoreInspect},
      {"store salvage", "make a sound store of what can be read of a damaged one",
       kSalvageDescription, kSalvageExamples, kStoreExitCodes, MakeStoreSalvage},
      {"store copy", "copy a cluster between stores, embedded or etcd", kCopyDescription,
       kCopyExamples, kStoreExitCodes, MakeStoreCopy},
      {"store compact", "forget old states of a store", kCompactDescription, kCompactExamples,
       kStoreExitCodes, MakeStoreCompact},
      {"store defrag", "rewrite the files of a store without what is dead in them",
       kDefragDescription, kDefragExamples, kStoreExitCodes, MakeStoreDefrag},
      {"etcd", "serve an embedded store to clients of etcd", kEtcdDescription, kEtcdExamples,
       kEtcdExitCodes, MakeEtcd},
      {"bench", "measure servers under load", kBenchDescription, {}, {}, nullptr},
      {"bench api", "put load on an API server and measure its answers", kBenchApiDescription,
       kBenchApiExamples, kBenchApiExitCodes, MakeBenchApi},
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
  return commands;
}

std::vector<const Command*> AllServers() {
  std::vector<const Command*> servers;
  for (const Command& command : AllCommands()) {
    if (command.is_server()) servers.push_back(&command);
  }
  return servers;
}

const Command* FindCommand(std::string_view key) {
  for (const Command& command : AllCommands()) {
    if (command.key() == key) return &command;
  }
  return nullptr;
}

std::vector<const Command*> CommandsOf(const Command* group) {
  const std::string before = group == nullptr ? "" : std::string(group->name) + ' ';
  std::vector<const Command*> members;
  for (const Command& command : AllCommands()) {
    if (!command.key().starts_with(before)) continue;
    if (command.key().size() == before.size() + command.last_word().size()) {
      members.push_back(&command);
    }
  }
  return members;
}

FlagSet DescribeFlags(const Command& command, std::unique_ptr<CommandRun>& run) {
  static bool unused = false;
  FlagSet flags;
  if (!command.is_group()) {
    run = command.make();
    run->Declare(flags);
  }
  if (!command.is_server()) DeclareHelp(flags, &unused);  // servers declare it themselves
  return flags;
}

std::string VersionText() {
  return "skiff " + std::string(kVersion) + " (Kubernetes " + std::string(kKubernetesVersion) + ")";
}

int RunCommand(const Command& command, std::span<const std::string_view> words) {
  const std::unique_ptr<CommandRun> run = command.make();
  const ServerCommandLine* server = run->server_line();
  bool help_wanted = false;
  FlagSet flags;
  run->Declare(flags);
  if (server == nullptr) DeclareHelp(flags, &help_wanted);
  Result<void> parsed = flags.Parse(words);
  if (server != nullptr) help_wanted = server->help;
  if (parsed && help_wanted) return PrintText(HelpOn(&command, HelpFormat::kText));
  if (parsed && server != nullptr && !server->version.empty()) {
    return PrintText(ServerVersionText(server->version));
  }
  if (parsed) parsed = flags.CheckComplete();
  if (parsed) parsed = run->Check();
  if (!parsed) return ReportFailure(command.full_name(), parsed.error().message(), kExitUsage);
  return run->Run();
}

int RunCommandLine(std::span<const std::string_view> words) { return RunGroup(nullptr, words); }

}  // namespace skiff::cli

#include "cli/completion.h"

#include <vector>

#include "cli/commands.h"

namespace skiff::cli {
namespace {

// A command and what it declares.
struct Described {
  const Command* command;
  std::unique_ptr<CommandRun> run;  // owns what the flags point to
  std::vector<Flag> flags;          // those that are not hidden
  Arguments arguments;
};

std::vector<Described> DescribeAll() {
  std::vector<Described> all;
  for (const Command& command : AllCommands()) {
    Described described{.command = &command, .run = nullptr, .flags = {}, .arguments = {}};
    const FlagSet declared = DescribeFlags(command, described.run);
    for (const Flag& flag : declared.flags()) {
      if (!flag.hidden) described.flags.push_back(flag);
    }
    described.arguments = declared.arguments();
    all.push_back(std::move(described));
  }
  return all;
}

// The names of the servers.
std::string ServerWords(char between) {
  std::string out;
  for (const Command* server : AllServers()) {
    if (!out.empty()) out += between;
    out += server->program;
  }
  return out;
}

std::string Words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// What can be typed behind the name of a group, or of skiff itself when that is null.
std::string CommandWords(const Command* group) {
  std::vector<std::string> words;
  for (const Command* command : CommandsOf(group)) words.emplace_back(command->last_word());
  return Words(words);
}

std::vector<const Command*> Groups() {
  std::vector<const Command*> groups;
  for (const Command& command : AllCommands()) {
    if (command.is_group()) groups.push_back(&command);
  }
  return groups;
}

// Text between single quotes; `quote` is how the shell writes a quote within them.
std::string SingleQuoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

// --- bash

std::string BashValues(Completes completes, const std::vector<std::string>& choices) {
  if (!choices.empty()) return "COMPREPLY=($(compgen -W '" + Words(choices) + "' -- \"$cur\"))";
  switch (completes) {
    case Completes::kNothing:
      break;
    case Completes::kFiles:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Completes::kDirectories:
      return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Completes::kCommands:
      return "_skiff_commands \"$topic\"";
  }
  return ":";
}

// Offers the commands of the group that it is given.
std::string BashCommands() {
  std::string out = "_skiff_commands() {\n  case $1 in\n    '') COMPREPLY=($(compgen -W '" +
                    CommandWords(nullptr) + "' -- \"$cur\")) ;;\n";
  for (const Command* group : Groups()) {
    out += "    '" + std::string(group->name) + "') COMPREPLY=($(compgen -W '" +
           CommandWords(group) + "' -- \"$cur\")) ;;\n";
  }
  return out + "  esac\n}\n";
}

// The patterns of a case for words behind which another command is expected.
std::string BashGroupPatterns() {
  std::string out = "''";
  for (const Command* group : Groups()) out += "|'" + std::string(group->name) + "'";
  return out;
}

constexpr std::string_view kBashHead =
    R"(_skiff() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command= topic= i word
  COMPREPLY=()
  # Readline takes the = of --flag=value for a word of its own.
  if [[ $cur == "=" ]]; then
    cur=
  elif [[ $flag == "=" ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

// --- zsh

// _arguments takes brackets and colons in descriptions for its own.
std::string ZshEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshAction(Completes completes, const std::vector<std::string>& choices) {
  if (!choices.empty()) return "(" + Words(choices) + ")";
  switch (completes) {
    case Completes::kFiles:
      return "_files";
    case Completes::kDirectories:
      return "_files -/";
    case Completes::kNothing:
    case Completes::kCommands:  // each word has its own choices: ZshArguments
      break;
  }
  return " ";
}

std::string ZshArguments(const Arguments& taken) {
  const std::string line = " \\\n        '";
  if (taken.max == 0) return "";
  if (taken.completes == Completes::kCommands) {
    std::string members;
    for (const Command* group : Groups()) members += CommandWords(group) + ' ';
    return line + "1:" + taken.placeholder + ":(" + CommandWords(nullptr) + ")'" + line +
           "2:" + taken.placeholder + ":(" + members + ")'";
  }
  return line + (taken.max > 1 ? "*" : "1") + ":" + taken.placeholder + ":" +
         ZshAction(taken.completes, taken.choices) + "'";
}

// The list of a group's commands, as an array for _describe.
std::string ZshCommands(const Command* group, std::string_view indent) {
  std::string out;
  for (const Command* command : CommandsOf(group)) {
    out += std::string(indent) +
           SingleQuoted(std::string(command->last_word()) + ":" + ZshEscaped(command->summary),
                        "'\\''") +
           '\n';
  }
  return out;
}

// Steps into the groups, so that `command` is the full name and words begin with its last word.
std::string ZshGroups() {
  std::string out;
  for (const Command* group : Groups()) {
    out += "  if [[ $command == '" + std::string(group->name) +
           "' ]]; then\n    if (( CURRENT == 2 )); then\n      commands=(\n" +
           ZshCommands(group, "        ") +
           "      )\n      _describe command commands\n      return\n    fi\n"
           "    command=\"$command $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n";
  }
  return out;
}

std::string ZshFlag(const Flag& flag) {
  const std::string about = "[" + ZshEscaped(flag.help) + "]";
  std::string value;
  if (!flag.value.is_switch) {
    value = ":" + flag.placeholder + ":" + ZshAction(flag.completes, flag.value.choices);
  }
  const std::string equals = flag.value.is_switch ? "" : "=";
  std::string out =
      " \\\n        " + SingleQuoted("--" + flag.name + equals + about + value, "'\\''");
  if (flag.letter != 0) {
    const std::string plus = flag.value.is_switch ? "" : "+";
    out += " \\\n        " +
           SingleQuoted(std::string{'-', flag.letter} + plus + about + value, "'\\''");
  }
  return out;
}

// --- fish

// Whether the words of a command have been typed.
std::string FishSeen(const Command& command) {
  const size_t space = command.key().rfind(' ');
  const std::string seen = "__fish_seen_subcommand_from " + std::string(command.last_word());
  if (space == std::string_view::npos) return seen;
  return FishSeen(*FindCommand(command.key().substr(0, space))) + "; and " + seen;
}

// Whether the next word may be the last of the command's name.
std::string FishBefore(const Command& command) {
  const size_t space = command.key().rfind(' ');
  if (space == std::string_view::npos) return "__fish_use_subcommand";
  const Command* group = FindCommand(command.key().substr(0, space));
  return "'" + FishSeen(*group) + "; and not __fish_seen_subcommand_from " + CommandWords(group) +
         "'";
}

std::string FishFlag(const Flag& flag) {
  std::string out = " -l " + flag.name;
  if (flag.letter != 0) out += std::string(" -s ") + flag.letter;
  if (!flag.value.is_switch) out += flag.completes == Completes::kFiles ? " -r" : " -x";
  if (flag.completes == Completes::kDirectories) out += " -a '(__fish_complete_directories)'";
  if (!flag.value.choices.empty()) out += " -a '" + Words(flag.value.choices) + "'";
  return out + " -d " + SingleQuoted(flag.help, "\\'") + '\n';
}

// What follows the words of a command; `line` begins each line and says when.
std::string FishWords(const std::string& line, const Described& described) {
  std::string out;
  for (const Flag& flag : described.flags) out += line + FishFlag(flag);
  const Arguments& taken = described.arguments;
  if (!taken.choices.empty()) out += line + " -a '" + Words(taken.choices) + "'\n";
  if (taken.completes == Completes::kCommands)
    out += line + " -a '" + CommandWords(nullptr) + "'\n";
  if (taken.completes != Completes::kFiles) out += line + " -f\n";  // files are the default
  return out;
}

// --- the command

class CompletionRun : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags.Take({.placeholder = "SHELL",
                .min = 1,
                .max = 1,
                .choices = {"bash", "zsh", "fish"},
                .target = &shells_});
  }
  int Run() override {
    if (shells_[0] == "bash") return PrintText(BashCompletion());
    return PrintText(shells_[0] == "zsh" ? ZshCompletion() : FishCompletion());
  }

 private:
  std::vector<std::string> shells_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeCompletion() { return std::make_unique<CompletionRun>(); }

std::string BashCompletion() {
  std::string values, names, arguments;
  for (const Described& described : DescribeAll()) {
    const std::string name(described.command->key());
    const std::string command = "'" + name + "'";
    std::vector<std::string> forms;
    for (const Flag& flag : described.flags) {
      forms.push_back("--" + flag.name);
      if (flag.value.is_switch) continue;
      values += "    '" + name + " --" + flag.name + "'";
      if (flag.letter != 0) values += "|'" + name + " -" + std::string{flag.letter} + "'";
      values += ") " + BashValues(flag.completes, flag.value.choices) + "; return ;;\n";
    }
    names +=
        "      " + command + ") COMPREPLY=($(compgen -W '" + Words(forms) + "' -- \"$cur\")) ;;\n";
    const Arguments& taken = described.arguments;
    if (taken.max != 0) {
      arguments += "    " + command + ") " + BashValues(taken.completes, taken.choices) + " ;;\n";
    }
  }
  const std::string find_command =
      "  case ${COMP_WORDS[0]##*/} in\n    " + ServerWords('|') +
      ") command=${COMP_WORDS[0]##*/} ;;\n  esac\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${COMP_WORDS[i]}\n"
      "    [[ $word == -* ]] && continue\n    case $command in\n      " +
      BashGroupPatterns() +
      ") command=\"${command:+$command }$word\" ;;\n"
      "      help) [[ ${COMP_WORDS[i-1]} == --* ]] || topic=\"${topic:+$topic }$word\" ;;\n"
      "      *) break ;;\n    esac\n  done\n";
  return "# bash completion for skiff and its servers; made by 'skiff completion bash'.\n" +
         BashCommands() + std::string(kBashHead) + find_command + "  case \"$command $flag\" in\n" +
         values +
         "  esac\n  if [[ $cur == -* ]]; then\n    case $command in\n"
         "      '') COMPREPLY=($(compgen -W '--help --version' -- \"$cur\")) ;;\n" +
         names + "    esac\n    return\n  fi\n  case $command in\n    " + BashGroupPatterns() +
         ") _skiff_commands \"$command\" ;;\n" + arguments +
         "  esac\n}\ncomplete -F _skiff skiff " + ServerWords(' ') + '\n';
}

std::string ZshCompletion() {
  std::string cases;
  for (const Described& described : DescribeAll()) {
    if (described.command->is_group()) continue;
    cases += "    '" + std::string(described.command->key()) + "')\n      _arguments -s";
    for (const Flag& flag : described.flags) cases += ZshFlag(flag);
    cases += ZshArguments(described.arguments) + " ;;\n";
  }
  const std::string programs = "skiff " + ServerWords(' ');
  return "#compdef " + programs +
         "\n# zsh completion for skiff and its servers; made by 'skiff completion zsh'.\n"
         "_skiff_flags() {\n  case $1 in\n" +
         cases + "  esac\n}\n_skiff() {\n  case $service in\n    " + ServerWords('|') +
         ") _skiff_flags $service; return ;;\n  esac\n  local -a commands\n  commands=(\n" +
         ZshCommands(nullptr, "    ") +
         "  )\n  if (( CURRENT == 2 )); then\n    if [[ $words[2] == -* ]]; then\n"
         "      _arguments '--help[print help]' '--version[print the version]'\n"
         "    else\n      _describe command commands\n    fi\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n" +
         ZshGroups() +
         "  _skiff_flags $command\n}\nif [[ $funcstack[1] == _skiff ]]; then\n  _skiff \"$@\"\n"
         "else\n  compdef _skiff " +
         programs + "\nfi\n";
}

std::string FishCompletion() {
  std::string out =
      "# fish completion for skiff and its servers; made by 'skiff completion fish'.\n"
      "complete -c skiff -n __fish_use_subcommand -f\n"
      "complete -c skiff -n __fish_use_subcommand -l help -s h -d 'print help'\n"
      "complete -c skiff -n __fish_use_subcommand -l version -s v -d 'print the version'\n";
  for (const Described& described : DescribeAll()) {
    const Command& command = *described.command;
    out += "complete -c skiff -n " + FishBefore(command) + " -a " +
           std::string(command.last_word()) + " -d " + SingleQuoted(command.summary, "\\'") + '\n';
    std::vector<std::string> lines = {"complete -c skiff -n '" + FishSeen(command) + "'"};
    if (command.is_server()) lines.push_back("complete -c " + std::string(command.program));
    for (const std::string& line : lines) out += FishWords(line, described);
  }
  return out;
}

}  // namespace skiff::cli

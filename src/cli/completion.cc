#include "cli/completion.h"

#include <vector>

namespace skiff {
namespace {

// A command and what it declares.
struct Described {
  const Command* command;
  std::unique_ptr<CommandRun> run;  // owns what the flags point to
  FlagSet flags;
};

std::vector<Described> DescribeAll() {
  std::vector<Described> all;
  for (const Command& command : AllCommands()) {
    Described described{.command = &command, .run = nullptr, .flags = {}};
    described.flags = DescribeFlags(command, described.run);
    all.push_back(std::move(described));
  }
  return all;
}

std::string Words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string CommandWords() {
  std::vector<std::string> names;
  for (const Command& command : AllCommands()) names.emplace_back(command.name);
  return Words(names);
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
  if (completes == Completes::kFiles) {
    return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\"))";
  }
  return ":";
}

constexpr std::string_view kBashHead =
    R"(# bash completion for skiff; made by 'skiff completion bash'.
_skiff() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  # Readline takes the = of --flag=value for a word of its own.
  if [[ $cur == "=" ]]; then
    cur=
  elif [[ $flag == "=" ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
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
  return completes == Completes::kFiles ? "_files" : " ";
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
    const std::string command(described.command->name);
    std::vector<std::string> forms;
    for (const Flag& flag : described.flags.flags()) {
      forms.push_back("--" + flag.name);
      if (flag.value.is_switch) continue;
      values += "    '" + command + " --" + flag.name + "'";
      if (flag.letter != 0) values += "|'" + command + " -" + std::string{flag.letter} + "'";
      values += ") " + BashValues(flag.completes, flag.value.choices) + "; return ;;\n";
    }
    names +=
        "      " + command + ") COMPREPLY=($(compgen -W '" + Words(forms) + "' -- \"$cur\")) ;;\n";
    const Arguments& taken = described.flags.arguments();
    if (taken.max != 0) {
      arguments += "    " + command + ") " + BashValues(taken.completes, taken.choices) + " ;;\n";
    }
  }
  return std::string(kBashHead) + "  case \"$command $flag\" in\n" + values +
         "  esac\n  if [[ $cur == -* ]]; then\n    case $command in\n"
         "      '') COMPREPLY=($(compgen -W '--help --version' -- \"$cur\")) ;;\n" +
         names + "    esac\n    return\n  fi\n  case $command in\n" +
         "    '') COMPREPLY=($(compgen -W '" + CommandWords() + "' -- \"$cur\")) ;;\n" + arguments +
         "  esac\n}\ncomplete -F _skiff skiff\n";
}

std::string ZshCompletion() {
  std::string list, cases;
  for (const Described& described : DescribeAll()) {
    const std::string command(described.command->name);
    list += "    " + SingleQuoted(command + ":" + ZshEscaped(described.command->summary), "'\\''") +
            "\n";
    cases += "    " + command + ")\n      _arguments -s";
    for (const Flag& flag : described.flags.flags()) cases += ZshFlag(flag);
    const Arguments& taken = described.flags.arguments();
    if (taken.max != 0) {
      cases += std::string(" \\\n        '") + (taken.max > 1 ? "*" : "1") + ":" +
               taken.placeholder + ":" + ZshAction(taken.completes, taken.choices) + "'";
    }
    cases += " ;;\n";
  }
  return "#compdef skiff\n# zsh completion for skiff; made by 'skiff completion zsh'.\n"
         "_skiff() {\n  local -a commands\n  commands=(\n" +
         list +
         "  )\n  if (( CURRENT == 2 )); then\n    if [[ $words[2] == -* ]]; then\n"
         "      _arguments '--help[print help]' '--version[print the version]'\n"
         "    else\n      _describe command commands\n    fi\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n" +
         cases +
         "  esac\n}\nif [[ $funcstack[1] == _skiff ]]; then\n  _skiff \"$@\"\nelse\n"
         "  compdef _skiff skiff\nfi\n";
}

std::string FishCompletion() {
  std::string out =
      "# fish completion for skiff; made by 'skiff completion fish'.\n"
      "complete -c skiff -n __fish_use_subcommand -f\n"
      "complete -c skiff -n __fish_use_subcommand -l help -s h -d 'print help'\n"
      "complete -c skiff -n __fish_use_subcommand -l version -s v -d 'print the version'\n";
  for (const Described& described : DescribeAll()) {
    const std::string command(described.command->name);
    out += "complete -c skiff -n __fish_use_subcommand -a " + command + " -d " +
           SingleQuoted(described.command->summary, "\\'") + '\n';
    const std::string line = "complete -c skiff -n '__fish_seen_subcommand_from " + command + "'";
    for (const Flag& flag : described.flags.flags()) {
      out += line + " -l " + flag.name;
      if (flag.letter != 0) out += std::string(" -s ") + flag.letter;
      if (!flag.value.is_switch) out += flag.completes == Completes::kFiles ? " -r" : " -x";
      if (!flag.value.choices.empty()) out += " -a '" + Words(flag.value.choices) + "'";
      out += " -d " + SingleQuoted(flag.help, "\\'") + '\n';
    }
    const Arguments& taken = described.flags.arguments();
    if (!taken.choices.empty()) out += line + " -a '" + Words(taken.choices) + "'\n";
    if (taken.completes != Completes::kFiles) out += line + " -f\n";  // files are the default
  }
  return out;
}

}  // namespace skiff

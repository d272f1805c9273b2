#include "cli/manual.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <vector>

#include "base/version.h"
#include "cli/commands.h"

namespace skiff::cli {
namespace {

constexpr size_t kColumns = 80;
constexpr std::string_view kAbout =
    "Skiff is Kubernetes in C++: the same API, wire formats, flags and stored data.";

// "skiff store backup", with something else than spaces for the name of a manual page.
std::string FullName(const Command* command, char between = ' ') {
  std::string name = command == nullptr ? "skiff" : command->full_name();
  std::ranges::replace(name, ' ', between);
  return name;
}

// --- text

std::string Sentence(std::string_view summary) {
  std::string out(summary);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out + '.';
}

std::string ListOfCommands(const Command* group) {
  const std::vector<const Command*> members = CommandsOf(group);
  size_t widest = 0;
  for (const Command* command : members) widest = std::max(widest, command->last_word().size());
  std::string out = "\nCommands:\n";
  for (const Command* command : members) {
    const std::string word(command->last_word());
    out += "  " + word + std::string(widest + 2 - word.size(), ' ') +
           WrapText(command->summary, kColumns - widest - 4, widest + 4) + '\n';
  }
  return out;
}

std::string TextOnSkiff() {
  return std::string(kAbout) + "\n\nUsage:\n  skiff COMMAND [flags] [arguments]\n" +
         ListOfCommands(nullptr) +
         "\nFlags:\n  -h, --help     print this help\n  -v, --version  print the version\n"
         "\n'skiff help COMMAND' tells more of a command.\n";
}

std::string TextOnGroup(const Command& group) {
  const std::string name = FullName(&group);
  return Sentence(group.summary) + "\n\nUsage:\n  " + name + " COMMAND [flags] [arguments]\n\n" +
         WrapText(group.description, kColumns, 0) + '\n' + ListOfCommands(&group) +
         "\nFlags:\n  -h, --help  print this help\n\n'skiff help " + std::string(group.name) +
         " COMMAND' tells more of a command.\n";
}

std::string TextOnCommand(const Command& command) {
  std::unique_ptr<CommandRun> run;
  const FlagSet flags = DescribeFlags(command, run);
  std::string out = Sentence(command.summary);
  out += "\n\nUsage:\n  " + FullName(&command) + " " + flags.Synopsis() + "\n\n";
  out += WrapText(command.description, kColumns, 0) + "\n\n";
  const bool in_sections = !flags.flags().front().section.empty();  // each under its own title
  out += (in_sections ? "" : "Flags:\n") + flags.HelpText();
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const Example& example : command.examples) {
    out += "  # " + std::string(example.about) + "\n  " + std::string(example.line) + '\n';
  }
  out += "\nExit codes:\n";
  for (size_t code = 0; code < command.exit_codes.size(); ++code) {
    out += "  " + std::to_string(code) + "  " +
           WrapText(command.exit_codes[code], kColumns - 5, 5) + '\n';
  }
  return out;
}

// --- roff

// Text as roff shows it literally; a line may not begin with one of roff's own marks.
std::string Roff(std::string_view text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    at_line_start = c == '\n';
  }
  return out;
}

std::string Paragraphs(std::string_view text) {
  std::string out = Roff(text);
  for (size_t at = 0; (at = out.find("\n\n", at)) != std::string::npos;) {
    out.replace(at, 2, "\n.PP\n");
  }
  return out;
}

// Names of flags and the like are not broken, so that they can be copied.
std::string PageHead(std::string_view page, std::string_view summary, std::string_view synopsis) {
  std::string title(page);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + Roff(title) + " 1 \"\" \"skiff " + std::string(kVersion) +
         "\" \"Skiff Manual\"\n.nh\n.ad l\n.SH NAME\n" + Roff(page) + " \\- " + Roff(summary) +
         "\n.SH SYNOPSIS\n" + Roff(synopsis) + '\n';
}

std::string PagesOf(const std::vector<std::string>& names) {
  std::string out = ".SH SEE ALSO\n";
  for (const std::string& name : names) {
    out += ".BR " + Roff(name) + " (1)" + (&name == &names.back() ? "\n" : ",\n");
  }
  return out;
}

// On a group, or on skiff itself when that is null.
std::string PageOnGroup(const Command* group) {
  const std::string_view summary = group == nullptr ? "Kubernetes in C++" : group->summary;
  const std::string_view about = group == nullptr ? kAbout : group->description;
  std::string out =
      PageHead(FullName(group, '-'), summary, FullName(group) + " COMMAND [flags] [arguments]");
  out += ".SH DESCRIPTION\n" + Paragraphs(about) + "\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  if (group != nullptr) pages.push_back("skiff");
  for (const Command* command : CommandsOf(group)) {
    out += ".TP\n.B " + Roff(command->last_word()) + '\n' + Roff(command->summary) + '\n';
    pages.push_back(FullName(command, '-'));
  }
  out += ".SH OPTIONS\n.TP\n.B " + Roff("-h, --help") + "\nprint help\n";
  if (group == nullptr) out += ".TP\n.B " + Roff("-v, --version") + "\nprint the version\n";
  return out + PagesOf(pages);
}

std::string PageOnCommand(const Command& command) {
  std::unique_ptr<CommandRun> run;
  const FlagSet flags = DescribeFlags(command, run);
  std::string out = PageHead(FullName(&command, '-'), command.summary,
                             FullName(&command) + " " + flags.Synopsis());
  out += ".SH DESCRIPTION\n" + Paragraphs(command.description) + "\n.SH OPTIONS\n";
  std::string_view section;
  for (const Flag& flag : flags.flags()) {
    if (flag.hidden) continue;
    if (flag.section != section) out += ".SS " + Roff(section = flag.section) + '\n';
    std::string forms = FlagForms(flag);
    forms.erase(0, forms.find_first_not_of(' '));
    out += ".TP\n.B " + Roff(forms) + '\n' + Roff(FlagDescription(flag)) + '\n';
  }
  out += ".SH EXIT STATUS\n";
  for (size_t code = 0; code < command.exit_codes.size(); ++code) {
    out += ".TP\n.B " + std::to_string(code) + '\n' + Roff(command.exit_codes[code]) + '\n';
  }
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& example : command.examples) {
    out += ".PP\n" + Roff(example.about) + ":\n.PP\n.nf\n    " + Roff(example.line) + "\n.fi\n";
  }
  std::vector<std::string> pages = {"skiff"};
  const size_t space = command.name.rfind(' ');
  if (space != std::string_view::npos) {
    pages.push_back(FullName(FindCommand(command.name.substr(0, space)), '-'));
  }
  return out + PagesOf(pages);
}

}  // namespace

std::string ManualPageName(const Command* command) { return FullName(command, '-') + ".1"; }

std::string HelpOn(const Command* command, HelpFormat format) {
  const bool is_group = command == nullptr || command->is_group();
  if (format == HelpFormat::kManPage) {
    return is_group ? PageOnGroup(command) : PageOnCommand(*command);
  }
  if (command == nullptr) return TextOnSkiff();
  return is_group ? TextOnGroup(*command) : TextOnCommand(*command);
}

}  // namespace skiff::cli

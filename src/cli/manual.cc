#include "cli/manual.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/version.h"

namespace skiff {
namespace {

constexpr size_t kColumns = 80;
constexpr std::string_view kAbout =
    "Skiff is Kubernetes in C++: the same API, wire formats, flags and stored data.";

// --- text

std::string TextOnSkiff() {
  std::string out(kAbout);
  out += "\n\nUsage:\n  skiff COMMAND [flags] [arguments]\n\nCommands:\n";
  size_t widest = 0;
  for (const Command& command : AllCommands()) widest = std::max(widest, command.name.size());
  for (const Command& command : AllCommands()) {
    out += "  " + std::string(command.name) + std::string(widest + 2 - command.name.size(), ' ') +
           std::string(command.summary) + '\n';
  }
  return out +
         "\nFlags:\n  -h, --help     print this help\n  -v, --version  print the version\n"
         "\n'skiff help COMMAND' tells more of a command.\n";
}

std::string TextOnCommand(const Command& command) {
  std::unique_ptr<CommandRun> run;
  const FlagSet flags = DescribeFlags(command, run);
  std::string out(command.summary);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  out += ".\n\nUsage:\n  skiff " + std::string(command.name) + " " + flags.Synopsis() + "\n\n";
  out += WrapText(command.description, kColumns, 0) + "\n\nFlags:\n" + flags.HelpText();
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

std::string PageHead(std::string_view page, std::string_view summary, std::string_view synopsis) {
  std::string title(page);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + Roff(title) + " 1 \"\" \"skiff " + std::string(kVersion) +
         "\" \"Skiff Manual\"\n.SH NAME\n" + Roff(page) + " \\- " + Roff(summary) +
         "\n.SH SYNOPSIS\n" + Roff(synopsis) + '\n';
}

std::string PageOnSkiff() {
  std::string out = PageHead("skiff", "Kubernetes in C++", "skiff COMMAND [flags] [arguments]");
  out += ".SH DESCRIPTION\n" + Roff(kAbout) + "\n.SH COMMANDS\n";
  for (const Command& command : AllCommands()) {
    out += ".TP\n.B " + Roff(command.name) + '\n' + Roff(command.summary) + '\n';
  }
  return out + ".SH SEE ALSO\n.BR skiff\\-convert (1)\n";
}

std::string PageOnCommand(const Command& command) {
  std::unique_ptr<CommandRun> run;
  const FlagSet flags = DescribeFlags(command, run);
  const std::string name(command.name);
  std::string out =
      PageHead("skiff-" + name, command.summary, "skiff " + name + " " + flags.Synopsis());
  out += ".SH DESCRIPTION\n" + Paragraphs(command.description) + "\n.SH OPTIONS\n";
  for (const Flag& flag : flags.flags()) {
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
  return out + ".SH SEE ALSO\n.BR skiff (1)\n";
}

}  // namespace

std::string HelpOn(const Command* command, HelpFormat format) {
  if (format == HelpFormat::kManPage) {
    return command == nullptr ? PageOnSkiff() : PageOnCommand(*command);
  }
  return command == nullptr ? TextOnSkiff() : TextOnCommand(*command);
}

}  // namespace skiff

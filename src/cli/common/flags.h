// Command-line flags, each declared once: parsing, help, manual pages and shell completion all
// read the same declaration.
//
//   FlagSet flags;
//   flags.Add({.name = "to", .placeholder = "FORMAT", .help = "the output format",
//              .required = true, .value = OneOf(&options.to, kFormats)});
//   Result<void> parsed = flags.Parse(arguments);
//
// The syntax is that of Kubernetes' own commands: --name=value, --name value, -n value, -nvalue,
// -n=value; a switch needs no value (--name, -n, -nm for two, --name=false); flags and arguments
// in any order; `--` ends the flags; the last of several values counts.
//
// A FlagSet writes into the variables that it was declared with, which must outlive it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace skiff::cli {

// How a flag's text becomes a value.
struct FlagValue {
  // The error says what is expected; the flag's name is put before it.
  std::function<Result<void>(std::string_view text)> set;
  std::vector<std::string> choices;  // all there are, if it is a closed set
  std::string default_text;          // for help; empty: nothing worth telling
  bool is_switch = false;
};

FlagValue Switch(bool* target);  // the words that Go takes for booleans
FlagValue Text(std::string* target);
FlagValue ByteCount(size_t* target);  // 1000, 64Ki, 256Mi: a quantity of at least one
FlagValue WholeNumber(int64_t* target, int64_t min);   // in digits; help tells the default
FlagValue TextList(std::vector<std::string>* target);  // a,b; none of them empty

template <typename T>
struct FlagChoice {
  std::string_view name;
  T value;
};

FlagValue OneOfNames(std::vector<std::string> names, std::string default_name,
                     std::function<void(size_t index)> set);

// One of the named values. The target's own value is the default, unless no name has it.
template <typename Choices, typename T>
FlagValue OneOf(T* target, const Choices& choices) {
  std::vector<std::string> names;
  std::vector<T> values;
  std::string default_name;
  for (const FlagChoice<T>& choice : choices) {
    if (choice.value == *target) default_name = choice.name;
    names.emplace_back(choice.name);
    values.push_back(choice.value);
  }
  return OneOfNames(std::move(names), std::move(default_name),
                    [target, values = std::move(values)](size_t i) { *target = values[i]; });
}

// What a shell offers when a value is completed, beyond choices.
enum class Completes : uint8_t { kNothing, kFiles, kDirectories, kCommands };

struct Flag {
  std::string name;              // without dashes
  char letter = 0;               // the short form, or 0
  std::string placeholder = {};  // of the value in help: FILE; switches have none
  std::string help;
  bool required = false;
  Completes completes = Completes::kNothing;
  FlagValue value;
  std::string section = {};  // of the help; flags of one section stand side by side
  bool hidden = false;       // from help and suggestions
};

// What a command takes besides flags.
struct Arguments {
  std::string placeholder;  // "FILE"
  size_t min = 0;
  size_t max = 0;
  Completes completes = Completes::kNothing;
  std::vector<std::string> choices = {};
  std::vector<std::string>* target = nullptr;
};

class FlagSet {
 public:
  void Add(Flag flag) { flags_.push_back(std::move(flag)); }
  void Take(Arguments arguments) { arguments_ = std::move(arguments); }

  // Whether --some_name is --some-name, as for Kubernetes' servers.
  void TakeUnderscoresAsDashes() { underscores_are_dashes_ = true; }

  const std::vector<Flag>& flags() const { return flags_; }
  const Arguments& arguments() const { return arguments_; }

  // Sets the variables. An error is for the user to read, without the command's name.
  Result<void> Parse(std::span<const std::string_view> words);
  // Whether everything that must be given was given by the last Parse.
  Result<void> CheckComplete() const;

  // "--to FORMAT [flags] [FILE...]"
  std::string Synopsis() const;
  // An aligned table, a line or more per flag; one for each section, under its name.
  std::string HelpText() const;

 private:
  Result<void> ParseLong(std::string_view word, std::span<const std::string_view>& rest);
  Result<void> ParseLetters(std::string_view word, std::span<const std::string_view>& rest);
  Result<void> TakeArgument(std::string_view word);
  Result<void> Set(size_t index, std::string_view shown, std::string_view value);
  std::unexpected<Status> Unknown(std::string_view name) const;

  std::vector<Flag> flags_;
  bool underscores_are_dashes_ = false;
  Arguments arguments_;
  std::vector<bool> given_;
};

// The flag's forms: "-o, --output FILE".
std::string FlagForms(const Flag& flag);
// The help with what the declaration adds: choices, default, whether it must be given.
std::string FlagDescription(const Flag& flag);

// Breaks text into lines of at most `width` columns, each but the first after `indent` spaces.
// Line breaks that are in the text stay.
std::string WrapText(std::string_view text, size_t width, size_t indent);

}  // namespace skiff::cli

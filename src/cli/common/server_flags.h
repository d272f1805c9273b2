// The flags of Kubernetes' servers: each under its name, with its type, default and section, and
// what becomes of it here.
//
//   works     sets an option
//   ignored   is checked and then ignored, which is harmless; a warning says so
//   refused   is an error, because to ignore it would be unsafe; the error says what is missing
//
// A flag that is not supported and is given with its default value is neither warned of nor
// refused. The syntax is pflag's: --name=value, --name value, --switch, lists with commas or by
// repetition, and underscores in names count as dashes.
//
// `Line` is what a command line of the server says, a ServerCommandLine.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/common/flags.h"

namespace skiff::cli {

enum class FlagEffect : uint8_t { kWorks, kIgnored, kRefused };

// What every server's command line may say.
struct ServerCommandLine {
  std::string version;  // of --version: "true", "raw"; empty: not asked for
  bool help = false;
  std::vector<std::string> warnings;
  std::map<std::string, std::string, std::less<>> unbound;  // given for flags that set nothing
};

template <typename Line>
struct FlagBinding {
  // `first`: it has not been given before on this command line, so a list begins anew.
  Result<void> (*set)(Line& line, std::string_view text, bool first) = nullptr;
  // The value, as the server shows it; of a fresh command line: the default.
  std::string (*show)(Line& line) = nullptr;
};

// What there is to know of a flag but what it sets.
struct ServerFlagFacts {
  std::string_view name;
  std::string_view type;     // as pflag calls it
  std::string_view section;  // of the help; empty: hidden there
  // For people: what it does if it works; what is missing if it does not.
  std::string about;
  FlagEffect effect = FlagEffect::kWorks;
  bool deprecated = false;
};

template <typename Line>
struct ServerFlag {
  std::string_view name;
  std::string_view type;
  std::string_view section;
  std::string_view about;  // empty: what the section is named after is not there yet
  FlagEffect effect = FlagEffect::kWorks;
  std::string_view default_text = {};  // when it is bound to nothing
  FlagBinding<Line> binding = {};
  bool deprecated = false;

  std::string DefaultText() const {
    if (binding.show == nullptr) return std::string(default_text);
    Line fresh;
    return binding.show(fresh);
  }
  ServerFlagFacts facts() const {
    const bool missing = about.empty();
    const std::string text =
        missing ? std::string(section) + " is not there yet" : std::string(about);
    return {name, type, section, text, effect, deprecated};
  }
};

// One flag as it takes part in parsing; `set` is called after the checks.
struct BoundServerFlag {
  ServerFlagFacts facts;
  std::string default_text;
  std::function<Result<void>(std::string_view text, bool first)> set;
};

// `warnings` outlives it.
FlagSet MakeServerFlagSet(std::vector<BoundServerFlag> flags, std::vector<std::string>& warnings);

template <typename Line>
FlagSet ServerFlagSet(std::span<const ServerFlag<Line>> flags, Line& line) {
  std::vector<BoundServerFlag> bound;
  for (const ServerFlag<Line>& flag : flags) {
    bound.push_back({.facts = flag.facts(),
                     .default_text = flag.DefaultText(),
                     .set = [set = flag.binding.set, name = flag.name, &line](
                                std::string_view text, bool first) -> Result<void> {
                       if (set != nullptr) return set(line, text, first);
                       line.unbound.insert_or_assign(std::string(name), std::string(text));
                       return {};
                     }});
  }
  return MakeServerFlagSet(std::move(bound), line.warnings);
}

// All flags with their values, as /flagz shows them.
template <typename Line>
std::map<std::string, std::string> ShowFlags(std::span<const ServerFlag<Line>> flags, Line& line) {
  std::map<std::string, std::string> shown;
  for (const ServerFlag<Line>& flag : flags) {
    std::string& value = shown[std::string(flag.name)];
    const auto given = line.unbound.find(flag.name);
    if (flag.binding.show != nullptr) {
      value = flag.binding.show(line);
    } else {
      value = given != line.unbound.end() ? given->second : std::string(flag.default_text);
    }
  }
  return shown;
}

}  // namespace skiff::cli

#include "cli/apiserver_flags.h"

#include <algorithm>
#include <set>

#include "cli/apiserver_flag_table.h"
#include "cli/apiserver_flag_values.h"
#include "cli/flags.h"

namespace skiff {
namespace {

// Takes the value of one flag. `given` holds the names of those that have been given before.
Result<void> Take(const ApiServerFlag& flag, std::string_view text, ApiServerCommandLine& line,
                  std::set<std::string_view>& given) {
  SKIFF_RETURN_IF_ERROR(flag_values::CheckSyntax(flag.type, text));
  const bool first = given.insert(flag.name).second;
  const bool unusual = !flag_values::MeansTheSame(flag.type, text, flag.DefaultText());
  if (unusual && flag.effect == FlagEffect::kRefused) {
    return BadRequest("cannot be used: " + std::string(flag.about));
  }
  if (unusual && flag.effect == FlagEffect::kIgnored && first) {
    line.warnings.push_back("--" + std::string(flag.name) +
                            " is ignored: " + std::string(flag.about));
  }
  if (flag.deprecated && first) {
    line.warnings.push_back("--" + std::string(flag.name) + " is deprecated");
  }
  if (flag.binding.set == nullptr) return {};
  return flag.binding.set(line, text, first);
}

std::string Capitalized(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string HelpOf(const ApiServerFlag& flag) {
  std::string out;
  if (flag.deprecated) out += "(deprecated) ";
  if (flag.effect == FlagEffect::kIgnored) out += "(ignored) ";
  if (flag.effect == FlagEffect::kRefused) out += "(not supported) ";
  return out.append(flag.about);
}

// The flags as a set that writes into `line`; both outlive it.
FlagSet SetOf(const std::vector<ApiServerFlag>& flags, ApiServerCommandLine& line,
              std::set<std::string_view>& given) {
  FlagSet set;
  set.TakeUnderscoresAsDashes();
  for (const ApiServerFlag& flag : flags) {
    FlagValue value;
    value.is_switch = flag.type == "bool" || flag.type == "version";
    value.set = [&flag, &line, &given](std::string_view text) {
      return Take(flag, text, line, given);
    };
    const std::string shown = flag.DefaultText();
    const bool tells_nothing =
        shown == "[]" || shown == "<nil>" || (value.is_switch && shown == "false");
    if (!tells_nothing) value.default_text = shown;
    set.Add({.name = std::string(flag.name),
             .letter = flag.name == "v"      ? 'v'
                       : flag.name == "help" ? 'h'
                                             : '\0',
             .placeholder = std::string(flag.type),
             .help = HelpOf(flag),
             .value = std::move(value),
             .section = Capitalized(flag.section) + " flags",
             .hidden = flag.section.empty()});
  }
  return set;
}

}  // namespace

std::string ApiServerFlag::DefaultText() const {
  if (binding.show == nullptr) return std::string(default_text);
  ApiServerCommandLine fresh;
  return binding.show(fresh);
}

std::vector<ApiServerFlag> AllApiServerFlags() {
  std::vector<ApiServerFlag> out;
  std::ranges::copy(ApiServerServingFlags(), std::back_inserter(out));
  std::ranges::copy(ApiServerOtherFlags(), std::back_inserter(out));
  return out;
}

Result<void> ParseApiServerFlags(std::span<const std::string_view> words,
                                 ApiServerCommandLine& line) {
  const std::vector<ApiServerFlag> flags = AllApiServerFlags();
  std::set<std::string_view> given;
  return SetOf(flags, line, given).Parse(words);
}

std::string ApiServerHelp() {
  const std::vector<ApiServerFlag> flags = AllApiServerFlags();
  ApiServerCommandLine line;
  std::set<std::string_view> given;
  return SetOf(flags, line, given).HelpText();
}

}  // namespace skiff

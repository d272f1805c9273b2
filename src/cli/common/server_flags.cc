#include "cli/common/server_flags.h"

#include <memory>
#include <utility>

#include "cli/common/flag_values.h"

namespace skiff::cli {
namespace {

struct GivenFlag {
  BoundServerFlag flag;
  bool given = false;
};

Result<void> Take(GivenFlag& given, std::string_view text, std::vector<std::string>& warnings) {
  const ServerFlagFacts& facts = given.flag.facts;
  SKIFF_RETURN_IF_ERROR(flag_values::CheckSyntax(facts.type, text));
  const bool first = !std::exchange(given.given, true);
  const bool unusual = !flag_values::MeansTheSame(facts.type, text, given.flag.default_text);
  if (unusual && facts.effect == FlagEffect::kRefused) {
    return BadRequest("cannot be used: " + facts.about);
  }
  if (unusual && facts.effect == FlagEffect::kIgnored && first) {
    warnings.push_back("--" + std::string(facts.name) + " is ignored: " + facts.about);
  }
  if (facts.deprecated && first) {
    warnings.push_back("--" + std::string(facts.name) + " is deprecated");
  }
  return given.flag.set(text, first);
}

std::string Capitalized(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// What a shell offers for the value, which the names of flags tell.
Completes CompletesOf(std::string_view name) {
  for (const std::string_view end : {"file", "kubeconfig", "-path"}) {
    if (name.ends_with(end)) return Completes::kFiles;
  }
  return name.ends_with("-dir") ? Completes::kDirectories : Completes::kNothing;
}

std::string HelpOf(const ServerFlagFacts& facts) {
  std::string out;
  if (facts.deprecated) out += "(deprecated) ";
  if (facts.effect == FlagEffect::kIgnored) out += "(ignored) ";
  if (facts.effect == FlagEffect::kRefused) out += "(not supported) ";
  return out.append(facts.about);
}

}  // namespace

FlagSet MakeServerFlagSet(std::vector<BoundServerFlag> flags, std::vector<std::string>& warnings) {
  FlagSet set;
  set.TakeUnderscoresAsDashes();
  for (BoundServerFlag& flag : flags) {
    const ServerFlagFacts facts = flag.facts;
    const std::string shown = flag.default_text;
    auto given = std::make_shared<GivenFlag>(GivenFlag{.flag = std::move(flag)});
    FlagValue value;
    value.is_switch = facts.type == "bool" || facts.type == "version";
    value.set = [given, &warnings](std::string_view text) { return Take(*given, text, warnings); };
    const bool tells_nothing =
        shown == "[]" || shown == "<nil>" || (value.is_switch && shown == "false");
    if (!tells_nothing) value.default_text = shown;
    set.Add({.name = std::string(facts.name),
             .letter = facts.name == "v"      ? 'v'
                       : facts.name == "help" ? 'h'
                                              : '\0',
             .placeholder = std::string(facts.type),
             .help = HelpOf(facts),
             .completes = CompletesOf(facts.name),
             .value = std::move(value),
             .section = Capitalized(facts.section) + " flags",
             .hidden = facts.section.empty()});
  }
  return set;
}

}  // namespace skiff::cli

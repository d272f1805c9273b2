#include "cel/overloads_regex.h"

#include <array>

#include "cel/functions.h"

namespace skiff::cel {
namespace {

Val Illegal(Evaluation& e, const Result<Regex>& regex) {
  return e.Error("Illegal regex: " + regex.error().message());
}

Val ListOf(Evaluation& e, const std::vector<std::string_view>& found) {
  ListBuilder list(e.arena(), found.size());
  for (const std::string_view text : found) list.Add(Val::String(text));
  return list.Done();
}

Val FindOne(Evaluation& e, Args args) {
  const Result<Regex> regex = Regex::Compile(args[1].AsText());
  return regex ? Val::String(regex->Find(args[0].AsText())) : Illegal(e, regex);
}
Val FindEvery(Evaluation& e, Args args) {
  const Result<Regex> regex = Regex::Compile(args[1].AsText());
  return regex ? ListOf(e, regex->FindAll(args[0].AsText())) : Illegal(e, regex);
}
Val FindSome(Evaluation& e, Args args) {
  const Result<Regex> regex = Regex::Compile(args[1].AsText());
  return regex ? ListOf(e, regex->FindAll(args[0].AsText(), args[2].AsInt())) : Illegal(e, regex);
}

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"find", "string_find_string", "string.(string) -> string", FindOne},
    {"findAll", "string_find_all_string", "string.(string) -> list(string)", FindEvery},
    {"findAll", "string_find_all_string_int", "string.(string, int) -> list(string)", FindSome},
});

}  // namespace

std::span<const OverloadRow> RegexFunctions() { return kRows; }

Val InvokeRegex(Evaluation& evaluation, const Regex& regex, std::string_view function,
                std::span<const Val> args) {
  if (!args[0].is_string()) return NoSuchOverload();
  const std::string_view text = args[0].AsText();
  if (function == "matches") return Val::Bool(regex.Matches(text));
  if (function == "find") return Val::String(regex.Find(text));
  return ListOf(evaluation,
                args.size() == 3 ? regex.FindAll(text, args[2].AsInt()) : regex.FindAll(text));
}

}  // namespace skiff::cel

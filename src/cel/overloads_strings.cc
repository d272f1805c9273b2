#include "cel/overloads_strings.h"

#include <array>

#include "cel/format_call.h"
#include "cel/functions.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

Val TextOr(Evaluation& e, const Result<std::string>& text) {
  return text ? e.String(*text) : ErrorOf(e, text);
}
Val IndexOr(Evaluation& e, const Result<int64_t>& index) {
  return index ? Val::Int(*index) : ErrorOf(e, index);
}

Val CharAtOf(Evaluation& e, Args args) {
  return TextOr(e, CharAt(args[0].AsText(), args[1].AsInt()));
}
Val IndexOfText(Evaluation& e, Args args) {
  return IndexOr(e, IndexOf(args[0].AsText(), args[1].AsText()));
}
Val IndexOfTextFrom(Evaluation& e, Args args) {
  return IndexOr(e, IndexOf(args[0].AsText(), args[1].AsText(), args[2].AsInt()));
}
Val LastIndexOfText(Evaluation&, Args args) {
  return Val::Int(LastIndexOf(args[0].AsText(), args[1].AsText()));
}
Val LastIndexOfTextFrom(Evaluation& e, Args args) {
  return IndexOr(e, LastIndexOf(args[0].AsText(), args[1].AsText(), args[2].AsInt()));
}
Val SubstringFrom(Evaluation& e, Args args) {
  return TextOr(e, Substring(args[0].AsText(), args[1].AsInt()));
}
Val SubstringBetween(Evaluation& e, Args args) {
  return TextOr(e, Substring(args[0].AsText(), args[1].AsInt(), args[2].AsInt()));
}
Val ReplaceAll(Evaluation& e, Args args) {
  return TextOr(e, Replace(args[0].AsText(), args[1].AsText(), args[2].AsText()));
}
Val ReplaceSome(Evaluation& e, Args args) {
  return TextOr(e, Replace(args[0].AsText(), args[1].AsText(), args[2].AsText(), args[3].AsInt()));
}

Val Texts(Evaluation& e, const std::vector<std::string_view>& pieces) {
  ListBuilder list(e.arena(), pieces.size());
  for (const std::string_view piece : pieces) list.Add(Val::String(piece));
  return list.Done();
}
Val SplitAll(Evaluation& e, Args args) {
  return Texts(e, Split(args[0].AsText(), args[1].AsText()));
}
Val SplitSome(Evaluation& e, Args args) {
  return Texts(e, Split(args[0].AsText(), args[1].AsText(), args[2].AsInt()));
}

Val JoinWith(Evaluation& e, const Val& list, std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (size_t i = 0; i < ListSize(list); ++i) {
    const Val item = ListAt(e.arena(), list, i);
    if (item.is_error()) return item;
    if (!item.is_string()) return NoSuchOverload();
    pieces.push_back(item.AsText());
  }
  return TextOr(e, Join(pieces, separator));
}
Val JoinAll(Evaluation& e, Args args) { return JoinWith(e, args[0], ""); }
Val JoinSeparated(Evaluation& e, Args args) { return JoinWith(e, args[0], args[1].AsText()); }

Val TrimOf(Evaluation&, Args args) { return Val::String(Trim(args[0].AsText())); }
Val LowerOf(Evaluation& e, Args args) { return e.String(LowerAscii(args[0].AsText())); }
Val UpperOf(Evaluation& e, Args args) { return e.String(UpperAscii(args[0].AsText())); }
Val QuoteOf(Evaluation& e, Args args) { return e.String(Quote(args[0].AsText())); }
Val FormatOf(Evaluation& e, Args args) { return FormatCall(e, args[0].AsText(), args[1]); }
Val EscapeKey(Evaluation& e, Args args) { return e.String(EscapeJsonPointerKey(args[0].AsText())); }

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"charAt", "string_char_at_int", "string.(int) -> string", CharAtOf},
    {"indexOf", "string_index_of_string", "string.(string) -> int", IndexOfText},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int", IndexOfTextFrom},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int", LastIndexOfText},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int",
     LastIndexOfTextFrom},
    {"lowerAscii", "string_lower_ascii", "string.() -> string", LowerOf},
    {"replace", "string_replace_string_string", "string.(string, string) -> string", ReplaceAll},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string",
     ReplaceSome},
    {"split", "string_split_string", "string.(string) -> list(string)", SplitAll},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)", SplitSome},
    {"substring", "string_substring_int", "string.(int) -> string", SubstringFrom},
    {"substring", "string_substring_int_int", "string.(int, int) -> string", SubstringBetween},
    {"trim", "string_trim", "string.() -> string", TrimOf},
    {"upperAscii", "string_upper_ascii", "string.() -> string", UpperOf},
    {"format", "string_format", "string.(list(dyn)) -> string", FormatOf},
    {"strings.quote", "strings_quote", "(string) -> string", QuoteOf},
    {"join", "list_join", "list(string).() -> string", JoinAll},
    {"join", "list_join_string", "list(string).(string) -> string", JoinSeparated},
});
constexpr std::array kJsonPatchRows = std::to_array<OverloadRow>({
    {"jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", "(string) -> string", EscapeKey},
});

}  // namespace

std::span<const OverloadRow> StringFunctions() { return kRows; }
std::span<const OverloadRow> JsonPatchFunctions() { return kJsonPatchRows; }

}  // namespace skiff::cel

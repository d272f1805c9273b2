#include "cel/values/regex_groups.h"

#include <algorithm>

#include <re2/re2.h>

#include "base/strings.h"

namespace skiff::cel {
namespace {

bool IsWord(char c) {
  return IsDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char UpperLetter(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

struct Alias {
  std::string_view name;
  std::string_view group;
};
// Long names of categories.
constexpr Alias kAliases[] = {{"Closepunctuation", "Pe"},
                              {"Cntrl", "Cc"},
                              {"Combiningmark", "M"},
                              {"Connectorpunctuation", "Pc"},
                              {"Control", "Cc"},
                              {"Currencysymbol", "Sc"},
                              {"Dashpunctuation", "Pd"},
                              {"Decimalnumber", "Nd"},
                              {"Digit", "Nd"},
                              {"Enclosingmark", "Me"},
                              {"Finalpunctuation", "Pf"},
                              {"Format", "Cf"},
                              {"Initialpunctuation", "Pi"},
                              {"Letter", "L"},
                              {"Letternumber", "Nl"},
                              {"Lineseparator", "Zl"},
                              {"Lowercaseletter", "Ll"},
                              {"Mark", "M"},
                              {"Mathsymbol", "Sm"},
                              {"Modifierletter", "Lm"},
                              {"Modifiersymbol", "Sk"},
                              {"Nonspacingmark", "Mn"},
                              {"Number", "N"},
                              {"Openpunctuation", "Ps"},
                              {"Other", "C"},
                              {"Otherletter", "Lo"},
                              {"Othernumber", "No"},
                              {"Otherpunctuation", "Po"},
                              {"Othersymbol", "So"},
                              {"Paragraphseparator", "Zp"},
                              {"Privateuse", "Co"},
                              {"Punct", "P"},
                              {"Punctuation", "P"},
                              {"Separator", "Z"},
                              {"Spaceseparator", "Zs"},
                              {"Spacingmark", "Mc"},
                              {"Surrogate", "Cs"},
                              {"Symbol", "S"},
                              {"Titlecaseletter", "Lt"},
                              {"Uppercaseletter", "Lu"}};

// Groups that RE2 does not have, as the inside of brackets, and what is not in them if that can be
// written so.
struct Composed {
  std::string_view name;
  std::string_view members;
  std::string_view others;
};
constexpr std::string_view kAssigned = R"(\pL\pM\pN\pP\pS\pZ\pC)";
constexpr Composed kComposed[] = {
    {"Ascii", R"(\x00-\x7f)", R"(\x{80}-\x{10ffff})"},
    {"Lc", R"(\p{Lu}\p{Ll}\p{Lt})", ""},
    {"Casedletter", R"(\p{Lu}\p{Ll}\p{Lt})", ""},
    {"Assigned", kAssigned, ""},
    {"Cn", "", kAssigned},
    {"Unassigned", "", kAssigned},
};

// Case, spaces, hyphens and underscores do not matter in Go.
std::string CanonicalName(std::string_view name) {
  std::string out;
  for (const char c : AsciiLower(name)) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += out.empty() ? UpperLetter(c) : c;
  }
  return out;
}

}  // namespace

bool UnicodeGroups::IsGroupOfRe2(const std::string& name) {
  if (name.empty() || !std::ranges::all_of(name, IsWord)) return false;
  if (known_.contains(name)) return true;
  if (!re2::RE2("\\p{" + name + "}", re2::RE2::Quiet).ok()) return false;
  known_.insert(name);
  return true;
}

std::optional<std::string> UnicodeGroups::Write(std::string_view name, bool negative,
                                                bool in_class) {
  std::string canonical = CanonicalName(name);
  for (const Composed& each : kComposed) {
    if (each.name != canonical) continue;
    const std::string_view wanted = negative ? each.others : each.members;
    if (!wanted.empty()) return in_class ? std::string(wanted) : "[" + std::string(wanted) + "]";
    if (in_class) return std::nullopt;
    return "[^" + std::string(negative ? each.members : each.others) + "]";
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == canonical) canonical = alias.group;
  }
  // Names of scripts that are several words Go 1.26 has lost; they are taken as they are.
  if (!IsGroupOfRe2(canonical)) canonical = name;
  if (!IsGroupOfRe2(canonical)) return std::nullopt;
  return std::string(negative ? "\\P{" : "\\p{") + canonical + "}";
}

}  // namespace skiff::cel

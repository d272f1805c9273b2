#include "cel/values/escape.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace skiff::cel {
namespace {

constexpr std::string_view kReserved[] = {
    "as",       "break",   "const",  "continue", "else", "false", "for",
    "function", "if",      "import", "in",       "let",  "loop",  "namespace",
    "null",     "package", "return", "true",     "var",  "void",  "while"};
static_assert(std::ranges::is_sorted(kReserved));

constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

constexpr bool IsWordCharacter(char c) {
  return IsDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// What stands between two pairs of underscores at the front of the text; empty if nothing does.
std::string_view Marked(std::string_view text) {
  if (!text.starts_with("__")) return {};
  const size_t end = text.find('_', 2);
  if (end == text.npos || end == 2 || !text.substr(end).starts_with("__")) return {};
  return text.substr(2, end - 2);
}

}  // namespace

bool IsReservedWord(std::string_view word) { return std::ranges::binary_search(kReserved, word); }

std::optional<std::string> EscapeName(std::string_view name) {
  if (name.empty() || IsDigit(name[0])) return std::nullopt;
  if (IsReservedWord(name)) return "__" + std::string(name) + "__";
  std::string out;
  while (!name.empty()) {
    const auto escape = std::ranges::find_if(
        kEscapes, [&](const auto& each) { return name.starts_with(each.first); });
    if (escape != std::end(kEscapes)) {
      out.append("__").append(escape->second).append("__");
      name.remove_prefix(escape->first.size());
    } else if (IsWordCharacter(name[0])) {
      out += name[0];
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> UnescapeName(std::string_view identifier) {
  std::string out;
  const size_t whole = identifier.size();
  while (!identifier.empty()) {
    const std::string_view marked = Marked(identifier);
    if (marked.empty()) {
      out += identifier[0];
      identifier.remove_prefix(1);
      continue;
    }
    const auto escape =
        std::ranges::find_if(kEscapes, [&](const auto& each) { return each.second == marked; });
    if (escape != std::end(kEscapes)) {
      out.append(escape->first);
    } else if (IsReservedWord(marked) && marked.size() + 4 == whole) {
      out.append(marked);
    } else {
      return std::nullopt;
    }
    identifier.remove_prefix(marked.size() + 4);
  }
  return out;
}

}  // namespace skiff::cel

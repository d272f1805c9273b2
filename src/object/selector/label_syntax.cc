#include "object/selector/label_syntax.h"

#include <algorithm>

namespace skiff {
namespace {

constexpr size_t kMaxNameBytes = 63;
constexpr size_t kMaxPrefixBytes = 253;

bool IsLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlnum(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
bool IsName(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}
bool IsSubdomain(std::string_view text) {
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || !IsLower(part.front()) || !IsLower(part.back())) return false;
    if (!std::ranges::all_of(part, [](char c) { return IsLower(c) || c == '-'; })) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string LabelKeyProblem(std::string_view key) {
  std::string_view name = key;
  if (const size_t slash = key.find('/'); slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    const std::string_view prefix = key.substr(0, slash);
    if (prefix.empty()) return "prefix part must be non-empty";
    if (prefix.size() > kMaxPrefixBytes) return "prefix part must be no more than 253 bytes";
    if (!IsSubdomain(prefix)) return "prefix part must be a lowercase DNS subdomain";
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > kMaxNameBytes) return "name part must be no more than 63 bytes";
  return IsName(name) ? "" : "name part must consist of alphanumeric characters, '-', '_' or '.', "
                             "and must start and end with an alphanumeric character";
}

std::string LabelValueProblem(std::string_view value) {
  if (value.size() > kMaxNameBytes) return "must be no more than 63 bytes";
  return value.empty() || IsName(value)
             ? ""
             : "a valid label must be an empty string or consist of alphanumeric characters, '-', "
               "'_' or '.', and must start and end with an alphanumeric character";
}

}  // namespace skiff

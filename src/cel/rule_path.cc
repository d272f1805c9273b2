#include "cel/rule_path.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace skiff::cel {
namespace {

// '…' with Go's escapes; nothing if it is none.
std::optional<std::string> Unquoted(std::string_view token) {
  if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') return {};
  token = token.substr(1, token.size() - 2);
  static constexpr std::string_view kNames = "abfnrtv'\\";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v'\\";
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\') {
      out += token[i];
      continue;
    }
    if (++i == token.size()) return {};
    const size_t known = kNames.find(token[i]);
    if (known == std::string_view::npos) return {};
    out += kValues[known];
  }
  return out;
}

// The next name or delimiter of a path.
std::string_view NextToken(std::string_view& rest) {
  size_t size = 1;
  if (rest[0] == '\'') {
    while (size < rest.size() && (rest[size] != '\'' || rest[size - 1] == '\\')) ++size;
    size = std::min(size + 1, rest.size());
  } else if (rest[0] != '.' && rest[0] != '[' && rest[0] != ']') {
    size = std::min(rest.find_first_of(".[]"), rest.size());
  }
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

}  // namespace

std::optional<std::vector<RulePathStep>> ParseRulePath(std::string_view path) {
  std::vector<RulePathStep> steps;
  while (!path.empty()) {
    const std::string_view token = NextToken(path);
    if ((token != "." && token != "[") || path.empty()) return {};
    std::string name(NextToken(path));
    if (token == "[") {
      const std::optional<std::string> key = Unquoted(name);
      if (!key || path.empty() || NextToken(path) != "]") return {};
      name = *key;
    }
    steps.push_back({std::move(name), token == "["});
  }
  return steps;
}

std::string NormalizedFieldPath(std::string_view path, const Schema& schema) {
  const std::optional<std::vector<RulePathStep>> steps = ParseRulePath(path);
  if (!steps) return {};
  const Schema* now = &schema;
  std::string out;
  for (const RulePathStep& step : *steps) {
    if (now->has_properties) {
      const auto found = now->properties.find(step.name);
      if (found == now->properties.end()) return {};
      out += (out.empty() ? "" : ".") + step.name;
      now = &found->second;
    } else if (now->additional_properties != nullptr) {
      out += "[" + step.name + "]";
      now = now->additional_properties.get();
    } else {
      return {};
    }
  }
  return out;
}

}  // namespace skiff::cel

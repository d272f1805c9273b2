#include "serving/request/query.h"

#include <algorithm>
#include <charconv>

#include "base/hex.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::serving {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
        c == '.' || c == '~') {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  if (text.find_first_of(plus_is_space ? "%+" : "%") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

Result<QueryParameters> QueryParameters::Parse(std::string_view query) {
  QueryParameters out;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    auto name = PercentDecode(part.substr(0, equals), true);
    auto value = PercentDecode(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value) return BadRequest("the query of the URL has a broken escape");
    if (out.parameters_.size() == limits::kMaxQueryParameters) {
      return BadRequest("the query of the URL has too many parameters");
    }
    out.parameters_.push_back({std::move(*name), std::move(*value)});
  }
  return out;
}

const std::string* QueryParameters::Find(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return &parameter.value;
  }
  return nullptr;
}

std::string_view QueryParameters::Get(std::string_view name) const {
  const std::string* found = Find(name);
  return found != nullptr ? std::string_view(*found) : std::string_view();
}

std::vector<std::string_view> QueryParameters::All(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) out.push_back(parameter.value);
  }
  return out;
}

std::string QueryParameters::Encode() const {
  std::vector<const Parameter*> sorted;
  for (const Parameter& parameter : parameters_) sorted.push_back(&parameter);
  std::ranges::stable_sort(sorted, {}, [](const Parameter* each) { return each->name; });
  std::string out;
  for (const Parameter* each : sorted) {
    if (!out.empty()) out += '&';
    AppendEscaped(each->name, out);
    out += '=';
    AppendEscaped(each->value, out);
  }
  return out;
}

bool QueryParameters::IsTrue(std::string_view name) const {
  return OptionalBool(name).value_or(false);
}

std::optional<bool> QueryParameters::OptionalBool(std::string_view name) const {
  const std::string* found = Find(name);
  if (found == nullptr) return std::nullopt;
  return !(*found == "0" || AsciiLower(*found) == "false");
}

Result<std::optional<int64_t>> QueryParameters::OptionalInt(std::string_view name) const {
  const std::string* const found = Find(name);
  if (found == nullptr) return std::nullopt;
  std::string_view text = *found;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (is_number && error == std::errc()) return value;
  return BadRequest("strconv.ParseInt: parsing " + Quoted(*found) +
                    (is_number ? ": value out of range" : ": invalid syntax"));
}

}  // namespace skiff::serving

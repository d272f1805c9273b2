#include "cli/common/flag_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/common/flags.h"
#include "object/scalar/duration.h"
#include "object/scalar/quantity.h"

namespace skiff::cli::flag_values {
namespace {

// Reads one value of a list in CSV from the front of `text`, up to a comma, which stays.
Result<std::string> TakeListValue(std::string_view& text) {
  if (!text.starts_with('"')) {
    const std::string_view value = text.substr(0, text.find(','));
    if (value.find('"') != std::string_view::npos) {
      return BadRequest("a quote must be at the beginning of a value");
    }
    text.remove_prefix(value.size());
    return std::string(value);
  }
  text.remove_prefix(1);
  std::string out;
  while (true) {
    const size_t quote = text.find('"');
    if (quote == std::string_view::npos) return BadRequest("a quote is not closed");
    out += text.substr(0, quote);
    text.remove_prefix(quote + 1);
    if (!text.starts_with('"')) break;
    out += '"';
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] != ',') return BadRequest("a comma must follow a closed quote");
  return out;
}

template <typename Values, typename ShowOne>
std::string InBrackets(const Values& values, ShowOne show_one) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    out += show_one(value);
  }
  return out + "]";
}

// "a=1,b=2" with a value for each name.
Result<void> CheckPairs(std::string_view text, bool needs_values) {
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, SplitList(text));
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == 0 || (needs_values && equals == std::string::npos)) {
      return BadRequest(Quoted(pair) + " is not of the form name=value");
    }
  }
  return {};
}

// Whether a value of that type can be made of the text.
template <typename T>
Result<void> Try(std::string_view text) {
  T value{};
  return Set(value, text, /*first=*/true);
}

Result<void> CheckVersionWord(std::string_view text) {
  bool wanted = false;
  if (text == "raw" || Set(wanted, text, true)) return {};
  return BadRequest(Quoted(text) + " is neither true, false nor raw");
}

}  // namespace

Result<void> Set(std::string& target, std::string_view text, bool /*first*/) {
  target = text;
  return {};
}

Result<void> Set(bool& target, std::string_view text, bool /*first*/) {
  return Switch(&target).set(text);
}

Result<void> Set(double& target, std::string_view text, bool /*first*/) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, target);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return BadRequest(Quoted(text) + " is not a number");
  }
  return {};
}

Result<void> Set(Duration& target, std::string_view text, bool /*first*/) {
  const Result<int64_t> nanos = object::ParseDuration(text);
  if (!nanos) return BadRequest(Quoted(text) + " is not a duration such as 1m30s");
  target = Duration(*nanos);
  return {};
}

Result<void> Set(IpAddress& target, std::string_view text, bool /*first*/) {
  SKIFF_ASSIGN_OR_RETURN(target, IpAddress::Parse(TrimSpace(text)));
  return {};
}

Result<void> Set(std::optional<IpAddress>& target, std::string_view text, bool first) {
  target.reset();
  if (TrimSpace(text).empty()) return {};
  return Set(target.emplace(), text, first);
}

Result<void> Set(std::vector<std::string>& target, std::string_view text, bool first) {
  SKIFF_ASSIGN_OR_RETURN(std::vector<std::string> values, SplitList(text));
  if (first) target.clear();
  std::ranges::move(values, std::back_inserter(target));
  return {};
}

Result<void> Set(std::vector<int32_t>& target, std::string_view text, bool first) {
  if (first) target.clear();
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> values, SplitList(text));
  for (const std::string& value : values) {
    int32_t number = 0;
    SKIFF_RETURN_IF_ERROR(Set(number, std::string_view(value), first));
    target.push_back(number);
  }
  return {};
}

Result<void> Set(std::vector<IpRange>& target, std::string_view text, bool /*first*/) {
  target.clear();
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> values, SplitList(text));
  for (const std::string& value : values) {
    SKIFF_ASSIGN_OR_RETURN(const IpRange range, IpRange::Parse(TrimSpace(value)));
    target.push_back(range);
  }
  return {};
}

Result<void> Set(std::map<std::string, bool, std::less<>>& target, std::string_view text,
                 bool first) {
  if (first) target.clear();
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, SplitList(text));
  for (const std::string& pair : pairs) {
    const std::string_view trimmed = TrimSpace(pair);
    if (trimmed.empty()) continue;
    const size_t equals = trimmed.find('=');
    const std::string_view name = TrimSpace(trimmed.substr(0, equals));
    bool on = true;
    if (equals != std::string_view::npos && equals + 1 < trimmed.size()) {
      const Result<void> set = Set(on, TrimSpace(trimmed.substr(equals + 1)), first);
      if (!set) return BadRequest(std::string(name) + ": " + set.error().message());
    }
    if (name.empty()) return BadRequest(Quoted(trimmed) + " has no name");
    target.insert_or_assign(std::string(name), on);
  }
  return {};
}

Result<std::vector<std::string>> SplitList(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  while (true) {
    SKIFF_ASSIGN_OR_RETURN(std::string value, TakeListValue(text));
    out.push_back(std::move(value));
    if (text.empty()) return out;
    text.remove_prefix(1);
  }
}

std::string Show(const std::string& value) { return value; }
std::string Show(bool value) { return value ? "true" : "false"; }

std::string Show(double value) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), written.ptr);
}

std::string Show(Duration value) {
  std::string out;
  object::AppendDuration(value.count(), out);
  return out;
}

std::string Show(const IpAddress& value) { return value.ToString(); }

std::string Show(const std::optional<IpAddress>& value) {
  return value ? value->ToString() : "<nil>";
}

std::string Show(const std::vector<std::string>& value) {
  return InBrackets(value, [](const std::string& one) { return one; });
}

std::string Show(const std::vector<int32_t>& value) {
  return InBrackets(value, [](int32_t one) { return std::to_string(one); });
}

std::string Show(const std::vector<IpRange>& value) {
  std::string out;
  for (const IpRange& range : value) out += (out.empty() ? "" : ",") + range.ToString();
  return out;
}

std::string Show(const std::map<std::string, bool, std::less<>>& value) {
  std::string out;
  for (const auto& [name, on] : value) {
    out += (out.empty() ? "" : ",") + name + "=" + Show(on);
  }
  return out;
}

Result<void> CheckSyntax(std::string_view type, std::string_view text) {
  if (type == "bool") return Try<bool>(text);
  if (type == "int" || type == "int64" || type == "Level") {
    return Try<int64_t>(text);
  }
  if (type == "int32") return Try<int32_t>(text);
  if (type == "uint") return Try<uint64_t>(text);
  if (type == "float32" || type == "float64") return Try<double>(text);
  if (type == "duration") return Try<Duration>(text);
  if (type == "ip") return Try<std::optional<IpAddress>>(text);
  if (type == "int32Slice") return Try<std::vector<int32_t>>(text);
  if (type == "stringToString") return CheckPairs(text, /*needs_values=*/true);
  if (type == "mapStringString") return CheckPairs(text, /*needs_values=*/false);
  if (type == "version") return CheckVersionWord(text);
  if (type == "stringSlice") {
    const Result<std::vector<std::string>> values = SplitList(text);
    return values ? Result<void>() : std::unexpected(values.error());
  }
  if (type == "quantity") {
    Result<object::Quantity> quantity = object::Quantity::Parse(text);
    return quantity ? Result<void>() : std::unexpected(std::move(quantity).error());
  }
  return {};
}

bool MeansTheSame(std::string_view type, std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (type == "bool") {
    bool first = false;
    bool second = false;
    return Set(first, a, true) && Set(second, b, true) && first == second;
  }
  if (type == "duration") {
    Duration first{};
    Duration second{};
    return Set(first, a, true) && Set(second, b, true) && first == second;
  }
  if (type == "stringSlice" && b.starts_with('[')) return a == b.substr(1, b.size() - 2);
  return false;
}

}  // namespace skiff::cli::flag_values

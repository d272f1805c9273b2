#include "serving/request/accept.h"

#include <charconv>
#include <optional>

#include "base/limits.h"

namespace skiff::serving {
namespace {

// Takes the text before the first `separator` off the front of `rest`.
std::string_view TakeUntil(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return taken;
}

std::string_view TrimBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

double ParseQuality(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

void ParseParameter(std::string_view text, MediaRange& range) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view value = text.substr(equals + 1);
  if (value.empty() || value.find('=') != std::string_view::npos) return;
  const std::string_view name = TrimBlanks(text.substr(0, equals));
  if (name == "q") {
    range.q = ParseQuality(value);
  } else if (range.parameters.size() < limits::kMaxAcceptParameters) {
    range.parameters.emplace_back(name, TrimBlanks(value));
  }
}

std::optional<MediaRange> ParseRange(std::string_view text) {
  MediaRange range;
  std::string_view rest = TrimBlanks(text);
  const std::string_view name = TakeUntil(rest, ';');
  const size_t slash = name.find('/');
  range.type = TrimBlanks(name.substr(0, slash));
  if (slash == std::string_view::npos || slash + 1 == name.size()) {
    if (range.type != "*") return std::nullopt;
    range.subtype = "*";
  } else {
    range.subtype = TrimBlanks(name.substr(slash + 1));
    if (range.subtype.find('/') != std::string_view::npos) return std::nullopt;
  }
  while (!rest.empty()) ParseParameter(TakeUntil(rest, ';'), range);
  return range;
}

bool GoesBefore(const MediaRange& a, const MediaRange& b) {
  return a.q > b.q || (a.type != "*" && b.type == "*") || (a.subtype != "*" && b.subtype == "*");
}

}  // namespace

std::string_view MediaRange::Parameter(std::string_view name) const {
  for (size_t i = parameters.size(); i-- != 0;) {
    if (parameters[i].first == name) return parameters[i].second;
  }
  return {};
}

bool MediaRange::Covers(std::string_view media_type) const {
  const std::string_view its_type = TakeUntil(media_type, '/');
  if (type == "*" && subtype == "*") return true;
  return type == its_type && (subtype == "*" || subtype == media_type);
}

std::vector<MediaRange> ParseAccept(std::string_view header) {
  std::vector<MediaRange> ranges;
  while (!header.empty() && ranges.size() < limits::kMaxAcceptRanges) {
    std::optional<MediaRange> range = ParseRange(TakeUntil(header, ','));
    if (!range) continue;
    ranges.push_back(*std::move(range));
    for (size_t i = ranges.size() - 1; i != 0 && GoesBefore(ranges[i], ranges[i - 1]); --i) {
      std::swap(ranges[i], ranges[i - 1]);
    }
  }
  return ranges;
}

}  // namespace skiff::serving

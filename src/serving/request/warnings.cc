#include "serving/request/warnings.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/limits.h"

namespace skiff::serving {
namespace {

// What is left of a long text when there is too much to tell, as in Kubernetes.
constexpr size_t kCutCharacters = 256;

// Of UTF-8: all bytes but those that go on with a character.
bool IsStart(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, IsStart));
}

std::string_view FirstCharacters(std::string_view text, size_t count) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsStart(text[i]) && count-- == 0) return text.substr(0, i);
  }
  return text;
}

// As a quoted string of HTTP; control characters cannot be told.
std::string Header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts) {
  std::vector<std::string_view> all;
  std::set<std::string_view> known;
  size_t characters = 0;
  for (const std::string& text : texts) {
    if (text.empty() || !known.insert(text).second) continue;
    all.push_back(text);
    characters += Characters(text);
  }
  const bool cuts = characters > limits::kMaxWarningBytes;
  std::vector<std::string> out;
  size_t told = 0;
  for (std::string_view text : all) {
    if (cuts && told >= limits::kMaxWarningBytes) break;
    if (cuts) text = FirstCharacters(text, kCutCharacters);
    told += Characters(text);
    out.push_back(Header(text));
  }
  return out;
}

}  // namespace skiff::serving

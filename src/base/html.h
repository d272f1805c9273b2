// Text within HTML.
#pragma once

#include <string>
#include <string_view>

namespace skiff {

// The text with & < > as HTML writes them, and every double quote if `quotes`.
inline std::string EscapeHtml(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"' && quotes) {
      out += "&#34;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace skiff

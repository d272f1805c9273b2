#include "cli/common/diagnostics.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "base/hex.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "object/json/text.h"

namespace skiff::cli {
namespace {

constexpr size_t kMaxPrintedBytes = 1000;

// What to write instead, for messages that leave people wondering.
std::string_view Advice(std::string_view message, bool in_yaml) {
  if (in_yaml && (message == "expected a string, got a boolean" ||
                  message == "expected a string, got a number")) {
    return "; in YAML such a string needs quotes";
  }
  if (message.starts_with("quantities must match") ||
      message == "unable to parse quantity's suffix") {
    return ": a number and one of n u m k M G T P E Ki Mi Gi Ti Pi Ei or none, such as 500m or "
           "1.5Gi";
  }
  return "";
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const size_t length = std::max<size_t>(Utf8SequenceLength(at, end), 1);
    const auto byte = static_cast<unsigned char>(*at);
    // U+0080 to U+009F, c2 80 to c2 9f, are control characters too.
    const bool is_c1 = byte == 0xc2 && length == 2 && static_cast<unsigned char>(at[1]) < 0xa0;
    const bool is_control = byte < 0x20 || byte == 0x7f || is_c1;
    if (is_control || (length == 1 && byte >= 0x80)) {
      for (size_t i = 0; i < length; ++i) (out += "\\x") += HexByte(at[i]);
    } else {
      out.append(at, length);
    }
    at += length;
  }
  if (out.size() <= kMaxPrintedBytes) return out;
  // Both ends matter: the place is at the front, what is wrong with it at the end.
  const auto is_inside = [&out](size_t at) {
    return (static_cast<unsigned char>(out[at]) & 0xc0) == 0x80;
  };
  size_t head = kMaxPrintedBytes / 2;
  size_t tail = out.size() - kMaxPrintedBytes / 2;
  while (is_inside(head)) --head;
  while (is_inside(tail)) ++tail;
  return out.substr(0, head) + "..." + out.substr(tail);
}

void Diagnostics::Error(TextPosition position, std::string_view field, std::string_view message) {
  ++error_count_;
  Add(position, "", field, std::string(message).append(Advice(message, in_yaml_)));
}

void Diagnostics::Warn(TextPosition position, std::string_view field, std::string_view message) {
  Add(position, "warning: ", field, message);
}

void Diagnostics::Add(TextPosition position, std::string_view label, std::string_view field,
                      std::string_view message) {
  if (printed_ + pending_.size() >= limits::kMaxConvertDiagnostics) {
    ++left_out_;
    return;
  }
  std::string text = source_;
  if (position.line != 0) {
    text += ':' + std::to_string(position.line) + ':' + std::to_string(position.column);
  }
  text += ": ";
  text += label;
  if (!field.empty()) text.append(field).append(": ");
  text += message;
  pending_.push_back({position, Printable(text)});
}

void Diagnostics::Flush() {
  std::ranges::stable_sort(pending_, {}, [](const Line& line) {
    return std::tuple(line.position.line, line.position.column);
  });
  for (const Line& line : pending_) std::fprintf(stderr, "%s\n", line.text.c_str());
  printed_ += pending_.size();
  pending_.clear();
}

void Diagnostics::Finish() {
  Flush();
  if (left_out_ != 0) std::fprintf(stderr, "skiff convert: %zu more not shown\n", left_out_);
}

}  // namespace skiff::cli

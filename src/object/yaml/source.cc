#include "object/yaml/source.h"

#include <algorithm>
#include <new>

namespace skiff {
namespace {

// The bytes of the line break that begins at `at`; 0 if none does. YAML 1.1 has five of them.
size_t BreakLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const size_t left = text.size() - at;
  switch (byte(0)) {
    case '\n': return 1;
    case '\r': return left >= 2 && byte(1) == '\n' ? 2 : 1;
    case 0xc2: return left >= 2 && byte(1) == 0x85 ? 2 : 0;
    case 0xe2: return left >= 3 && byte(1) == 0x80 && (byte(2) & 0xfe) == 0xa8 ? 3 : 0;
    default: return 0;
  }
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string HexOf(int value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned rest = static_cast<unsigned>(value); rest != 0 || out.empty(); rest >>= 4) {
    out.insert(out.begin(), kDigits[rest & 15]);
  }
  return "0x" + out;
}

}  // namespace

YamlSource::YamlSource(std::string_view text, uint32_t first_line)
    : text_(text), first_line_(first_line) {
  is_utf16_ = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (is_utf16_) return;
  byte_ = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  line_starts_.push_back(byte_);
  for (size_t at = byte_; at < text.size();) {
    const size_t length = BreakLength(text, at);
    at += std::max<size_t>(length, 1);
    if (length != 0) line_starts_.push_back(at);
  }
}

size_t YamlSource::ByteOf(const yaml_mark_t& mark) {
  if (mark.line != line_) {
    line_ = std::min(mark.line, line_starts_.size() - 1);
    column_ = 0;
    byte_ = line_starts_[line_];
  }
  const size_t line_start = line_starts_[line_];
  while (column_ < mark.column && byte_ < text_.size()) {
    do ++byte_;
    while (byte_ < text_.size() && IsContinuation(text_[byte_]));
    ++column_;
  }
  while (column_ > mark.column && byte_ > line_start) {
    do --byte_;
    while (byte_ > line_start && IsContinuation(text_[byte_]));
    --column_;
  }
  return byte_;
}

TextPosition YamlSource::PositionOf(const yaml_mark_t& mark) {
  const uint32_t line = first_line_ + static_cast<uint32_t>(mark.line);
  if (is_utf16_) return {line, static_cast<uint32_t>(mark.column) + 1};
  const size_t byte = ByteOf(mark);
  return {line, static_cast<uint32_t>(byte - line_starts_[line_]) + 1};
}

TextPosition YamlSource::PositionOfByte(size_t offset) const {
  if (is_utf16_) return {};
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  if (after == line_starts_.begin()) return {first_line_, 1};
  const auto line = static_cast<uint32_t>(after - line_starts_.begin() - 1);
  return {first_line_ + line, static_cast<uint32_t>(offset - line_starts_[line]) + 1};
}

std::string_view YamlSource::TextAt(const yaml_mark_t& mark) {
  if (is_utf16_) return {};
  return text_.substr(std::min(ByteOf(mark), text_.size()));
}

std::string YamlSource::ProblemText(const yaml_parser_t& parser) {
  const std::string_view problem = parser.problem != nullptr ? parser.problem : "invalid YAML";
  const std::string_view at = TextAt(parser.problem_mark);
  if (problem == "found character that cannot start any token" && !at.empty()) {
    if (at[0] == '\t') return "found a tab; YAML is indented with spaces only";
    return "found '" + std::string(1, at[0]) + "', which no plain value may begin with; quote it";
  }
  if (problem == "found a tab character that violates indentation" ||
      problem == "found a tab character where an indentation space is expected") {
    return std::string(problem) + "; YAML is indented with spaces only";
  }
  if (problem == "mapping values are not allowed in this context") {
    return std::string(problem) + "; check the indentation, and quote a value that contains ': '";
  }
  if (problem == "could not find expected ':'") {
    return std::string(problem) + " after a key";
  }
  if (problem == "did not find expected <document start>") {
    return std::string(problem) + "; another document must begin with '---'";
  }
  return std::string(problem);
}

Status YamlSource::ErrorOf(const yaml_parser_t& parser) {
  if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  if (parser.error == YAML_READER_ERROR) {
    std::string message = parser.problem != nullptr ? parser.problem : "unreadable text";
    if (parser.problem_value != -1) message += " (" + HexOf(parser.problem_value) + ")";
    Status status(StatusReason::kBadRequest, std::move(message));
    status.SetPosition(PositionOfByte(parser.problem_offset));
    return status;
  }
  std::string message = ProblemText(parser);
  if (parser.context != nullptr) {
    message += " (" + std::string(parser.context);
    if (parser.context_mark.line != parser.problem_mark.line) {
      message += " that begins on line " + std::to_string(PositionOf(parser.context_mark).line);
    }
    message += ")";
  }
  Status status(StatusReason::kBadRequest, std::move(message));
  status.SetPosition(PositionOf(parser.problem_mark));
  return status;
}

}  // namespace skiff

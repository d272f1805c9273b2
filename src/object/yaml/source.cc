#include "object/yaml/source.h"

#include <algorithm>
#include <new>

#include "base/hex.h"

namespace skiff::object {
namespace {

// The bytes of the line break that begins at `at`; 0 if none does. YAML 1.1 has five of them.
size_t BreakLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const size_t left = text.size() - at;
  switch (byte(0)) {
    case '\n':
      return 1;
    case '\r':
      return left >= 2 && byte(1) == '\n' ? 2 : 1;
    case 0xc2:
      return left >= 2 && byte(1) == 0x85 ? 2 : 0;
    case 0xe2:
      return left >= 3 && byte(1) == 0x80 && (byte(2) & 0xfe) == 0xa8 ? 3 : 0;
    default:
      return 0;
  }
}

bool IsAscii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

YamlSource::YamlSource(std::string_view text, uint32_t first_line)
    : text_(text), first_line_(first_line) {
  is_utf16_ = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  bom_bytes_ = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  text_.remove_prefix(bom_bytes_);
  is_ascii_ = IsAscii(text_);
}

size_t YamlSource::Back(size_t byte, size_t characters) const {
  if (is_ascii_) return byte - std::min(byte, characters);
  for (; characters != 0 && byte != 0; --characters) {
    do --byte;
    while (byte != 0 && IsContinuation(text_[byte]));
  }
  return byte;
}

size_t YamlSource::Forward(size_t byte, size_t characters) const {
  if (is_ascii_) return std::min(byte + characters, text_.size());
  for (; characters != 0 && byte < text_.size(); --characters) {
    do ++byte;
    while (byte < text_.size() && IsContinuation(text_[byte]));
  }
  return byte;
}

size_t YamlSource::ByteOf(const yaml_mark_t& mark) {
  byte_ =
      mark.index >= index_ ? Forward(byte_, mark.index - index_) : Back(byte_, index_ - mark.index);
  index_ = mark.index;
  return byte_;
}

TextPosition YamlSource::PositionOf(const yaml_mark_t& mark) {
  const uint32_t line = first_line_ + static_cast<uint32_t>(mark.line);
  if (is_utf16_) return {line, static_cast<uint32_t>(mark.column) + 1};
  const size_t byte = ByteOf(mark);
  if (mark.line != line_) {
    line_ = mark.line;
    line_start_ = Back(byte, mark.column);
  }
  return {line, static_cast<uint32_t>(byte - line_start_) + 1};
}

TextPosition YamlSource::PositionOfByte(size_t offset) const {
  if (is_utf16_) return {};
  const size_t byte = std::min(offset - std::min(offset, bom_bytes_), text_.size());
  uint32_t line = first_line_;
  size_t line_start = 0;
  for (size_t at = 0; at < byte;) {
    const size_t length = BreakLength(text_, at);
    at += std::max<size_t>(length, 1);
    if (length == 0 || at > byte) continue;
    ++line;
    line_start = at;
  }
  return {line, static_cast<uint32_t>(byte - line_start) + 1};
}

std::string_view YamlSource::TextAt(const yaml_mark_t& mark) {
  return is_utf16_ ? std::string_view() : text_.substr(ByteOf(mark));
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
    if (parser.problem_value != -1)
      message += " (0x" + HexNumber(static_cast<unsigned>(parser.problem_value)) + ")";
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

}  // namespace skiff::object

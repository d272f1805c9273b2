// The text that libyaml reads, and where things stand in it.
//
// libyaml's marks count lines and characters; positions for people count bytes, and go on counting
// where the text is a part of a longer stream. No index of the text is built: in ASCII both are the
// same, and otherwise the marks of a document follow one another, so each is a short walk from the
// one before. Its errors are short and assume that one knows how a YAML scanner works, so the
// frequent ones are explained here.
#pragma once

#include <yaml.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::object {

class YamlSource {
 public:
  // `first_line` is the number of the text's first line in the stream that it is a part of.
  YamlSource(std::string_view text, uint32_t first_line);

  TextPosition PositionOf(const yaml_mark_t& mark);
  TextPosition PositionOfByte(size_t offset) const;
  // The text from a mark on. Empty for UTF-16, whose bytes are not what libyaml counts.
  std::string_view TextAt(const yaml_mark_t& mark);

  // What went wrong in a parser whose last call failed.
  Status ErrorOf(const yaml_parser_t& parser);

 private:
  size_t ByteOf(const yaml_mark_t& mark);
  // The byte `characters` before or after a byte, as far as the text goes.
  size_t Back(size_t byte, size_t characters) const;
  size_t Forward(size_t byte, size_t characters) const;
  std::string ProblemText(const yaml_parser_t& parser);

  std::string_view text_;  // without its byte order mark
  size_t bom_bytes_ = 0;
  uint32_t first_line_;
  bool is_utf16_;
  bool is_ascii_;
  // Where the last look-up ended, and the line that it found.
  size_t index_ = 0;
  size_t byte_ = 0;
  size_t line_ = 0;
  size_t line_start_ = 0;
};

}  // namespace skiff::object

// The text that libyaml reads, and where things stand in it.
//
// libyaml's marks count lines and characters; positions for people count bytes, and go on counting
// where the text is a part of a longer stream. Its errors are short and assume that one knows how
// a YAML scanner works, so the frequent ones are explained here.
#pragma once

#include <yaml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff {

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
  std::string ProblemText(const yaml_parser_t& parser);

  std::string_view text_;
  uint32_t first_line_;
  bool is_utf16_;
  std::vector<size_t> line_starts_;
  // Where the last look-up ended. Marks come in order, so the next one is a short walk away.
  size_t line_ = 0;
  size_t column_ = 0;
  size_t byte_ = 0;
};

}  // namespace skiff

// The tokens of a label selector's text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skiff::object {

struct LabelToken {
  enum Kind : uint8_t {
    kEnd,
    kWord,
    kIn,     // also a word where no operator can stand
    kNotIn,  // likewise
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kNot,
    kGreater,
    kLess,
    kComma,
    kOpen,
    kClose,
  };
  Kind kind;
  std::string_view text;  // lies in the selector's text

  bool is_word() const { return kind == kWord || kind == kIn || kind == kNotIn; }
};

// The last token, and only the last, is kEnd. Every text can be lexed: what is no operator is part
// of a word.
std::vector<LabelToken> LexLabelSelector(std::string_view text);

}  // namespace skiff::object

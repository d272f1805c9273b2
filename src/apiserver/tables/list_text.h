// Several texts as one: "a,b,c", or "a,b,c + 4 more..." where only so many are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace skiff::apiserver {

class ListText {
 public:
  explicit ListText(std::string_view separator, size_t shown = SIZE_MAX)
      : separator_(separator), shown_(shown) {}

  void Add(std::string_view text) {
    if (count_++ >= shown_) return;
    if (count_ > 1) text_ += separator_;
    text_ += text;
  }

  size_t count() const { return count_; }
  // Whether there is not a letter to show, as of no texts, or of a single empty one.
  bool shows_nothing() const { return text_.empty() && count_ <= shown_; }

  std::string Take() {
    if (count_ > shown_) text_ += " + " + std::to_string(count_ - shown_) + " more...";
    return std::move(text_);
  }

 private:
  std::string_view separator_;
  size_t shown_;
  size_t count_ = 0;
  std::string text_;
};

// ASCII only, which is all that the names of kinds, groups and resources have.
inline std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace skiff::apiserver

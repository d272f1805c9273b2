// A cursor over JSON text: the tokens of RFC 8259, nothing more, with an offset for every error.
//
// It never reads outside [begin, end) and needs no padding. Methods that can fail return false and
// leave the reason and its place in error(); the first error stays. What a value means (fields,
// types, defaults) is the business of the decoders on top.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "object/json/simd.h"

namespace skiff::object {

// The message of a value with more levels than limits::kMaxDepth.
inline constexpr const char* kNestedTooDeeply = "the value is nested too deeply";

struct JsonError {
  const char* message = nullptr;  // a constant; null when there is no error
  size_t offset = 0;
};

// What is wrong where readers of lists and objects do not find the character they need.
inline constexpr const char* kExpectedArrayEnd = "expected ',' or ']' in an array";
inline constexpr const char* kExpectedObjectEnd = "expected ',' or '}' in an object";
inline constexpr const char* kExpectedColon = "expected ':' after a key";

// The kind of value that begins at the cursor, told by its first character.
enum class JsonKind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject, kInvalid };

std::string_view JsonKindName(JsonKind kind);  // "a number", for messages

// The kind by the first character.
inline constexpr auto kJsonKinds = [] {
  std::array<JsonKind, 256> kinds;
  kinds.fill(JsonKind::kInvalid);
  kinds['{'] = JsonKind::kObject;
  kinds['['] = JsonKind::kArray;
  kinds['"'] = JsonKind::kString;
  kinds['t'] = kinds['f'] = JsonKind::kBool;
  kinds['n'] = JsonKind::kNull;
  kinds['-'] = JsonKind::kNumber;
  for (char digit = '0'; digit <= '9'; ++digit) {
    kinds[static_cast<unsigned char>(digit)] = JsonKind::kNumber;
  }
  return kinds;
}();

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  bool AtEnd() const { return at_ == end_; }
  const JsonError& error() const { return error_; }
  std::string_view TextFrom(size_t offset) const { return {begin_ + offset, at_}; }

  void SkipSpace() {
    // Compact text, the common case, has none.
    if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ') [[likely]]
      return;
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  // Skips space; then takes `c` if it is next.
  bool Take(char c) {
    SkipSpace();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c, const char* message) { return Take(c) || Fail(message); }

  // Skips space and looks at the first character of the value that follows.
  JsonKind Peek() {
    SkipSpace();
    if (at_ == end_) return JsonKind::kInvalid;
    return kJsonKinds[static_cast<unsigned char>(*at_)];
  }

  // Takes `text` if it is next, without skipping space. Its bytes must be readable for a vector
  // beyond its size.
  bool TakeText(const char* text, size_t size) {
    if (static_cast<size_t>(end_ - at_) < size + kSimdWidth) [[unlikely]]
      return false;
    for (size_t i = 0; i < size; i += kSimdWidth) {
      const uint32_t equal = MaskEqual(at_ + i, text + i);
      const size_t wanted = size - i;
      const uint32_t mask = wanted >= kSimdWidth ? 0xffff : (uint32_t{1} << wanted) - 1;
      if ((equal & mask) != mask) return false;
    }
    at_ += size;
    return true;
  }

  // Strings. The view is into the text where nothing is escaped, else into `arena`.
  bool ReadString(Arena& arena, std::string_view* out) {
    if (!Expect('"', "expected a string")) return false;
    const char* const start = at_;
    SkipPlainCharacters();
    if (at_ != end_ && *at_ == '"') [[likely]] {
      *out = {start, at_};
      ++at_;
      return true;
    }
    return ReadStringSlow(start, arena, out);
  }
  // As ReadString, and always a copy of its own.
  bool ReadStringCopy(Arena& arena, std::string_view* out) {
    if (!ReadString(arena, out)) return false;
    // What ReadStringSlow made lies in the arena already.
    if (out->data() >= begin_ && out->data() < end_) *out = arena.Copy(*out);
    return true;
  }

  bool ReadBool(bool* out);
  bool ReadNull();
  // The text of a number that follows JSON's grammar.
  bool ReadNumber(std::string_view* out);

  // Passes over one value of any kind, checking that it is JSON; nesting counts from `depth`.
  bool SkipValue(int depth);

  bool Fail(const char* message) { return FailAt(offset(), message); }
  bool FailAt(size_t offset, const char* message) {
    if (error_.message == nullptr) error_ = {message, offset};
    return false;
  }

 private:
  bool ReadLiteral(std::string_view literal);
  // The rest of a string whose plain part ended at `at_` with an escape or a non-ASCII character;
  // `start` is the first character after the quote.
  bool ReadStringSlow(const char* start, Arena& arena, std::string_view* out);
  bool ReadEscape(char*& to);
  bool ReadHex4(unsigned* out);
  // Moves to the closing quote, an escape, a control or non-ASCII character, or the end.
  void SkipPlainCharacters() {
    while (end_ - at_ >= static_cast<ptrdiff_t>(kSimdWidth)) {
      if (const uint32_t mask = MaskStringEnd(at_); mask != 0) {
        at_ += std::countr_zero(mask);
        return;
      }
      at_ += kSimdWidth;
    }
    SkipPlainCharactersSlow();
  }
  void SkipPlainCharactersSlow();  // near the end of the text
  // Passes over the rest of a string, its closing quote included.
  bool SkipString() {
    SkipPlainCharacters();
    if (at_ != end_ && *at_ == '"') [[likely]] {
      ++at_;
      return true;
    }
    return SkipStringSlow();
  }
  bool SkipStringSlow();  // from an escape or a non-ASCII character on

  const char* begin_;
  const char* at_;
  const char* end_;
  JsonError error_;
};

// An integer literal that fits an int64. False for fractions, exponents and larger numbers.
bool ParseJsonInt(std::string_view number, int64_t* out);
bool ParseJsonUint(std::string_view number, uint64_t* out);
// Any number; false when it does not fit a double.
bool ParseJsonDouble(std::string_view number, double* out);

// True if the text is one JSON value, perhaps with white space around it.
bool IsValidJson(std::string_view text);

}  // namespace skiff::object

#include "object/json/cursor.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/limits.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "object/json/text.h"

namespace skiff::object {
namespace {

constexpr const char* kUnterminated = "the string has no closing quote";
constexpr const char* kControlCharacter = "a control character in a string must be escaped";
constexpr const char* kInvalidUtf8 = "the string is not valid UTF-8";
constexpr const char* kBadEscape = "unknown escape sequence in a string";

// What may follow a backslash.
constexpr auto kEscapeLetters = [] {
  std::array<bool, 256> letters{};
  for (const char c : std::string_view("\"\\/bfnrtu")) {
    letters[static_cast<unsigned char>(c)] = true;
  }
  return letters;
}();

}  // namespace

std::string_view JsonKindName(JsonKind kind) {
  constexpr std::string_view kNames[] = {"null",     "a boolean", "a number",         "a string",
                                         "an array", "an object", "something invalid"};
  return kNames[static_cast<size_t>(kind)];
}

void JsonCursor::SkipPlainCharactersSlow() {
  while (at_ != end_) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') return;
    ++at_;
  }
}

bool JsonCursor::ReadStringSlow(const char* start, Arena& arena, std::string_view* out) {
  // Find the end first: decoding never makes a string longer than its text.
  const char* const resume = at_;
  if (!SkipString()) return false;
  const char* const close = at_ - 1;
  char* const room = arena.AllocateChars(static_cast<size_t>(close - start));
  std::memcpy(room, start, static_cast<size_t>(resume - start));
  char* to = room + (resume - start);
  at_ = resume;
  while (at_ != close) {
    const char* const plain = at_;
    SkipPlainCharacters();
    while (at_ != close && *at_ != '\\') {  // checked by SkipString
      ++at_;
    }
    std::memcpy(to, plain, static_cast<size_t>(at_ - plain));
    to += at_ - plain;
    if (at_ != close && !ReadEscape(to)) return false;
  }
  ++at_;
  *out = {room, to};
  return true;
}

bool JsonCursor::SkipStringSlow() {
  while (true) {
    SkipPlainCharacters();
    if (at_ == end_) return Fail(kUnterminated);
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      if (end_ - at_ < 2) return Fail(kUnterminated);
      if (!kEscapeLetters[static_cast<unsigned char>(at_[1])]) return Fail(kBadEscape);
      at_ += 2;
      unsigned code;
      if (at_[-1] == 'u' && !ReadHex4(&code)) return false;
      continue;
    }
    if (c < 0x20) return Fail(kControlCharacter);
    const size_t length = Utf8SequenceLength(at_, end_);
    if (length == 0) return Fail(kInvalidUtf8);
    at_ += length;
  }
}

bool JsonCursor::ReadHex4(unsigned* out) {
  unsigned code = 0;
  if (end_ - at_ < 4) return Fail(kBadEscape);
  const auto result = std::from_chars(at_, at_ + 4, code, 16);
  if (result.ptr != at_ + 4 || *at_ == '-' || *at_ == '+') return Fail(kBadEscape);
  at_ += 4;
  *out = code;
  return true;
}

bool JsonCursor::ReadEscape(char*& to) {
  const char letter = at_[1];
  at_ += 2;
  switch (letter) {
    case 'b':
      *to++ = '\b';
      return true;
    case 'f':
      *to++ = '\f';
      return true;
    case 'n':
      *to++ = '\n';
      return true;
    case 'r':
      *to++ = '\r';
      return true;
    case 't':
      *to++ = '\t';
      return true;
    case 'u':
      break;
    default:
      *to++ = letter;
      return true;
  }
  unsigned code;
  if (!ReadHex4(&code)) return false;
  if (code >= 0xd800 && code < 0xe000) {
    // A pair of surrogates is one character; a lone one becomes U+FFFD, as in Go.
    unsigned low = 0;
    if (code < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
      const char* const before = at_;
      at_ += 2;
      if (!ReadHex4(&low)) return false;
      if (low < 0xdc00 || low >= 0xe000) at_ = before;
    }
    code =
        low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
  }
  if (code < 0x80) {
    *to++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *to++ = static_cast<char>(0xc0 | (code >> 6));
    *to++ = static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = static_cast<char>(0xe0 | (code >> 12));
    *to++ = static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    *to++ = static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *to++ = static_cast<char>(0xf0 | (code >> 18));
    *to++ = static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    *to++ = static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    *to++ = static_cast<char>(0x80 | (code & 0x3f));
  }
  return true;
}

bool JsonCursor::ReadLiteral(std::string_view literal) {
  if (std::string_view(at_, end_).starts_with(literal)) {
    at_ += literal.size();
    return true;
  }
  return Fail("expected a value");
}

bool JsonCursor::ReadBool(bool* out) {
  SkipSpace();
  *out = at_ != end_ && *at_ == 't';
  return ReadLiteral(*out ? "true" : "false");
}

bool JsonCursor::ReadNull() {
  SkipSpace();
  return ReadLiteral("null");
}

bool JsonCursor::ReadNumber(std::string_view* out) {
  SkipSpace();
  const char* const start = at_;
  const auto take_digits = [this] {
    const char* const first = at_;
    while (at_ != end_ && IsDigit(*at_)) ++at_;
    return at_ != first;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
    if (at_ != end_ && IsDigit(*at_)) return Fail("a number must not begin with 0");
  } else if (!take_digits()) {
    return Fail("expected a number");
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!take_digits()) return Fail("expected digits after the decimal point");
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!take_digits()) return Fail("expected digits in the exponent");
  }
  *out = {start, at_};
  return true;
}

bool JsonCursor::SkipValue(int depth) {
  if (depth > limits::kMaxDepth) return Fail(kNestedTooDeeply);
  std::string_view number;
  bool boolean;
  switch (Peek()) {
    case JsonKind::kNull:
      return ReadNull();
    case JsonKind::kBool:
      return ReadBool(&boolean);
    case JsonKind::kNumber:
      return ReadNumber(&number);
    case JsonKind::kString:
      ++at_;
      return SkipString();
    case JsonKind::kArray:
      ++at_;
      if (Take(']')) return true;
      do {
        if (!SkipValue(depth + 1)) return false;
      } while (Take(','));
      return Expect(']', kExpectedArrayEnd);
    case JsonKind::kObject:
      ++at_;
      if (Take('}')) return true;
      do {
        if (!Expect('"', "expected a key in quotes") || !SkipString()) return false;
        if (!Expect(':', kExpectedColon)) return false;
        // Sets of fields, most of the JSON that is passed over, have such leaves.
        if (depth < limits::kMaxDepth && end_ - at_ >= 2 && at_[0] == '{' && at_[1] == '}') {
          at_ += 2;
        } else if (!SkipValue(depth + 1)) {
          return false;
        }
      } while (Take(','));
      return Expect('}', kExpectedObjectEnd);
    case JsonKind::kInvalid:
      break;
  }
  return Fail(AtEnd() ? "the text ends where a value is expected" : "expected a value");
}

bool ParseJsonInt(std::string_view number, int64_t* out) {
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

bool ParseJsonUint(std::string_view number, uint64_t* out) {
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

bool ParseJsonDouble(std::string_view number, double* out) {
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, *out);
  // Too small for a double is zero, as in Go; too large is an error. from_chars does not say which.
  if (result.ec == std::errc::result_out_of_range) {
    *out = std::strtod(std::string(number).c_str(), nullptr);
    return std::isfinite(*out);
  }
  return result.ec == std::errc() && result.ptr == end;
}

bool IsValidJson(std::string_view text) {
  JsonCursor cursor(text);
  if (!cursor.SkipValue(0)) return false;
  cursor.SkipSpace();
  return cursor.AtEnd();
}

}  // namespace skiff::object

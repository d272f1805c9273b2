#include "cel/values/strings.h"

#include <algorithm>
#include <cstring>

#include "base/strings.h"
#include "base/utf8.h"

namespace skiff::cel {
namespace {

constexpr size_t kNone = std::string_view::npos;

auto OutOfRange(int64_t index) {
  return BadRequest("index out of range: " + std::to_string(index));
}

auto TooLong() {
  return BadRequest("result is longer than " + std::to_string(kMaxResultBytes) + " bytes");
}

size_t CharacterBytes(std::string_view text, size_t at) {
  return std::max<size_t>(Utf8SequenceLength(text.data() + at, text.data() + text.size()), 1);
}

// The byte at which the character `index` begins, which may be the end; kNone beyond that.
size_t ByteOf(std::string_view text, int64_t index) {
  if (index < 0) return kNone;
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += CharacterBytes(text, at);
  return index == 0 ? at : kNone;
}

// Linear, which std::string_view::find() is not.
size_t FindFrom(std::string_view text, std::string_view sought, size_t from) {
  if (from > text.size() || sought.size() > text.size() - from) return kNone;
  if (sought.empty()) return from;
  const void* const found =
      memmem(text.data() + from, text.size() - from, sought.data(), sought.size());
  return found == nullptr ? kNone
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The last place that begins at most at the byte `limit`. Short texts are sought backwards; longer
// ones forwards by the method of Knuth, Morris and Pratt, so that the time stays linear.
size_t FindLast(std::string_view text, std::string_view sought, size_t limit) {
  constexpr size_t kShort = 32;
  if (sought.size() <= kShort) return text.rfind(sought, limit);
  if (sought.size() > text.size()) return kNone;
  // How long a beginning of `sought` is also the end of its first i + 1 bytes.
  std::vector<uint32_t> border(sought.size(), 0);
  for (size_t i = 1, matched = 0; i < sought.size(); ++i) {
    while (matched > 0 && sought[i] != sought[matched]) matched = border[matched - 1];
    if (sought[i] == sought[matched]) ++matched;
    border[i] = static_cast<uint32_t>(matched);
  }
  size_t last = kNone;
  for (size_t i = 0, matched = 0; i < text.size(); ++i) {
    if (i >= sought.size() && i - sought.size() >= limit && matched == 0) break;
    while (matched > 0 && text[i] != sought[matched]) matched = border[matched - 1];
    if (text[i] == sought[matched]) ++matched;
    if (matched < sought.size()) continue;
    const size_t at = i + 1 - sought.size();
    if (at > limit) break;
    last = at;
    matched = border[matched - 1];
  }
  return last;
}

int64_t PositionOf(std::string_view text, size_t byte) {
  return byte == kNone ? -1 : static_cast<int64_t>(CodePointCount(text.substr(0, byte)));
}

}  // namespace

size_t CodePointCount(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size();) {
    // Most texts are ASCII, and every cost of CEL asks for sizes.
    uint64_t word;
    if (text.size() - at >= sizeof(word) &&
        (std::memcpy(&word, text.data() + at, sizeof(word)), (word & 0x8080808080808080u) == 0)) {
      at += sizeof(word);
      count += sizeof(word);
      continue;
    }
    at += CharacterBytes(text, at);
    ++count;
  }
  return count;
}

bool Contains(std::string_view text, std::string_view sought) {
  return FindFrom(text, sought, 0) != kNone;
}

Result<std::string> CharAt(std::string_view text, int64_t index) {
  const size_t at = ByteOf(text, index);
  if (at == kNone) return OutOfRange(index);
  if (at == text.size()) return std::string();
  return std::string(text.substr(at, CharacterBytes(text, at)));
}

Result<int64_t> IndexOf(std::string_view text, std::string_view sought, int64_t from) {
  if (sought.empty()) return from;
  if (from < 0) return OutOfRange(from);
  const size_t begin = ByteOf(text, from);
  if (begin == kNone) return -1;
  return PositionOf(text, FindFrom(text, sought, begin));
}

int64_t LastIndexOf(std::string_view text, std::string_view sought) {
  if (sought.empty()) return static_cast<int64_t>(CodePointCount(text));
  return PositionOf(text, FindLast(text, sought, text.size()));
}

Result<int64_t> LastIndexOf(std::string_view text, std::string_view sought, int64_t from) {
  if (sought.empty()) return from;
  if (from < 0) return OutOfRange(from);
  const size_t limit = ByteOf(text, from);
  if (limit == kNone || limit == text.size()) return -1;
  return PositionOf(text, FindLast(text, sought, limit));
}

Result<std::string> Substring(std::string_view text, int64_t start) {
  const size_t at = ByteOf(text, start);
  if (at == kNone) return OutOfRange(start);
  return std::string(text.substr(at));
}

Result<std::string> Substring(std::string_view text, int64_t start, int64_t end) {
  if (start > end) {
    return BadRequest("invalid substring range. start: " + std::to_string(start) +
                      ", end: " + std::to_string(end));
  }
  const size_t from = ByteOf(text, start);
  if (from == kNone) return OutOfRange(start);
  const size_t size = ByteOf(text.substr(from), end - start);
  if (size == kNone) return OutOfRange(end);
  return std::string(text.substr(from, size));
}

Result<std::string> Replace(std::string_view text, std::string_view from, std::string_view to,
                            int64_t limit) {
  std::string out;
  size_t copied = 0;
  size_t next = 0;  // where to look for the next occurrence
  for (; limit != 0; --limit) {
    const size_t found = from.empty() ? next : FindFrom(text, from, next);
    if (found == kNone || found > text.size()) break;
    out.append(text.substr(copied, found - copied));
    out.append(to);
    if (out.size() > kMaxResultBytes) return TooLong();
    copied = found + from.size();
    if (!from.empty()) {
      next = copied;
    } else if (found == text.size()) {
      break;
    } else {
      next = found + CharacterBytes(text, found);
    }
  }
  out.append(text.substr(copied));
  if (out.size() > kMaxResultBytes) return TooLong();
  return out;
}

std::vector<std::string_view> Split(std::string_view text, std::string_view separator,
                                    int64_t limit) {
  std::vector<std::string_view> out;
  if (limit == 0) return out;
  const auto full = [&] { return limit > 0 && out.size() + 1 >= static_cast<uint64_t>(limit); };
  if (separator.empty()) {
    while (!text.empty()) {
      const size_t size = full() ? text.size() : CharacterBytes(text, 0);
      out.push_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    return out;
  }
  while (!full()) {
    const size_t found = FindFrom(text, separator, 0);
    if (found == kNone) break;
    out.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  out.push_back(text);
  return out;
}

Result<std::string> Join(std::span<const std::string_view> pieces, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(pieces[i]);
    if (out.size() > kMaxResultBytes) return TooLong();
  }
  return out;
}

std::string_view Trim(std::string_view text) { return TrimSpace(text); }

std::string LowerAscii(std::string_view text) { return AsciiLower(text); }

std::string UpperAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string Reverse(std::string_view text) {
  std::string out(text.size(), '\0');
  size_t end = text.size();
  for (size_t at = 0; at < text.size();) {
    const size_t size = CharacterBytes(text, at);
    end -= size;
    std::memcpy(out.data() + end, text.data() + at, size);
    at += size;
  }
  return out;
}

std::string Quote(std::string_view text) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string out = "\"";
  while (!text.empty()) {
    const size_t escape = kEscaped.find(text[0]);
    if (escape != kNone) {
      out += '\\';
      out += kLetters[escape];
      text.remove_prefix(1);
    } else {
      AppendUtf8(TakeCodePoint(text), out);
    }
  }
  out += '"';
  return out;
}

std::string EscapeJsonPointerKey(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '/') {
      out += "~1";
    } else if (c == '~') {
      out += "~0";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace skiff::cel

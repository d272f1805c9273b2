#include "apiserver/extensions/schema/internet_formats.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <re2/re2.h>

#include "base/strings.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What one character of a hostname may be.
enum class HostCharacter : uint8_t { kLetter, kOther, kHyphen, kDot, kNone };

HostCharacter KindOf(std::string_view character) {
  if (character.size() == 1) {
    const char c = character[0];
    if (IsAsciiLetter(c)) return HostCharacter::kLetter;
    if (c == '-') return HostCharacter::kHyphen;
    if (c == '.') return HostCharacter::kDot;
    const bool is_symbol = std::string_view("$+<=>^`|~").find(c) != std::string_view::npos;
    return IsDigit(c) || is_symbol ? HostCharacter::kOther : HostCharacter::kNone;
  }
  static const re2::RE2 kLetters("\\p{L}");
  static const re2::RE2 kSymbols("\\p{S}");
  const re2::StringPiece piece(character.data(), character.size());
  if (re2::RE2::FullMatch(piece, kLetters)) return HostCharacter::kLetter;
  return re2::RE2::FullMatch(piece, kSymbols) ? HostCharacter::kOther : HostCharacter::kNone;
}

bool IsLetterOrOther(HostCharacter kind) {
  return kind == HostCharacter::kLetter || kind == HostCharacter::kOther;
}

bool IsLoneLabel(const std::vector<HostCharacter>& kinds) {
  size_t at = 1;
  if (kinds.size() > 1 && kinds[1] == HostCharacter::kHyphen) at = 2;
  return IsLetterOrOther(kinds[0]) && kinds.size() - at <= 62 &&
         std::all_of(kinds.begin() + static_cast<ptrdiff_t>(at), kinds.end(), IsLetterOrOther);
}

bool IsDomainName(const std::vector<HostCharacter>& kinds) {
  size_t start = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] != HostCharacter::kDot) continue;
    const size_t size = i - start;
    if (size < 1 || size > 63 || !IsLetterOrOther(kinds[start]) || !IsLetterOrOther(kinds[i - 1])) {
      return false;
    }
    start = i + 1;
  }
  const size_t size = kinds.size() - start;
  return start > 0 && size >= 2 && size <= 63 &&
         std::all_of(kinds.begin() + static_cast<ptrdiff_t>(start), kinds.end(),
                     [](HostCharacter kind) { return kind == HostCharacter::kLetter; });
}

// net/mail's grammar of one address.
class MailParser {
 public:
  explicit MailParser(std::string_view text) : rest_(text) {}

  bool Parse() {
    SkipSpace();
    const std::string_view before = rest_;
    if (AddressSpec()) {
      SkipSpace();
      if (rest_.empty()) return true;
      if (rest_.front() == '(') return SkipComments() && rest_.empty();
    }
    rest_ = before;
    if (!rest_.starts_with('<') && !Phrase()) return false;
    SkipSpace();
    if (!rest_.starts_with('<')) return false;
    rest_.remove_prefix(1);
    if (!AddressSpec() || !rest_.starts_with('>')) return false;
    rest_.remove_prefix(1);
    return SkipComments() && rest_.empty();
  }

 private:
  static bool IsAtomCharacter(char c) {
    return IsAsciiLetter(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
  }

  void SkipSpace() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }

  bool SkipComments() {
    SkipSpace();
    while (rest_.starts_with('(')) {
      size_t depth = 0;
      size_t at = 0;
      for (; at < rest_.size(); ++at) {
        if (rest_[at] == '\\') {
          ++at;
        } else if (rest_[at] == '(') {
          ++depth;
        } else if (rest_[at] == ')' && --depth == 0) {
          break;
        }
      }
      if (at >= rest_.size()) return false;
      rest_.remove_prefix(at + 1);
      SkipSpace();
    }
    return true;
  }

  // a.b.c, or one of its parts.
  bool Atom(bool with_dots, bool permits_stray_dots) {
    size_t size = 0;
    while (size < rest_.size() &&
           (IsAtomCharacter(rest_[size]) || (with_dots && rest_[size] == '.'))) {
      ++size;
    }
    const std::string_view atom = rest_.substr(0, size);
    if (size == 0) return false;
    const bool strays =
        atom.starts_with('.') || atom.ends_with('.') || atom.find("..") != atom.npos;
    if (strays && !permits_stray_dots) return false;
    rest_.remove_prefix(size);
    return true;
  }

  bool QuotedString() {
    for (size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') {
        const bool is_empty = at == 1;
        rest_.remove_prefix(at + 1);
        return !is_empty;
      }
      if (rest_[at] == '\\') ++at;
      if (at < rest_.size() && static_cast<unsigned char>(rest_[at]) < 0x20 && rest_[at] != '\t') {
        return false;
      }
    }
    return false;
  }

  bool AddressSpec() {
    const bool local = rest_.starts_with('"') ? QuotedString() : Atom(true, false);
    if (!local || !rest_.starts_with('@')) return false;
    rest_.remove_prefix(1);
    SkipSpace();
    if (rest_.empty()) return false;
    if (rest_.front() != '[') return Atom(true, false);
    const size_t end = rest_.find(']');
    if (end == rest_.npos || end == 1) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool Phrase() {
    bool found = false;
    while (true) {
      SkipSpace();
      if (rest_.empty() || rest_.front() == '<') return found;
      if (!(rest_.front() == '"' ? QuotedString() : Atom(true, true))) return false;
      found = true;
    }
  }

  std::string_view rest_;
};

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool HasGoodEscapes(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !IsAsciiHex(text[i + 1]) || !IsAsciiHex(text[i + 2])) return false;
    i += 2;
  }
  return true;
}

bool IsPortPart(std::string_view text) {
  if (text.empty()) return true;
  return text.front() == ':' && std::ranges::all_of(text.substr(1), IsDigit);
}

bool IsUriHost(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.rfind(']');
    if (end == host.npos || !IsPortPart(host.substr(end + 1))) return false;
  } else if (const size_t colon = host.rfind(':'); colon != host.npos) {
    if (!IsPortPart(host.substr(colon))) return false;
  }
  for (size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (c == '%') {
      // Of escapes only those of bytes beyond ASCII, and the zone's %25.
      if (!HasGoodEscapes(host.substr(i, 3))) return false;
      if (host[i + 1] < '8' && host.substr(i, 3) != "%25") return false;
      i += 2;
    } else if (static_cast<unsigned char>(c) < 0x80 && !IsAsciiLetter(c) && !IsDigit(c) &&
               std::string_view("!$&'()*+,;=:[]<>\"-_.~").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool IsUserInfo(std::string_view text) {
  return HasGoodEscapes(text) && std::ranges::all_of(text, [](char c) {
           return IsAsciiLetter(c) || IsDigit(c) ||
                  std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
         });
}

// The bytes up to the colon; empty when there is no scheme, nothing when it is empty.
std::optional<std::string_view> SchemeOf(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsAsciiLetter(c)) continue;
    if (IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return "";
    } else if (c == ':') {
      return i == 0 ? std::nullopt : std::optional(text.substr(0, i));
    } else {
      return "";
    }
  }
  return "";
}

}  // namespace

bool IsInternetHostname(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  std::vector<HostCharacter> kinds;
  size_t label_bytes = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const size_t size = Utf8SequenceLength(at, end);
    if (size == 0) return false;
    kinds.push_back(KindOf({at, size}));
    if (kinds.back() == HostCharacter::kNone) return false;
    label_bytes = kinds.back() == HostCharacter::kDot ? 0 : label_bytes + size;
    if (label_bytes > 63) return false;
    at += size;
  }
  return IsLoneLabel(kinds) || IsDomainName(kinds);
}

bool IsMailAddress(std::string_view text) { return MailParser(text).Parse(); }

bool IsRequestUri(std::string_view text) {
  if (text.empty() || HasControlCharacter(text)) return false;
  if (text == "*") return true;
  const std::optional<std::string_view> scheme = SchemeOf(text);
  if (!scheme) return false;
  std::string_view rest = scheme->empty() ? text : text.substr(scheme->size() + 1);
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return !scheme->empty();
  if (!scheme->empty() && rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
    const size_t at = authority.rfind('@');
    const bool has_user = at != authority.npos;
    if (has_user && !IsUserInfo(authority.substr(0, at))) return false;
    if (!IsUriHost(has_user ? authority.substr(at + 1) : authority)) return false;
  }
  return HasGoodEscapes(rest);
}

bool IsHardwareAddress(std::string_view text) {
  if (text.size() < 12) return false;
  const bool in_bytes = text[2] == ':' || text[2] == '-';
  const bool in_pairs = !in_bytes && text[4] == '.';
  const size_t digits = in_pairs ? 4 : 2;
  const size_t step = in_bytes || in_pairs ? digits + 1 : digits;
  const size_t groups = (text.size() + step - digits) / step;
  if (groups * step - (step - digits) != text.size()) return false;
  const size_t bytes = groups * digits / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_separator = i % step >= digits;
    if (is_separator ? text[i] != text[digits] : !IsAsciiHex(text[i])) return false;
  }
  return true;
}

}  // namespace skiff::apiserver

#include "cel/values/url.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/hex.h"
#include "base/strings.h"
#include "cel/values/go_quote.h"
#include "cel/values/ip.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

// The part of a URL that a text is of: each leaves other characters as they are.
enum class Part : uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

// More are not taken apart, as in Go.
constexpr size_t kMaxQueryParameters = 10'000;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether a character stands for itself in a part.
bool IsPlain(char c, Part part) {
  if (IsLetter(c) || IsDigit(c)) return true;
  std::string_view plain;
  switch (part) {
    case Part::kPath:
      plain = "-_.~$&+,/:;=@";
      break;
    case Part::kHost:
    case Part::kZone:
      plain = "-_.~!\"$&'()*+,:;<=>[]";
      break;
    case Part::kUser:
      plain = "-_.~$&+,;=";
      break;
    case Part::kQuery:
      plain = "-_.~";
      break;
    case Part::kFragment:
      plain = "-_.~!$&()*+,/:;=?@";
      break;
  }
  return plain.find(c) != plain.npos;
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

auto BadEscape(std::string_view escape) {
  return BadRequest("invalid URL escape " + GoQuote(escape));
}

// The character that the escape at the front of the text stands for.
Result<char> ReadEscape(std::string_view text, Part part) {
  const std::string_view escape = text.substr(0, 3);
  if (escape.size() < 3 || HexValue(escape[1]) < 0 || HexValue(escape[2]) < 0) {
    return BadEscape(escape);
  }
  const char c = static_cast<char>(HexValue(escape[1]) * 16 + HexValue(escape[2]));
  // Hosts have escapes for what is beyond ASCII; zones also for what needs none, and spaces.
  if (part == Part::kHost && HexValue(escape[1]) < 8 && escape != "%25") return BadEscape(escape);
  if (part == Part::kZone && escape != "%25" && c != ' ' && !IsPlain(c, Part::kHost)) {
    return BadEscape(escape);
  }
  return c;
}

Result<std::string> Unescape(std::string_view text, Part part) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      SKIFF_ASSIGN_OR_RETURN(const char escaped, ReadEscape(text.substr(i), part));
      out += escaped;
      i += 2;
    } else if (c == '+' && part == Part::kQuery) {
      out += ' ';
    } else {
      const bool is_host = part == Part::kHost || part == Part::kZone;
      if (is_host && static_cast<unsigned char>(c) < 0x80 && !IsPlain(c, part)) {
        return BadRequest("invalid character " + GoQuote(text.substr(i, 1)) + " in host name");
      }
      out += c;
    }
  }
  return out;
}

std::string Escape(std::string_view text, Part part) {
  std::string out;
  for (const char c : text) {
    if (IsPlain(c, part)) {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

// Whether a text that was written so can stay so.
bool IsEncoded(std::string_view text, Part part) {
  constexpr std::string_view kAlwaysFine = "!$&'()*+,;=:@[]%";
  return std::ranges::all_of(
      text, [&](char c) { return kAlwaysFine.find(c) != kAlwaysFine.npos || IsPlain(c, part); });
}

// The decoded text as it was written, if that is a way to write it.
std::string Encoded(const std::string& text, const std::string& raw, Part part) {
  if (!raw.empty() && IsEncoded(raw, part)) {
    const Result<std::string> decoded = Unescape(raw, part);
    if (decoded && *decoded == text) return raw;
  }
  return Escape(text, part);
}

// "" or ":80".
bool IsOptionalPort(std::string_view text) {
  return text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), IsDigit));
}

bool IsUserInfo(std::string_view text) {
  constexpr std::string_view kMarks = "-._:~!$&'()*+,;=%@";
  return std::ranges::all_of(
      text, [&](char c) { return IsLetter(c) || IsDigit(c) || kMarks.find(c) != kMarks.npos; });
}

// Cuts the text at the first mark; what follows it is returned.
std::optional<std::string_view> CutAt(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  const std::string_view behind = text.substr(at + 1);
  text = text.substr(0, at);
  return behind;
}

auto InvalidPort(std::string_view port) {
  return BadRequest("invalid port " + GoQuote(port) + " after host");
}

// "[::1]:80", whose zone, if any, is written as %25.
Result<std::string> LiteralHost(std::string_view host) {
  const size_t end = host.rfind(']');
  if (end == host.npos) return BadRequest("missing ']' in host");
  const std::string_view port = host.substr(end + 1);
  if (!IsOptionalPort(port)) return InvalidPort(port);
  const std::string_view address = host.substr(1, end - 1);
  const size_t zone = std::min(address.find("%25"), address.size());
  SKIFF_ASSIGN_OR_RETURN(std::string plain, Unescape(address.substr(0, zone), Part::kHost));
  SKIFF_ASSIGN_OR_RETURN(const std::string plain_zone, Unescape(address.substr(zone), Part::kZone));
  plain += plain_zone;
  const Result<NetipAddress> parsed = ParseNetipAddress(plain);
  if (!parsed) return BadRequest("invalid host: " + parsed.error().message());
  if (parsed->size == 4) return BadRequest("invalid IP-literal");
  return "[" + plain + "]" + std::string(port);
}

Result<std::string> Host(std::string_view scheme, std::string_view host) {
  const size_t bracket = host.rfind('[');
  if (bracket == 0) return LiteralHost(host);
  if (bracket != host.npos) return BadRequest("invalid IP-literal");
  if (size_t colon = host.find(':'); colon != host.npos) {
    // Only web addresses are read strictly.
    if (scheme != "http" && scheme != "https") colon = host.rfind(':');
    if (!IsOptionalPort(host.substr(colon))) return InvalidPort(host.substr(colon));
  }
  return Unescape(host, Part::kHost);
}

// The name before the colon at the front of the text, which is taken off; empty if there is none.
Result<std::string> TakeScheme(std::string_view& text) {
  const auto fits = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  };
  size_t size = 0;
  while (size < text.size() && fits(text[size])) ++size;
  if (size == text.size() || text[size] != ':') return std::string();
  if (size == 0) return BadRequest("missing protocol scheme");
  if (!IsLetter(text[0])) return std::string();
  std::string scheme = AsciiLower(text.substr(0, size));
  text.remove_prefix(size + 1);
  return scheme;
}

std::pair<std::string_view, std::string_view> SplitHostPort(std::string_view host) {
  std::string_view port;
  if (const size_t colon = host.rfind(':');
      colon != host.npos && IsOptionalPort(host.substr(colon))) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

auto ParseFault(std::string_view text, const Status& problem) {
  return BadRequest("parse " + GoQuote(text) + ": " + problem.message());
}

}  // namespace

// Takes a text apart, as a reference (url.Parse) or as what a request asks for, which knows no
// fragments and is no relative path.
class UrlParser {
 public:
  static Result<Url> ParseReference(std::string_view text) {
    std::string_view before = text;
    const auto fragment = CutAt(before, '#');
    UrlParser parser(false);
    if (const auto done = parser.ReadAll(before); !done) return ParseFault(before, done.error());
    if (fragment && !fragment->empty()) {
      if (const auto done = parser.ReadFragment(*fragment); !done) {
        return ParseFault(text, done.error());
      }
    }
    return std::move(parser.out_);
  }

  static Result<Url> ParseRequest(std::string_view text) {
    UrlParser parser(true);
    if (const auto done = parser.ReadAll(text); !done) return ParseFault(text, done.error());
    return std::move(parser.out_);
  }

 private:
  explicit UrlParser(bool is_request) : is_request_(is_request) {}

  Result<void> ReadAll(std::string_view rest) {
    if (std::ranges::any_of(
            rest, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; })) {
      return BadRequest("net/url: invalid control character in URL");
    }
    if (rest.empty() && is_request_) return BadRequest("empty url");
    if (rest == "*") {
      out_.path_ = rest;
      return {};
    }
    SKIFF_ASSIGN_OR_RETURN(out_.scheme_, TakeScheme(rest));
    if (const auto query = CutAt(rest, '?')) {
      out_.force_query_ = query->empty();
      out_.raw_query_ = *query;
    }
    const bool has_scheme = !out_.scheme_.empty();
    if (!rest.starts_with('/')) {
      if (has_scheme) {
        out_.opaque_ = rest;
        return {};
      }
      if (is_request_) return BadRequest("invalid URI for request");
      if (rest.substr(0, rest.find('/')).find(':') != rest.npos) {
        return BadRequest("first path segment in URL cannot contain colon");
      }
    }
    if (rest.starts_with("//") && (has_scheme || (!is_request_ && !rest.starts_with("///")))) {
      rest.remove_prefix(2);
      const size_t slash = std::min(rest.find('/'), rest.size());
      SKIFF_RETURN_IF_ERROR(ReadAuthority(rest.substr(0, slash)));
      rest.remove_prefix(slash);
    } else if (has_scheme) {
      out_.omit_host_ = true;
    }
    SKIFF_ASSIGN_OR_RETURN(out_.path_, Unescape(rest, Part::kPath));
    if (Escape(out_.path_, Part::kPath) != rest) out_.raw_path_ = rest;
    return {};
  }

  Result<void> ReadAuthority(std::string_view authority) {
    const size_t at = authority.rfind('@');
    const bool has_user = at != authority.npos;
    SKIFF_ASSIGN_OR_RETURN(out_.host_,
                           Host(out_.scheme_, has_user ? authority.substr(at + 1) : authority));
    if (!has_user) return {};
    std::string_view user = authority.substr(0, at);
    if (!IsUserInfo(user)) return BadRequest("net/url: invalid userinfo");
    const auto password = CutAt(user, ':');
    SKIFF_ASSIGN_OR_RETURN(out_.user_, Unescape(user, Part::kUser));
    out_.has_user_ = true;
    out_.has_password_ = password.has_value();
    if (password) {
      SKIFF_ASSIGN_OR_RETURN(out_.password_, Unescape(*password, Part::kUser));
    }
    return {};
  }

  Result<void> ReadFragment(std::string_view fragment) {
    SKIFF_ASSIGN_OR_RETURN(out_.fragment_, Unescape(fragment, Part::kFragment));
    if (Escape(out_.fragment_, Part::kFragment) != fragment) out_.raw_fragment_ = fragment;
    return {};
  }

  const bool is_request_;
  Url out_;
};

Result<Url> Url::Parse(std::string_view text) {
  const auto fault = [](const Status& problem) {
    return BadRequest("URL parse error during conversion from string: " + problem.message());
  };
  if (const auto checked = UrlParser::ParseRequest(text); !checked) return fault(checked.error());
  Result<Url> out = UrlParser::ParseReference(text);
  if (!out) return fault(out.error());
  return out;
}

std::string Url::Hostname() const { return std::string(SplitHostPort(host_).first); }
std::string Url::Port() const { return std::string(SplitHostPort(host_).second); }

std::string Url::EscapedPath() const {
  return path_ == "*" ? path_ : Encoded(path_, raw_path_, Part::kPath);
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::map<std::string, std::vector<std::string>> values;
  std::string_view rest = raw_query_;
  if (static_cast<size_t>(std::ranges::count(rest, '&')) >= kMaxQueryParameters) return {};
  while (!rest.empty()) {
    std::string_view name = rest;
    rest = CutAt(name, '&').value_or(std::string_view());
    if (name.empty() || name.find(';') != name.npos) continue;
    const std::string_view value = CutAt(name, '=').value_or(std::string_view());
    const Result<std::string> plain_name = Unescape(name, Part::kQuery);
    const Result<std::string> plain_value = Unescape(value, Part::kQuery);
    if (plain_name && plain_value) values[*plain_name].push_back(*plain_value);
  }
  return {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
}

std::string Url::ToString() const {
  std::string out;
  if (!scheme_.empty()) out = scheme_ + ":";
  if (!opaque_.empty()) {
    out += opaque_;
  } else {
    const bool has_authority = !host_.empty() || has_user_;
    if (has_authority || (!scheme_.empty() && !omit_host_)) {
      if (has_authority || !path_.empty()) out += "//";
      if (has_user_) {
        out += Escape(user_, Part::kUser);
        if (has_password_) out += ":" + Escape(password_, Part::kUser);
        out += '@';
      }
      out += Escape(host_, Part::kHost);
    }
    const std::string path = EscapedPath();
    if (!path.empty() && path[0] != '/' && !host_.empty()) out += '/';
    if (out.empty() && path.substr(0, path.find('/')).find(':') != path.npos) out += "./";
    out += path;
  }
  if (force_query_ || !raw_query_.empty()) out += "?" + raw_query_;
  if (!fragment_.empty()) out += "#" + Encoded(fragment_, raw_fragment_, Part::kFragment);
  return out;
}

bool IsUrl(std::string_view text) { return UrlParser::ParseRequest(text).has_value(); }

Result<void> CheckRequestUri(std::string_view text) {
  if (auto parsed = UrlParser::ParseRequest(text); !parsed) return std::unexpected(parsed.error());
  return {};
}

}  // namespace skiff::cel

#include "net/http1_parser.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hex.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::net {
namespace {

constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenTable = MakeTokenTable();

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<uint64_t> ParseLength(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  uint64_t value = 0;
  for (char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

HttpFault ParseRequestLine(std::string_view line, HttpRequest& request, Http1Framing& framing) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return {400, "malformed request line"};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsHttpToken(method)) return {400, "malformed method"};
  if (version.size() != 8 || !version.starts_with("HTTP/") || !IsDigit(version[5]) ||
      version[6] != '.' || !IsDigit(version[7]))
    return {400, "malformed version"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return {505, "unsupported version"};
  request.version = version[7] == '1' ? 11 : 10;
  request.method = method;
  if (target == "*" && method == "OPTIONS") {
    framing.is_server_options = true;
    request.path = "/";
    return {};
  }
  if (!SplitRequestTarget(target, request.path, request.query)) return {400, "malformed target"};
  return {};
}

HttpFault ParseField(std::string_view line, HttpHeaders& headers) {
  if (line.front() == ' ' || line.front() == '\t') return {400, "folded header field"};
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsHttpToken(line.substr(0, colon)))
    return {400, "malformed header field name"};
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  if (!IsHttpFieldValue(value)) return {400, "malformed header field value"};
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), ToLower);
  headers.Add(std::move(name), std::string(value));
  return {};
}

bool IsHost(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return kTokenTable[static_cast<unsigned char>(c)] || c == ':' || c == '[' || c == ']' ||
           c == '(' || c == ')' || c == ',' || c == ';' || c == '=' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// Everything about the length of the body and the life of the connection.
HttpFault ReadFraming(const HttpRequest& request, Http1Framing& framing) {
  int hosts = 0, lengths = 0, encodings = 0;
  for (const auto& field : request.headers.fields()) {
    if (field.name == "host") {
      ++hosts;
      if (!IsHost(field.value)) return {400, "malformed Host header"};
    } else if (field.name == "content-length") {
      ++lengths;
      framing.content_length = ParseLength(field.value);
      if (!framing.content_length) return {400, "malformed Content-Length"};
    } else if (field.name == "transfer-encoding") {
      ++encodings;
      if (!EqualsIgnoringCase(field.value, "chunked")) return {501, "unknown transfer encoding"};
      framing.chunked = true;
    } else if (field.name == "expect") {
      if (!EqualsIgnoringCase(field.value, "100-continue")) return {417, "unknown expectation"};
      framing.expects_continue = request.version == 11;
    }
  }
  if (hosts > 1) return {400, "too many Host headers"};
  if (hosts == 0 && request.version == 11) return {400, "missing required Host header"};
  if (lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0))
    return {400, "ambiguous length of the body"};
  if (framing.chunked && request.version == 10) return {400, "chunks in HTTP/1.0"};
  const bool says_close = HasHttpToken(request.headers, "connection", "close");
  framing.keep_alive = !says_close && (request.version == 11 ||
                                       HasHttpToken(request.headers, "connection", "keep-alive"));
  framing.asks_upgrade = request.version == 11 && request.headers.Find("upgrade") != nullptr &&
                         HasHttpToken(request.headers, "connection", "upgrade");
  return {};
}

// The same of an answer. A length that is said twice alike is one.
HttpFault ReadAnswerFraming(int version, Http1ResponseHead& answer) {
  Http1Framing& framing = answer.framing;
  for (const auto& field : answer.headers.fields()) {
    if (field.name == "content-length") {
      const std::optional<uint64_t> length = ParseLength(field.value);
      if (!length || (framing.content_length && framing.content_length != length))
        return {400, "malformed Content-Length"};
      framing.content_length = length;
    } else if (field.name == "transfer-encoding") {
      if (framing.chunked || !EqualsIgnoringCase(field.value, "chunked"))
        return {501, "unknown transfer encoding"};
      framing.chunked = true;
    }
  }
  if (framing.chunked && (framing.content_length || version == 10))
    return {400, "ambiguous length of the body"};
  framing.keep_alive = !HasHttpToken(answer.headers, "connection", "close") &&
                       (version == 11 || HasHttpToken(answer.headers, "connection", "keep-alive"));
  return {};
}

HttpFault ParseStatusLine(std::string_view line, int& version, int& code) {
  constexpr size_t kCodeAt = 9;
  constexpr size_t kShortest = 12;
  if (!line.starts_with("HTTP/1.") || line.size() < kShortest || line[kCodeAt - 1] != ' ')
    return {400, "this is no answer of HTTP/1.1"};
  if (line[7] != '0' && line[7] != '1') return {505, "unsupported version"};
  version = line[7] == '1' ? 11 : 10;
  code = 0;
  for (const char c : line.substr(kCodeAt, 3)) {
    if (!IsDigit(c)) return {400, "malformed status line"};
    code = code * 10 + (c - '0');
  }
  if (code < 100 || (line.size() > kShortest && line[kShortest] != ' '))
    return {400, "malformed status line"};
  return {};
}

}  // namespace

bool IsHttpToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kTokenTable[static_cast<unsigned char>(c)];
  });
}

bool IsHttpFieldValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(),
                    [](char a, char b) { return ToLower(a) == b; });
}

bool HasHttpToken(const HttpHeaders& headers, std::string_view name, std::string_view token) {
  for (const auto& field : headers.fields()) {
    if (field.name != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (EqualsIgnoringCase(TrimBlanks(rest.substr(0, comma)), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

bool SplitRequestTarget(std::string_view target, std::string& path, std::string& query) {
  if (target.empty()) return false;
  for (char c : target)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return false;
  if (target.front() != '/') {
    const size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) return false;
    if (!EqualsIgnoringCase(target.substr(0, scheme), "http") &&
        !EqualsIgnoringCase(target.substr(0, scheme), "https"))
      return false;
    target.remove_prefix(scheme + 3);
    const size_t authority = std::min(target.find_first_of("/?"), target.size());
    if (authority == 0 || !IsHost(target.substr(0, authority))) return false;
    target.remove_prefix(authority);
  }
  const size_t mark = std::min(target.find('?'), target.size());
  const std::string_view before = target.substr(0, mark);
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] != '%') continue;
    if (i + 2 >= before.size() || HexValue(before[i + 1]) < 0 || HexValue(before[i + 2]) < 0)
      return false;
  }
  path = before.empty() ? "/" : std::string(before);
  query = mark < target.size() ? std::string(target.substr(mark + 1)) : std::string();
  return true;
}

HeadScanner::State HeadScanner::Refuse(int code, const char* text) {
  fault_ = {code, text};
  return State::kFault;
}

HeadScanner::State HeadScanner::Scan(std::string_view bytes, size_t max_bytes) {
  while (looked_at_ < bytes.size()) {
    const void* found = std::memchr(bytes.data() + looked_at_, '\n', bytes.size() - looked_at_);
    if (found == nullptr) {
      looked_at_ = bytes.size();
      break;
    }
    const size_t at = static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
    if (at >= max_bytes) break;
    if (at == line_start_ || bytes[at - 1] != '\r') return Refuse(400, "a line without CR");
    const bool is_empty = at == line_start_ + 1;
    if (is_empty && line_start_ == 0) return Refuse(400, "malformed request line");
    if (line_start_ == 0 && at > limits::kMaxHttpRequestLineBytes)
      return Refuse(431, "request line too long");
    line_start_ = looked_at_ = at + 1;
    if (is_empty) return State::kComplete;
  }
  if (bytes.size() >= max_bytes) return Refuse(431, "request header fields too large");
  if (line_start_ == 0 && bytes.size() > limits::kMaxHttpRequestLineBytes)
    return Refuse(431, "request line too long");
  return State::kIncomplete;
}

HttpFault ParseHttp1Head(std::string_view head, HttpRequest& request, Http1Framing& framing) {
  size_t fields = 0;
  bool first = true;
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return {400, "a line without CR"};
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.empty()) {
      if (first || !head.empty()) return {400, "malformed head"};
      break;
    }
    HttpFault fault =
        first ? ParseRequestLine(line, request, framing) : ParseField(line, request.headers);
    if (fault.code != 0) return fault;
    if (!first && ++fields > limits::kMaxHttpHeaderFields) return {431, "too many header fields"};
    first = false;
  }
  if (first) return {400, "malformed head"};
  return ReadFraming(request, framing);
}

HttpFault ParseHttp1ResponseHead(std::string_view head, Http1ResponseHead& answer) {
  int version = 0;
  size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return {400, "a line without CR"};
  if (HttpFault fault = ParseStatusLine(head.substr(0, end), version, answer.code); fault.code != 0)
    return fault;
  for (head.remove_prefix(end + 2); !head.empty(); head.remove_prefix(end + 2)) {
    end = head.find("\r\n");
    if (end == std::string_view::npos) return {400, "a line without CR"};
    if (end == 0) break;
    if (HttpFault fault = ParseField(head.substr(0, end), answer.headers); fault.code != 0)
      return fault;
    if (answer.headers.fields().size() > limits::kMaxHttpHeaderFields)
      return {431, "too many header fields"};
  }
  return ReadAnswerFraming(version, answer);
}

ChunkedReader::State ChunkedReader::Refuse(const char* text) {
  fault_ = {400, text};
  return State::kFault;
}

// Moves bytes up to the next LF into line_. False when the line is too long or has no CR.
bool ChunkedReader::TakeLine(std::string_view& bytes, size_t max_bytes, bool& complete) {
  const size_t end = bytes.find('\n');
  complete = end != std::string_view::npos;
  const std::string_view piece = bytes.substr(0, complete ? end + 1 : bytes.size());
  if (line_.size() + piece.size() > max_bytes) return false;
  line_ += piece;
  bytes.remove_prefix(piece.size());
  if (!complete) return true;
  overhead_bytes_ += line_.size();
  if (!line_.ends_with("\r\n")) return false;
  line_.resize(line_.size() - 2);
  return true;
}

bool ChunkedReader::IsOverheadAllowed() const {
  return overhead_bytes_ <= body_bytes_ + limits::kHttpChunkOverheadAllowance;
}

ChunkedReader::State ChunkedReader::OnSizeLine() {
  std::string_view text = line_;
  uint64_t size = 0;
  size_t digits = 0;
  for (; digits < text.size() && HexValue(text[digits]) >= 0; ++digits) {
    if (digits == 15) return Refuse("chunk too large");
    size = size * 16 + static_cast<uint64_t>(HexValue(text[digits]));
  }
  if (digits == 0) return Refuse("malformed chunk size");
  text = text.substr(digits);
  // Extensions mean nothing to us, but must look like some.
  if (!text.empty()) {
    text = TrimBlanks(text);
    if (text.empty() || text.front() != ';' || !IsHttpFieldValue(text))
      return Refuse("malformed chunk size");
  }
  line_.clear();
  left_ = size;
  where_ = size == 0 ? Where::kTrailer : Where::kData;
  return State::kMore;
}

ChunkedReader::State ChunkedReader::Read(std::string_view& bytes, std::string& body,
                                         size_t max_body) {
  while (!bytes.empty() && where_ != Where::kEnd) {
    bool complete = false;
    switch (where_) {
      case Where::kSize:
        if (!TakeLine(bytes, limits::kMaxHttpChunkLineBytes, complete))
          return Refuse("malformed chunk size");
        if (!complete) return State::kMore;
        if (OnSizeLine() == State::kFault) return State::kFault;
        if (!IsOverheadAllowed()) return Refuse("too many small chunks");
        if (left_ > max_body - body.size()) return State::kTooLarge;
        break;
      case Where::kData: {
        const size_t take = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
        body += bytes.substr(0, take);
        bytes.remove_prefix(take);
        left_ -= take;
        body_bytes_ += take;
        if (left_ == 0) where_ = Where::kDataEnd;
        break;
      }
      case Where::kDataEnd:
        if (!TakeLine(bytes, 2, complete)) return Refuse("malformed end of a chunk");
        if (!complete) return State::kMore;
        if (!line_.empty()) return Refuse("malformed end of a chunk");
        where_ = Where::kSize;
        break;
      case Where::kTrailer:
        if (!TakeLine(bytes, limits::kMaxHttpTrailerBytes - trailer_bytes_, complete))
          return Refuse("malformed trailer");
        if (!complete) return State::kMore;
        trailer_bytes_ += line_.size() + 2;
        if (line_.empty()) {
          where_ = Where::kEnd;
        } else {
          HttpHeaders ignored;
          if (ParseField(line_, ignored).code != 0) return Refuse("malformed trailer");
          line_.clear();
        }
        break;
      case Where::kEnd:
        break;
    }
  }
  return where_ == Where::kEnd ? State::kEnd : State::kMore;
}

}  // namespace skiff::net

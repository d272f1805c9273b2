// HTTP/1.1 requests from bytes: the head as a whole, and bodies in chunks.
//
// Strict where two readers might disagree about where a request ends, since that is what smuggling
// lives on: lines end in CR LF, no line is folded, no space stands before a colon, no control bytes
// anywhere, and the length of a body is said once and in one way. Whatever is refused is answered
// with the code of HttpFault, after which the connection closes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"

namespace skiff::net {

struct HttpFault {
  int code = 0;           // 0: none
  const char* text = "";  // what was wrong, for people
};

// Looks for the end of a head in bytes that come in piece by piece. Remembers how far it has
// looked, so that a slow client does not make it look twice.
class HeadScanner {
 public:
  enum class State : uint8_t { kIncomplete, kComplete, kFault };
  // `bytes` begin with the head and grow from call to call.
  State Scan(std::string_view bytes, size_t max_bytes);
  // After kComplete: how many bytes the head has, with its empty line.
  size_t head_bytes() const { return line_start_; }
  HttpFault fault() const { return fault_; }
  void Reset() { *this = {}; }

 private:
  State Refuse(int code, const char* text);

  size_t line_start_ = 0;  // of the line that has not ended yet
  size_t looked_at_ = 0;
  HttpFault fault_;
};

// What the head says about the rest.
struct Http1Framing {
  bool chunked = false;
  std::optional<uint64_t> content_length;
  bool keep_alive = true;
  bool expects_continue = false;
  bool asks_upgrade = false;
  bool is_server_options = false;  // OPTIONS *

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

// Of a complete head. Fills method, path, query, headers and version.
HttpFault ParseHttp1Head(std::string_view head, HttpRequest& request, Http1Framing& framing);

// The head of an answer, as a client reads it.
struct Http1ResponseHead {
  int code = 0;
  HttpHeaders headers = {};
  Http1Framing framing = {};
};
HttpFault ParseHttp1ResponseHead(std::string_view head, Http1ResponseHead& answer);

// Splits what a client asks for into path and query: "/path?query", or an absolute URL whose
// authority is dropped. False when it is neither, or its path has a broken escape.
bool SplitRequestTarget(std::string_view target, std::string& path, std::string& query);

// A body in chunks, to be put together.
class ChunkedReader {
 public:
  enum class State : uint8_t { kMore, kEnd, kTooLarge, kFault };
  // Takes from the front of `bytes` what it can use and appends to `body`, up to `max_body` bytes.
  State Read(std::string_view& bytes, std::string& body, size_t max_body);
  HttpFault fault() const { return fault_; }

 private:
  enum class Where : uint8_t { kSize, kData, kDataEnd, kTrailer, kEnd };
  State Refuse(const char* text);
  bool TakeLine(std::string_view& bytes, size_t max_bytes, bool& complete);
  State OnSizeLine();
  bool IsOverheadAllowed() const;

  Where where_ = Where::kSize;
  std::string line_;
  uint64_t left_ = 0;
  uint64_t body_bytes_ = 0;
  size_t trailer_bytes_ = 0;
  size_t overhead_bytes_ = 0;
  HttpFault fault_;
};

bool IsHttpToken(std::string_view text);
bool IsHttpFieldValue(std::string_view text);
// Whether one of the comma-separated parts of any field of that name is `token` (in lower case).
bool HasHttpToken(const HttpHeaders& headers, std::string_view name, std::string_view token);
bool EqualsIgnoringCase(std::string_view text, std::string_view lower_case);

}  // namespace skiff::net

#include "net/http1_writer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/hex.h"
#include "net/http1_parser.h"

namespace skiff::net {
namespace {

// "00004000\r\n": of a fixed width, so that it can be written after the bytes that it counts.
constexpr size_t kChunkHeadBytes = 10;

constexpr std::array<std::pair<int, std::string_view>, 36> kPhrases = {{
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Entity"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

void AppendCanonicalName(std::string_view name, ByteBuffer& out) {
  char* to = out.Reserve(name.size());
  bool upper = true;
  for (char c : name) {
    *to++ = upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
    upper = c == '-';
  }
  out.CommitTo(to);
}

void AppendField(std::string_view name, std::string_view value, ByteBuffer& out) {
  AppendCanonicalName(name, out);
  out.Append(": ");
  out.Append(value);
  out.Append("\r\n");
}

}  // namespace

std::string_view HttpPhrase(int code) {
  const auto* found =
      std::lower_bound(kPhrases.begin(), kPhrases.end(), code,
                       [](const auto& entry, int key) { return entry.first < key; });
  return found != kPhrases.end() && found->first == code ? found->second : std::string_view();
}

bool IsFramingField(std::string_view name) {
  return name == "content-length" || name == "connection" || name == "transfer-encoding" ||
         name == "date" || name == "keep-alive" || name == "proxy-connection";
}

void AppendHttp1Head(const HttpResponse& response, const Http1HeadOptions& options,
                     std::string_view date, ByteBuffer& out) {
  out.Append(options.is_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ");
  out.Append(std::to_string(response.code));
  out.Append(' ');
  out.Append(HttpPhrase(response.code));
  out.Append("\r\n");
  for (const auto& field : response.headers.fields()) {
    if (IsFramingField(field.name) || !IsHttpToken(field.name) || !IsHttpFieldValue(field.value))
      continue;
    AppendField(field.name, field.value, out);
  }
  AppendField("date", date, out);
  if (options.content_length)
    AppendField("content-length", std::to_string(*options.content_length), out);
  if (options.chunked) AppendField("transfer-encoding", "chunked", out);
  if (options.upgrade) {
    AppendField("connection", "Upgrade", out);
  } else if (!options.keep_alive) {
    AppendField("connection", "close", out);
  } else if (options.is_1_0) {
    AppendField("connection", "keep-alive", out);
  }
  out.Append("\r\n");
}

void ReserveChunkHead(ByteBuffer& out) {
  out.CommitTo(out.Reserve(kChunkHeadBytes) + kChunkHeadBytes);
}

void FinishChunk(ByteBuffer& out, size_t start) {
  size_t size = out.size() - start - kChunkHeadBytes;
  char* head = out.data() + start;
  for (size_t i = kChunkHeadBytes - 2; i-- > 0; size >>= 4) head[i] = HexDigits()[size & 15];
  head[kChunkHeadBytes - 2] = '\r';
  head[kChunkHeadBytes - 1] = '\n';
  out.Append("\r\n");
}

}  // namespace skiff::net

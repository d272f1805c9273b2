// WebSocket: frames are read in the same way however they are cut into pieces, messages keep their
// bound, and texts are UTF-8.
//
// The first byte says how long the pieces are, the rest is frames of a client.
#include "base/utf8.h"
#include "http_input.h"
#include "net/websocket_frame.h"

namespace {

using namespace skiff;

constexpr size_t kBound = 300;

std::vector<std::string> Read(std::string_view text, size_t piece) {
  std::vector<std::string> events;
  net::WebSocketReader reader(kBound);
  for (size_t at = 0; at < text.size(); at += piece) {
    std::string_view bytes = text.substr(at, piece);
    for (;;) {
      const auto event = reader.Next(bytes);
      if (event == net::WebSocketReader::Event::kNeedsMore) break;
      std::string entry = std::to_string(static_cast<int>(event));
      if (event == net::WebSocketReader::Event::kFault) {
        events.push_back(entry + " " + std::to_string(reader.code()));
        return events;
      }
      if (event != net::WebSocketReader::Event::kClose) entry += reader.payload();
      Require(reader.payload().size() <= kBound);
      if (event == net::WebSocketReader::Event::kText) Require(IsValidUtf8(reader.payload()));
      events.push_back(std::move(entry));
    }
    Require(bytes.empty());
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1 || size > 16 * 1024) return 0;
  const size_t piece = 1 + data[0] % 32;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Require(Read(text, text.size() + 1) == Read(text, piece));

  FuzzConnection connection(false);
  connection.Feed(
      "GET /watch HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  connection.Feed(text);
  return 0;
}

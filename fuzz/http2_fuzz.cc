// HTTP/2: whatever a client sends after its preface does no harm, and every request that was begun
// is ended.
//
// The first byte says how long the pieces are, the rest is frames.
#include "http_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skiff;
  if (size < 1 || size > 64 * 1024) return 0;
  const size_t piece = 1 + data[0] * 4;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  FuzzConnection connection(true);
  bool open = connection.Feed(net::kHttp2Preface);
  for (size_t at = 0; open && at < text.size(); at += piece) {
    open = connection.Feed(text.substr(at, piece));
    if (at / piece % 7 != 3) continue;
    connection.clock().Advance(std::chrono::seconds(61));
    if (connection.protocol().deadline() != Clock::kForever) connection.protocol().OnDeadline();
  }
  if (!open) return 0;
  connection.protocol().Drain();
  connection.Feed("");
  return 0;
}

// HTTP/1.1: whatever comes is read or refused, and in the same way however it is cut into pieces.
//
// The first byte says how long the pieces are, the rest is what a client sends.
#include "http_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skiff;
  if (size < 1 || size > 16 * 1024) return 0;
  const size_t piece = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  FuzzConnection whole(false);
  whole.Feed(text);
  FuzzConnection pieces(false);
  for (size_t at = 0; at < text.size(); at += piece)
    if (!pieces.Feed(text.substr(at, piece))) break;
  Require(whole.asked() == pieces.asked());

  pieces.End();
  pieces.Feed("");
  pieces.protocol().Drain();
  pieces.Feed("");
  return 0;
}

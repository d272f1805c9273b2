// The body of a watch, cut into frames: it comes out the same however it comes in, nothing is lost
// or invented, and what is kept stays within the bound.
//
// The first byte says which kind of frames these are, the second how long the pieces are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "client/https/watch_frames.h"

namespace {

using namespace skiff;

constexpr size_t kMaxFrameBytes = 256;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  bool at_boundary = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome Cut(client::WatchFrames::Kind kind, std::string_view stream, size_t piece) {
  client::WatchFrames frames(kind, kMaxFrameBytes);
  Outcome out;
  for (size_t at = 0; at < stream.size() && !out.failed; at += piece) {
    frames.Add(stream.substr(at, piece));
    while (true) {
      const auto next = frames.Next();
      out.failed = !next.has_value();
      if (!next || !*next) break;
      out.frames.emplace_back(**next);
    }
  }
  out.at_boundary = !out.failed && frames.at_boundary();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto kind = data[0] % 2 == 0 ? client::WatchFrames::Kind::kLengthPrefixed
                                     : client::WatchFrames::Kind::kJsonObjects;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome by_byte = Cut(kind, stream, 1);
  const Outcome by_piece = Cut(kind, stream, size_t{data[1]} + 1);
  size_t total = 0;
  for (const std::string& frame : by_byte.frames) total += frame.size();
  Require(total <= stream.size());
  // A frame of JSON that is too long is noticed by its bytes, so that pieces may hide it.
  if (kind == client::WatchFrames::Kind::kLengthPrefixed) Require(by_byte == by_piece);
  if (!by_byte.failed && !by_piece.failed) Require(by_byte == by_piece);
  return 0;
}

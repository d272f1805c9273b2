// The body of a watch, cut into the events that it consists of, however it comes in.
//
// Protobuf: each event has its length before it, in four bytes, the highest first. JSON: one object
// after the other, with white space between them or none; where one ends is found by counting
// braces outside of strings, so that nothing is decoded twice. What is kept of an event that is not
// complete yet is bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/status.h"

namespace skiff::client {

class WatchFrames {
 public:
  enum class Kind : uint8_t { kLengthPrefixed, kJsonObjects };
  explicit WatchFrames(Kind kind, size_t max_bytes = limits::kMaxApiEventBytes)
      : kind_(kind), max_bytes_(max_bytes) {}

  void Add(std::string_view bytes);
  // The next event, or nothing until more is added; an error when this is no such stream, which it
  // remains. The view holds until the next call.
  Result<std::optional<std::string_view>> Next();
  // Whether the stream may end here.
  bool at_boundary() const { return left().empty(); }

 private:
  std::string_view left() const { return std::string_view(buffer_).substr(taken_); }
  Result<std::optional<std::string_view>> NextByLength();
  Result<std::optional<std::string_view>> NextJson();
  std::string_view Take(size_t bytes);

  const Kind kind_;
  const size_t max_bytes_;
  std::string buffer_;
  size_t taken_ = 0;  // of the buffer
  // How far the object that begins the rest has been read.
  size_t scanned_ = 0;
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace skiff::client

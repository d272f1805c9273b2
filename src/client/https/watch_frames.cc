#include "client/https/watch_frames.h"

#include <cstdint>

namespace skiff::client {
namespace {

std::unexpected<Status> TooLong(size_t max_bytes) {
  return Fail(StatusReason::kInternalError,
              "an event of the watch is longer than " + std::to_string(max_bytes) + " bytes");
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void WatchFrames::Add(std::string_view bytes) {
  buffer_.erase(0, taken_);
  taken_ = 0;
  buffer_.append(bytes);
}

std::string_view WatchFrames::Take(size_t bytes) {
  const std::string_view frame = left().substr(0, bytes);
  taken_ += bytes;
  scanned_ = 0;
  return frame;
}

Result<std::optional<std::string_view>> WatchFrames::Next() {
  return kind_ == Kind::kLengthPrefixed ? NextByLength() : NextJson();
}

Result<std::optional<std::string_view>> WatchFrames::NextByLength() {
  constexpr size_t kPrefix = 4;
  const std::string_view rest = left();
  if (rest.size() < kPrefix) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kPrefix; ++i) length = length << 8 | static_cast<uint8_t>(rest[i]);
  if (length > max_bytes_) return TooLong(max_bytes_);
  if (rest.size() - kPrefix < length) return std::nullopt;
  return Take(kPrefix + length).substr(kPrefix);
}

Result<std::optional<std::string_view>> WatchFrames::NextJson() {
  if (depth_ == 0) {
    while (taken_ < buffer_.size() && IsSpace(buffer_[taken_])) ++taken_;
    scanned_ = 0;
  }
  const std::string_view rest = left();
  if (!rest.empty() && rest[0] != '{')
    return Fail(StatusReason::kInternalError, "the watch is not a sequence of JSON objects");
  while (scanned_ < rest.size()) {
    const char c = rest[scanned_++];
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return Take(scanned_);
    }
  }
  if (rest.size() > max_bytes_) return TooLong(max_bytes_);
  return std::nullopt;
}

}  // namespace skiff::client

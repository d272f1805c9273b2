// Leaves out of the bytes of an HTTP/2 client the resets of streams that it never opened.
//
// gRPC's C++ library sends one for a call that is cancelled just before its headers are written.
// The RFC calls that an error of the connection, and nghttp2 ends it; servers of gRPC let it pass,
// and clients count on that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace skiff::net {

class IdleResetFilter {
 public:
  // Calls emit(std::string_view) with what is left, in order; bytes of a frame's head that is not
  // whole yet are held back.
  template <typename Emit>
  void Feed(std::string_view bytes, Emit emit) {
    size_t begin = 0;  // of what is to be passed on
    size_t at = 0;
    while (at < bytes.size()) {
      if (pass_ > 0 || drop_ > 0) {
        uint64_t& left = pass_ > 0 ? pass_ : drop_;
        const auto step = static_cast<size_t>(std::min<uint64_t>(left, bytes.size() - at));
        const bool drops = pass_ == 0;
        left -= step;
        at += step;
        if (drops) begin = at;
        continue;
      }
      if (head_.empty() && bytes.size() - at >= kHeadBytes) {
        const bool keeps = ShouldForward(bytes.substr(at, kHeadBytes));
        if (!keeps && at > begin) emit(bytes.substr(begin, at - begin));
        at += kHeadBytes;
        if (!keeps) begin = at;
        continue;
      }
      if (at > begin) emit(bytes.substr(begin, at - begin));
      const size_t step = std::min(kHeadBytes - head_.size(), bytes.size() - at);
      head_.append(bytes.substr(at, step));
      begin = at += step;
      if (head_.size() < kHeadBytes) return;
      if (ShouldForward(head_)) emit(std::string_view(head_));
      head_.clear();
    }
    if (at > begin) emit(bytes.substr(begin, at - begin));
  }

 private:
  static constexpr size_t kHeadBytes = 9;
  static constexpr size_t kPrefaceBytes = 24;
  static constexpr uint8_t kHeaders = 1;
  static constexpr uint8_t kReset = 3;

  static uint32_t Number(std::string_view bytes) {
    uint32_t number = 0;
    for (const char c : bytes) number = number << 8 | static_cast<uint8_t>(c);
    return number;
  }

  // Whether the frame that begins so is passed on.
  bool ShouldForward(std::string_view head) {
    const uint32_t length = Number(head.substr(0, 3));
    const auto kind = static_cast<uint8_t>(head[3]);
    const uint32_t stream = Number(head.substr(5)) & 0x7fffffff;
    if (kind == kHeaders) newest_ = std::max(newest_, stream);
    const bool keeps = kind != kReset || stream <= newest_;
    (keeps ? pass_ : drop_) = length;
    return keeps;
  }

  uint64_t pass_ = kPrefaceBytes;  // before the next head
  uint64_t drop_ = 0;
  uint32_t newest_ = 0;
  std::string head_;  // of a frame whose first bytes alone have come
};

}  // namespace skiff::net

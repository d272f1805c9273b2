// A buffer that is written from its end towards its beginning.
//
// A protobuf message is preceded by its length. Written backwards, the length is known by the time
// it is due, so nested messages need neither a pass that measures them nor a table of sizes.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "object/protobuf/wire.h"

namespace skiff::object {

class ReverseBuffer {
 public:
  explicit ReverseBuffer(size_t room = kFirstRoom)
      : bytes_(new uint8_t[room]), at_(bytes_.get() + room), end_(at_) {}

  size_t size() const { return static_cast<size_t>(end_ - at_); }
  std::string_view view() const { return {reinterpret_cast<const char*>(at_), size()}; }

  void PutByte(uint8_t byte) {
    Reserve(1);
    *--at_ = byte;
  }
  void PutVarint(uint64_t value) {
    Reserve(kMaxVarintBytes);
    if (value < 0x80) [[likely]] {
      *--at_ = static_cast<uint8_t>(value);
      return;
    }
    at_ -= VarintSize(value);
    WriteVarint(at_, value);
  }
  void PutBytes(std::string_view bytes) {
    if (bytes.empty()) return;
    Reserve(bytes.size());
    at_ -= bytes.size();
    std::memcpy(at_, bytes.data(), bytes.size());
  }
  void PutFixed64(uint64_t value) {
    Reserve(8);
    for (int i = 7; i >= 0; --i) *--at_ = static_cast<uint8_t>(value >> (8 * i));
  }
  // A whole string, bytes or message field.
  void PutField(uint32_t key, std::string_view bytes) {
    PutBytes(bytes);
    PutVarint(bytes.size());
    PutVarint(key);
  }
  void PutVarintField(uint32_t key, uint64_t value) {
    PutVarint(value);
    PutVarint(key);
  }
  // Turns all that was written since size() was `size_before` into a message field.
  void CloseMessage(uint32_t key, size_t size_before) {
    PutVarint(size() - size_before);
    PutVarint(key);
  }

 private:
  static constexpr size_t kFirstRoom = 4096;

  void Reserve(size_t bytes) {
    if (static_cast<size_t>(at_ - bytes_.get()) < bytes) [[unlikely]]
      Grow(bytes);
  }
  void Grow(size_t bytes) {
    const size_t used = size();
    const size_t room = std::max(used + bytes, 2 * static_cast<size_t>(end_ - bytes_.get()));
    std::unique_ptr<uint8_t[]> grown(new uint8_t[room]);
    uint8_t* const grown_at = grown.get() + room - used;
    std::memcpy(grown_at, at_, used);
    bytes_ = std::move(grown);
    at_ = grown_at;
    end_ = grown_at + used;
  }

  std::unique_ptr<uint8_t[]> bytes_;
  uint8_t* at_;
  uint8_t* end_;
};

}  // namespace skiff::object

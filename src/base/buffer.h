// A growing run of bytes that encoders write into by pointer.
//
// Unlike std::string it never fills new room with zeros, and Reserve() hands out the raw place to
// write to, so an encoder checks for room once per value instead of once per byte.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace skiff {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  explicit ByteBuffer(size_t room) { Grow(room); }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~ByteBuffer() { std::free(data_); }

  // The end of what is written, with room for at least `bytes` more. Valid until the next call.
  char* Reserve(size_t bytes) {
    if (size_ + bytes > room_) [[unlikely]]
      Grow(bytes);
    return data_ + size_;
  }
  // Takes what was written at Reserve()'s place, up to `end`, into the buffer.
  void CommitTo(const char* end) { size_ = static_cast<size_t>(end - data_); }

  void Append(std::string_view bytes) {
    if (bytes.empty()) return;  // there may be no buffer yet to copy nothing to
    char* to = Reserve(bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void Append(char byte) {
    *Reserve(1) = byte;
    ++size_;
  }

  char* data() { return data_; }
  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // What Reserve() has room for without growing.
  size_t free_bytes() const { return room_ - size_; }
  void Clear() { size_ = 0; }
  void Truncate(size_t size) { size_ = size; }
  std::string_view view() const { return {data_, size_}; }
  std::string ToString() const { return std::string(view()); }

 private:
  void Grow(size_t bytes);

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;
};

}  // namespace skiff

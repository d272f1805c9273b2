// Immutable bytes that many owners share: one pointer, one allocation, an atomic count.
//
// The value of a stored object is made once and then passed from the request to the store, the
// watch cache and every list and watch that is being sent; none of them copies it.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace skiff {

class SharedBytes {
 public:
  SharedBytes() = default;  // empty
  explicit SharedBytes(std::string_view bytes)
      : SharedBytes(
            Make(bytes.size(), [&](char* out) { std::memcpy(out, bytes.data(), bytes.size()); })) {}
  // fill(char*) writes all `size` bytes.
  template <typename Fill>
  static SharedBytes Make(size_t size, Fill fill) {
    SharedBytes out;
    if (size == 0) return out;
    assert(size <= UINT32_MAX);
    out.block_ = new (::operator new(sizeof(Block) + size)) Block{1, static_cast<uint32_t>(size)};
    fill(out.block_->bytes());
    return out;
  }

  SharedBytes(const SharedBytes& other) : block_(other.block_) {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  SharedBytes(SharedBytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedBytes() {
    if (block_ == nullptr || block_->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    block_->~Block();
    ::operator delete(block_);
  }

  std::string_view view() const {
    return block_ == nullptr ? std::string_view() : std::string_view(block_->bytes(), block_->size);
  }
  size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  bool empty() const { return block_ == nullptr; }
  // Whether this is the only owner at the moment.
  bool is_sole() const {
    return block_ != nullptr && block_->references.load(std::memory_order_relaxed) == 1;
  }

  // Whether both are the very same bytes in memory; equal contents elsewhere do not count.
  bool SharesWith(const SharedBytes& other) const { return block_ == other.block_; }
  friend bool operator==(const SharedBytes& a, const SharedBytes& b) {
    return a.block_ == b.block_ || a.view() == b.view();
  }

 private:
  struct Block {
    std::atomic<uint32_t> references;
    uint32_t size;  // limits::kMaxCountedBytes is the most that any document has
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };

  Block* block_ = nullptr;
};

}  // namespace skiff

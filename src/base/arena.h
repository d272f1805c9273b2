// A bump allocator for the many small, short or equally long lived pieces of one document.
//
// Memory is freed all at once with the arena; destructors of what lies in it are never run, so
// only trivially destructible types may be placed here. Blocks grow by half of what is there, from
// kFirstBlock to kLargestBlock, and a piece larger than a block gets a block of its own. Not
// thread-safe: an arena belongs to the one owner that builds the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace skiff {

class Arena {
 public:
  static constexpr size_t kFirstBlock = 1024;
  static constexpr size_t kLargestBlock = 256 * 1024;

  Arena() = default;
  // `size_hint` is the expected total: with a good one the arena is a single block.
  explicit Arena(size_t size_hint) : next_block_size_(size_hint) {}
  // With blocks of `step` bytes after the first one, where unused room matters more than the
  // number of blocks.
  Arena(size_t size_hint, size_t step) : next_block_size_(size_hint), step_(step) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept { Swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Arena() { Free(); }

  // Never null; throws std::bad_alloc when the system has no memory. `align` ≤ 16.
  void* Allocate(size_t size, size_t align) {
    uintptr_t at = (reinterpret_cast<uintptr_t>(cursor_) + align - 1) & ~(align - 1);
    if (cursor_ == nullptr || at + size > reinterpret_cast<uintptr_t>(end_)) [[unlikely]] {
      return AllocateSlow(size, align);
    }
    cursor_ = reinterpret_cast<char*>(at + size);
    return reinterpret_cast<void*>(at);
  }

  template <typename T>
  T* AllocateArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(Allocate(count * sizeof(T), alignof(T)));
  }

  // From the other end of the block, so that text costs its neighbours no padding.
  char* AllocateChars(size_t count) {
    if (count > static_cast<size_t>(end_ - cursor_)) [[unlikely]] {
      return static_cast<char*>(AllocateSlow(count, 1));
    }
    end_ -= count;
    return end_;
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* to = AllocateChars(text.size());
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  // Bytes taken from the system, headers and unused tails included.
  size_t BytesReserved() const { return reserved_; }

 private:
  struct Block {
    Block* previous;
  };

  void* AllocateSlow(size_t size, size_t align);
  void Free();
  void Swap(Arena& other) noexcept {
    std::swap(cursor_, other.cursor_);
    std::swap(end_, other.end_);
    std::swap(last_block_, other.last_block_);
    std::swap(next_block_size_, other.next_block_size_);
    std::swap(step_, other.step_);
    std::swap(reserved_, other.reserved_);
  }

  char* cursor_ = nullptr;
  char* end_ = nullptr;
  Block* last_block_ = nullptr;
  size_t next_block_size_ = kFirstBlock;
  size_t step_ = 0;  // 0: blocks grow
  size_t reserved_ = 0;
};

}  // namespace skiff

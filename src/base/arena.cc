#include "base/arena.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace skiff {

void* Arena::AllocateSlow(size_t size, size_t align) {
  const size_t needed = sizeof(Block) + size + align;
  const size_t block_size = std::max(next_block_size_, needed);
  auto* block = static_cast<Block*>(std::malloc(block_size));
  if (block == nullptr) throw std::bad_alloc();
  block->previous = last_block_;
  last_block_ = block;
  reserved_ += block_size;
  next_block_size_ = step_ != 0 ? step_ : std::clamp(reserved_ / 2, kFirstBlock, kLargestBlock);

  const uintptr_t begin = reinterpret_cast<uintptr_t>(block) + sizeof(Block);
  const uintptr_t at = (begin + align - 1) & ~(align - 1);
  char* const block_end = reinterpret_cast<char*>(block) + block_size;
  // Keep filling the block with more room left: a large piece must not end a half-full block.
  const size_t room_after = static_cast<size_t>(block_end - reinterpret_cast<char*>(at + size));
  if (cursor_ == nullptr || room_after >= static_cast<size_t>(end_ - cursor_)) {
    cursor_ = reinterpret_cast<char*>(at + size);
    end_ = block_end;
  }
  return reinterpret_cast<void*>(at);
}

void Arena::Free() {
  for (Block* block = last_block_; block != nullptr;) {
    Block* previous = block->previous;
    std::free(block);
    block = previous;
  }
}

}  // namespace skiff

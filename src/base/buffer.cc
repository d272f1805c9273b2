#include "base/buffer.h"

#include <algorithm>
#include <new>

namespace skiff {

void ByteBuffer::Grow(size_t bytes) {
  const size_t room = std::max({size_ + bytes, room_ + room_ / 2, size_t{256}});
  void* grown = std::realloc(data_, room);
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(grown);
  room_ = room;
}

}  // namespace skiff

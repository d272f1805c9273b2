// A hash set of small handles that leaves hashing and comparing to its owner.
//
// Open addressing with linear probing; erasing shifts the rest of the run back, so there are no
// tombstones and a table under steady churn never degrades. Not thread-safe: the owner locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace skiff {

// A keyed hash of bytes. The seed is what keeps clients, who choose the bytes, from choosing
// collisions.
inline uint32_t KeyedHash(const void* bytes, size_t size, uint64_t seed) {
  auto mix = [](uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint64_t hash = seed ^ (0x9e3779b97f4a7c15u * (size + 1));
  for (size_t left = size; left != 0;) {
    uint64_t word = 0;
    const size_t step = left < 8 ? left : 8;
    __builtin_memcpy(&word, at, step);
    hash = mix(hash ^ word, 0xd6e8feb86659fd93u ^ (seed << 1));
    at += step;
    left -= step;
  }
  return static_cast<uint32_t>(mix(hash, 0xa0761d6478bd642fu) >> 16);
}

// A seed for tables that only look things up: it differs from process to process, so it may decide
// nothing that can be seen.
uint64_t ProcessHashSeed();

template <typename Handle>
class HashIndex {
  static_assert(std::is_trivially_copyable_v<Handle>);

 public:
  size_t size() const { return size_; }

  void Clear() {
    slots_.clear();
    size_ = 0;
  }

  // Makes room for so many handles at once.
  void Reserve(size_t count) {
    size_t size = 16;
    while (count * 4 > size * 3) size *= 2;
    if (size > slots_.size()) Resize(size);
  }

  // The handle with this hash for which `same` holds, or null. Valid until the next change.
  template <typename Same>
  const Handle* Find(uint32_t hash, Same same) const {
    if (slots_.empty()) return nullptr;
    for (size_t at = hash & mask(); slots_[at].used; at = (at + 1) & mask()) {
      if (slots_[at].hash == hash && same(slots_[at].handle)) return &slots_[at].handle;
    }
    return nullptr;
  }

  // The caller has made sure that no equal handle is present.
  void Insert(uint32_t hash, Handle handle) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Resize(slots_.empty() ? 16 : slots_.size() * 2);
    Place({hash, true, handle});
    ++size_;
  }

  // The handle must be present.
  void Erase(uint32_t hash, Handle handle) {
    size_t hole = hash & mask();
    while (!(slots_[hole].hash == hash && slots_[hole].handle == handle))
      hole = (hole + 1) & mask();
    for (size_t at = (hole + 1) & mask(); slots_[at].used; at = (at + 1) & mask()) {
      const size_t distance = (at - slots_[at].hash) & mask();
      if (distance < ((at - hole) & mask())) continue;  // its home lies behind the hole
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].used = false;
    --size_;
    if (slots_.size() > 64 && size_ * 8 < slots_.size()) Resize(slots_.size() / 4);
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    bool used = false;
    Handle handle{};
  };

  size_t mask() const { return slots_.size() - 1; }
  void Place(const Slot& slot) {
    size_t at = slot.hash & mask();
    while (slots_[at].used) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void Resize(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) Place(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, or empty
  size_t size_ = 0;
};

}  // namespace skiff

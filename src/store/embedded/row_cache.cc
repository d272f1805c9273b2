#include "store/embedded/row_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace skiff::store {
namespace {

constexpr size_t kFirstSets = 16;

uint64_t Mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

RowCache::RowCache(Random& random, size_t max_rows)
    : max_sets_(std::bit_floor(std::max(max_rows / kWays, kFirstSets))), sets_(kFirstSets) {
  // Odd, so that none is zero.
  for (uint64_t& seed : seeds_) seed = random.Next() | 1;
}

RowCache::Hash RowCache::HashOf(std::string_view key) const {
  uint64_t a = seeds_[0] ^ key.size();
  uint64_t b = seeds_[1];
  while (!key.empty()) {
    uint64_t words[2] = {};
    const size_t taken = std::min(key.size(), sizeof(words));
    std::memcpy(words, key.data(), taken);
    key.remove_prefix(taken);
    const uint64_t next = Mix(words[0] ^ a ^ seeds_[2], words[1] ^ b ^ seeds_[3]);
    b = Mix(words[1] ^ a ^ seeds_[1], words[0] ^ b ^ seeds_[0]) + a;
    a = next;
  }
  return {Mix(a ^ seeds_[1], b ^ seeds_[2]) | 1, Mix(b ^ seeds_[0], a ^ seeds_[3])};
}

std::optional<CurrentRow> RowCache::Find(std::string_view key) const {
  const Hash hash = HashOf(key);
  const Set& set = sets_[hash.place & (sets_.size() - 1)];
  for (size_t way = 0; way < kWays; ++way) {
    if (set.tags[way] != hash.tag || set.places[way] != static_cast<uint32_t>(hash.place)) continue;
    const Packed& packed = set.rows[way];
    CurrentRow row;
    row.position = {packed.revision, packed.op_and_deleted >> 1};
    row.create_revision = packed.create_revision;
    row.version = packed.version;
    row.lease.value = packed.lease;
    row.deleted = (packed.op_and_deleted & 1) != 0;
    return row;
  }
  return std::nullopt;
}

void RowCache::Put(std::string_view key, const CurrentRow& row) {
  if (row.version > UINT32_MAX || row.position.op > UINT32_MAX >> 1) return Remove(key);
  if (rows_ * 2 > sets_.size() * kWays && sets_.size() < max_sets_) Grow();
  const Hash hash = HashOf(key);
  Insert(hash.tag, static_cast<uint32_t>(hash.place),
         {row.position.revision, row.create_revision, row.lease.value,
          static_cast<uint32_t>(row.version),
          row.position.op << 1 | static_cast<uint32_t>(row.deleted)});
}

void RowCache::Insert(uint64_t tag, uint32_t place, const Packed& row) {
  Set& set = sets_[place & (sets_.size() - 1)];
  size_t into = kWays;
  for (size_t way = 0; way < kWays; ++way) {
    if (set.tags[way] == tag && set.places[way] == place) {
      set.rows[way] = row;
      return;
    }
    if (set.tags[way] == 0) into = way;
  }
  if (into == kWays) {
    into = next_victim_++ % kWays;
  } else {
    ++rows_;
  }
  set.tags[into] = tag;
  set.places[into] = place;
  set.rows[into] = row;
}

void RowCache::Remove(std::string_view key) {
  const Hash hash = HashOf(key);
  Set& set = sets_[hash.place & (sets_.size() - 1)];
  for (size_t way = 0; way < kWays; ++way) {
    if (set.tags[way] != hash.tag || set.places[way] != static_cast<uint32_t>(hash.place)) continue;
    set.tags[way] = 0;
    --rows_;
  }
}

void RowCache::Grow() {
  std::vector<Set> old = std::exchange(sets_, std::vector<Set>(sets_.size() * 2));
  rows_ = 0;
  for (const Set& set : old) {
    for (size_t way = 0; way < kWays; ++way) {
      if (set.tags[way] != 0) Insert(set.tags[way], set.places[way], set.rows[way]);
    }
  }
}

}  // namespace skiff::store

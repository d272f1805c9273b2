// A copy-on-write ordered map of cache entries by key: a B+-tree whose snapshots cost nothing.
//
// A snapshot is a counted root. While no snapshot shares a node, the writer changes it in place;
// otherwise it copies the nodes from the root down to the place of the change (path copying), and
// the snapshot keeps the old ones. Nodes that no snapshot needs any more are freed by whoever drops
// the last of them.
//
// Keys stand in the entries. A node keeps four bytes of each key, those behind the bytes that all
// of its keys begin with, so that a search rarely looks at an entry before it has found its place.
// Inner nodes know how many entries lie below each child, so ranges are counted without a walk.
//
// Threads: one writer at a time owns an OrderedIndex, reads of it included. Snapshots are read
// without locks, copied and dropped by any thread, each with its own handle; only the writer makes
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "store/cache/entry.h"

namespace skiff::store {

struct IndexNode;

// Walks entries in ascending order of key. Valid while what it was made from lives, and, if that is
// the index itself, until the next change.
//
//   for (IndexCursor at = snapshot.Seek("default/", "default0"); !at.done(); at.Next()) use(*at);
class IndexCursor {
 public:
  bool done() const { return left_ == 0; }
  // Entries from here to the end bound, this one included.
  size_t left() const { return left_; }
  const CacheEntry& operator*() const { return **at_; }
  const CacheEntry* operator->() const { return *at_; }
  void Next() {
    --left_;
    if (++at_ == run_end_ && left_ != 0) EnterNextLeaf();
  }
  // The entries from here on that lie side by side, and what follows them: for tight loops.
  std::span<const CacheEntry* const> Run() const { return {at_, at_ + RunSize()}; }
  void SkipRun() {
    const size_t size = RunSize();
    left_ -= size;
    at_ += size;
    if (left_ != 0) EnterNextLeaf();
  }

 private:
  friend class IndexReader;
  // Of a tree with 2^32 entries and nodes that are as empty as they may be.
  static constexpr size_t kMaxHeight = 16;
  struct Step {
    const IndexNode* node;
    size_t child;
  };

  size_t RunSize() const {
    const auto size = static_cast<size_t>(run_end_ - at_);
    return size < left_ ? size : left_;
  }
  void EnterNextLeaf();
  void EnterLeaf(const IndexNode* leaf, size_t position);
  // The leaf that comes so much later, if it is near in the tree; else null.
  const IndexNode* LeafAhead(size_t ahead) const;

  const CacheEntry* const* at_ = nullptr;
  const CacheEntry* const* run_end_ = nullptr;  // of the leaf's entries
  size_t left_ = 0;
  size_t height_ = 0;
  std::array<Step, kMaxHeight> path_;  // the parents, the root last
};

// What an index and its snapshots answer alike. `from` and `to` bound a range from below, included,
// and from above, excluded; an empty `to` is no bound.
class IndexReader {
 public:
  size_t size() const;
  bool empty() const { return root_ == nullptr; }
  // Null when there is none.
  const CacheEntry* Find(std::string_view key) const;
  IndexCursor Seek(std::string_view from = {}, std::string_view to = {}) const;
  // Takes as long as two searches.
  size_t Count(std::string_view from, std::string_view to) const;

 protected:
  IndexReader() = default;
  explicit IndexReader(IndexNode* root) : root_(root) {}
  // Entries with smaller keys.
  size_t Rank(std::string_view key) const;

  IndexNode* root_ = nullptr;
};

// The entries at one moment.
class IndexSnapshot : public IndexReader {
 public:
  IndexSnapshot() = default;  // no entries
  IndexSnapshot(const IndexSnapshot& other);
  IndexSnapshot(IndexSnapshot&& other) noexcept
      : IndexReader(std::exchange(other.root_, nullptr)) {}
  IndexSnapshot& operator=(IndexSnapshot other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~IndexSnapshot();

 private:
  friend class OrderedIndex;
  explicit IndexSnapshot(IndexNode* counted) : IndexReader(counted) {}
};

class OrderedIndex : public IndexReader {
 public:
  OrderedIndex() = default;
  OrderedIndex(const OrderedIndex&) = delete;
  OrderedIndex& operator=(const OrderedIndex&) = delete;
  ~OrderedIndex() { Clear(); }

  // Returns the entry that had the key before, or null.
  EntryRef Put(EntryRef entry);
  // Returns the entry that is gone, or null if there was none.
  EntryRef Erase(std::string_view key);
  void Clear();
  // Instead of all that there was; in any order, each key once. Far faster than one by one.
  void Load(std::vector<EntryRef> entries);

  IndexSnapshot Snapshot() const;
};

}  // namespace skiff::store

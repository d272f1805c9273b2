// Writes a database file of bbolt, the format of etcd's snapshots, from beginning to end.
//
// The file consists of pages of 4 KiB; numbers are little-endian. Each page, or run of pages that
// belong together, begins with its number (8), its kind (2), a count of elements (2) and how many
// pages follow it (4). Pages 0 and 1 are metas, of which the one with the higher transaction and a
// good checksum counts: magic, version, page size, flags, root page and sequence of the root
// bucket, page of the free list, first page that is not used, transaction, FNV-1a of all that. A
// bucket is a B+ tree. A leaf's elements are (flags, offset from the element, key length, value
// length) of 4 bytes each, and then keys and values; a branch's are (offset 4, key length 4, page
// 8), and then keys. The root bucket's values are, with the flag 1, the root page and the sequence
// of other buckets.
//
// Rows of a bucket must come in ascending order of their keys. Memory grows with the number of
// leaves, not of rows.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace skiff::store {

class BoltWriter {
 public:
  // Replaces the file.
  static Result<std::unique_ptr<BoltWriter>> Create(const std::string& path);
  ~BoltWriter();
  BoltWriter(const BoltWriter&) = delete;
  BoltWriter& operator=(const BoltWriter&) = delete;

  // Buckets come one after the other, in the order of their names.
  Result<void> BeginBucket(std::string name);
  Result<void> Add(std::string_view key, std::string_view value);
  // The size of the file.
  Result<uint64_t> Finish();

 private:
  struct Row {
    uint32_t flags;
    std::string key;
    std::string value;
  };
  struct Child {
    std::string key;
    uint64_t page;
  };

  explicit BoltWriter(std::FILE* file) : file_(file) {}
  Result<void> EndBucket();
  Result<void> FlushLeaf();
  // The root of a tree over the leaves that there are.
  Result<uint64_t> FlushTree();
  Result<uint64_t> WriteBranch(const std::vector<Child>& children, size_t from, size_t to);
  Result<uint64_t> WritePages(std::string_view elements, uint16_t kind, size_t count);
  Result<void> WriteAt(uint64_t page, std::string_view bytes);
  std::string Meta(uint64_t number, uint64_t root, uint64_t free_list) const;

  std::FILE* file_;
  uint64_t next_page_ = 3;  // after the metas and the free list
  std::string bucket_;
  bool is_in_bucket_ = false;
  std::vector<Row> leaf_;
  size_t leaf_bytes_ = 0;
  std::vector<Child> leaves_;
  std::vector<Row> buckets_;
};

}  // namespace skiff::store

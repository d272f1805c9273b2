#include "store/etcd_server/bolt_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace skiff::store {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kHeaderBytes = 16;
constexpr size_t kElementBytes = 16;
constexpr uint32_t kMagic = 0xED0CDAED;
constexpr uint32_t kVersion = 2;
constexpr uint64_t kFreeListPage = 2;
constexpr uint16_t kBranch = 0x01;
constexpr uint16_t kLeaf = 0x02;
constexpr uint16_t kMetaPage = 0x04;
constexpr uint16_t kFreeList = 0x10;
constexpr uint32_t kIsBucket = 1;
// Leaves and branches are filled up to a page; a longer row has pages of its own.
constexpr size_t kFillBytes = kPageBytes - kHeaderBytes;

template <typename T>
void Append(std::string& out, T number) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(number >> (8 * i));
}

std::string PageHead(uint64_t page, uint16_t kind, size_t count, uint32_t more) {
  std::string out;
  Append<uint64_t>(out, page);
  Append<uint16_t>(out, kind);
  Append<uint16_t>(out, static_cast<uint16_t>(count));
  Append<uint32_t>(out, more);
  return out;
}

uint64_t Fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

std::unexpected<Status> WriteFailure() {
  return Fail(StatusReason::kInternalError,
              std::string("cannot write the snapshot: ") + std::strerror(errno));
}

}  // namespace

Result<std::unique_ptr<BoltWriter>> BoltWriter::Create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w+be");
  if (file == nullptr) return WriteFailure();
  return std::unique_ptr<BoltWriter>(new BoltWriter(file));
}

BoltWriter::~BoltWriter() { std::fclose(file_); }

Result<void> BoltWriter::BeginBucket(std::string name) {
  SKIFF_RETURN_IF_ERROR(EndBucket());
  bucket_ = std::move(name);
  is_in_bucket_ = true;
  return {};
}

Result<void> BoltWriter::Add(std::string_view key, std::string_view value) {
  const size_t bytes = kElementBytes + key.size() + value.size();
  if (!leaf_.empty() && leaf_bytes_ + bytes > kFillBytes) SKIFF_RETURN_IF_ERROR(FlushLeaf());
  leaf_.push_back({0, std::string(key), std::string(value)});
  leaf_bytes_ += bytes;
  return {};
}

Result<void> BoltWriter::EndBucket() {
  if (!std::exchange(is_in_bucket_, false)) return {};
  SKIFF_ASSIGN_OR_RETURN(const uint64_t root, FlushTree());
  std::string value;
  Append<uint64_t>(value, root);
  Append<uint64_t>(value, 0);
  buckets_.push_back({kIsBucket, std::move(bucket_), std::move(value)});
  return {};
}

Result<void> BoltWriter::FlushLeaf() {
  std::string out;
  size_t at = leaf_.size() * kElementBytes;
  for (size_t i = 0; i < leaf_.size(); ++i) {
    const Row& row = leaf_[i];
    Append<uint32_t>(out, row.flags);
    Append<uint32_t>(out, static_cast<uint32_t>(at - i * kElementBytes));
    Append<uint32_t>(out, static_cast<uint32_t>(row.key.size()));
    Append<uint32_t>(out, static_cast<uint32_t>(row.value.size()));
    at += row.key.size() + row.value.size();
  }
  for (const Row& row : leaf_) out.append(row.key).append(row.value);
  SKIFF_ASSIGN_OR_RETURN(const uint64_t page, WritePages(out, kLeaf, leaf_.size()));
  leaves_.push_back({leaf_.empty() ? "" : std::move(leaf_[0].key), page});
  leaf_.clear();
  leaf_bytes_ = 0;
  return {};
}

Result<uint64_t> BoltWriter::FlushTree() {
  // A bucket without rows has a leaf without elements.
  if (!leaf_.empty() || leaves_.empty()) SKIFF_RETURN_IF_ERROR(FlushLeaf());
  std::vector<Child> level = std::exchange(leaves_, {});
  while (level.size() > 1) {
    std::vector<Child> above;
    for (size_t from = 0; from < level.size();) {
      size_t to = from;
      size_t bytes = 0;
      // At least two, or the tree would not get narrower.
      while (to < level.size() &&
             (to < from + 2 || bytes + kElementBytes + level[to].key.size() <= kFillBytes)) {
        bytes += kElementBytes + level[to].key.size();
        ++to;
      }
      SKIFF_ASSIGN_OR_RETURN(const uint64_t page, WriteBranch(level, from, to));
      above.push_back({level[from].key, page});
      from = to;
    }
    level = std::move(above);
  }
  return level[0].page;
}

Result<uint64_t> BoltWriter::WriteBranch(const std::vector<Child>& children, size_t from,
                                         size_t to) {
  std::string out;
  size_t at = (to - from) * kElementBytes;
  for (size_t i = from; i < to; ++i) {
    Append<uint32_t>(out, static_cast<uint32_t>(at - (i - from) * kElementBytes));
    Append<uint32_t>(out, static_cast<uint32_t>(children[i].key.size()));
    Append<uint64_t>(out, children[i].page);
    at += children[i].key.size();
  }
  for (size_t i = from; i < to; ++i) out.append(children[i].key);
  return WritePages(out, kBranch, to - from);
}

Result<uint64_t> BoltWriter::WritePages(std::string_view elements, uint16_t kind, size_t count) {
  const uint64_t page = next_page_;
  const size_t pages = (kHeaderBytes + elements.size() + kPageBytes - 1) / kPageBytes;
  std::string out = PageHead(page, kind, count, static_cast<uint32_t>(pages - 1));
  out.append(elements);
  out.resize(pages * kPageBytes);
  SKIFF_RETURN_IF_ERROR(WriteAt(page, out));
  next_page_ += pages;
  return page;
}

Result<void> BoltWriter::WriteAt(uint64_t page, std::string_view bytes) {
  if (fseeko(file_, static_cast<off_t>(page * kPageBytes), SEEK_SET) != 0 ||
      std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    return WriteFailure();
  return {};
}

std::string BoltWriter::Meta(uint64_t number, uint64_t root, uint64_t free_list) const {
  std::string meta;
  Append<uint32_t>(meta, kMagic);
  Append<uint32_t>(meta, kVersion);
  Append<uint32_t>(meta, kPageBytes);
  Append<uint32_t>(meta, 0);
  Append<uint64_t>(meta, root);
  Append<uint64_t>(meta, 0);
  Append<uint64_t>(meta, free_list);
  Append<uint64_t>(meta, next_page_);
  Append<uint64_t>(meta, number);  // as the transaction
  Append<uint64_t>(meta, Fnv1a(meta));
  std::string page = PageHead(number, kMetaPage, 0, 0) + meta;
  page.resize(kPageBytes);
  return page;
}

Result<uint64_t> BoltWriter::Finish() {
  SKIFF_RETURN_IF_ERROR(EndBucket());
  leaf_ = std::exchange(buckets_, {});
  SKIFF_ASSIGN_OR_RETURN(const uint64_t root, FlushTree());
  std::string nothing_free = PageHead(kFreeListPage, kFreeList, 0, 0);
  nothing_free.resize(kPageBytes);
  SKIFF_RETURN_IF_ERROR(WriteAt(kFreeListPage, nothing_free));
  for (const uint64_t number : {0, 1})
    SKIFF_RETURN_IF_ERROR(WriteAt(number, Meta(number, root, kFreeListPage)));
  if (std::fflush(file_) != 0) return WriteFailure();
  return next_page_ * kPageBytes;
}

}  // namespace skiff::store

#include "store/embedded/table_file.h"

#include <bit>
#include <optional>
#include <string_view>

#include "base/crc32c.h"

namespace skiff::store {
namespace {

constexpr size_t kFooterBytes = 53;
constexpr size_t kHandlesBytes = 40;
constexpr size_t kBlockTrailerBytes = 5;
constexpr char kCrc32cType = 1;
constexpr uint64_t kFormatVersion = 5;
constexpr uint64_t kMagicNumber = 0x88e241b785f4cff7ULL;
// Of blocks at the end of a file: far beyond what the few facts in them need.
constexpr uint64_t kMaxBlockBytes = 1024 * 1024;

uint64_t FixedNumber(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

// Takes a variable number off the front.
bool TakeNumber(std::string_view* in, uint64_t* out) {
  *out = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    *out |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

struct Handle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

bool TakeHandle(std::string_view* in, Handle* out) {
  return TakeNumber(in, &out->offset) && TakeNumber(in, &out->size);
}

bool Fits(const Handle& handle, uint64_t file_size) {
  const uint64_t end = file_size - kFooterBytes;
  return handle.offset <= end && handle.size <= end - handle.offset &&
         kBlockTrailerBytes <= end - handle.offset - handle.size;
}

// The block without its trailer. Empty with `damaged` unset: it could not be read.
std::optional<std::string> ReadBlock(const Handle& handle, const ReadFilePart& read,
                                     bool* damaged) {
  std::string block;
  if (!read(handle.offset, handle.size + kBlockTrailerBytes, &block)) return std::nullopt;
  const std::string_view view(block);
  const uint64_t stored = FixedNumber(view.substr(handle.size + 1, 4));
  const uint32_t crc = Crc32c(view.substr(0, handle.size + 1));
  *damaged = static_cast<uint32_t>(stored) != std::rotr(crc, 15) + 0xa282ead8U;
  if (*damaged) return std::nullopt;
  block.resize(handle.size);
  return block;
}

// Where the metaindex says that the properties stand. Its checksum has been compared, so that it
// is what was written.
std::optional<Handle> FindProperties(std::string_view metaindex) {
  if (metaindex.size() < 4) return std::nullopt;
  const uint64_t restarts = FixedNumber(metaindex.substr(metaindex.size() - 4));
  if (restarts > metaindex.size() / 4 - 1) return std::nullopt;
  std::string_view entries = metaindex.substr(0, metaindex.size() - 4 - 4 * restarts);
  std::string key;
  while (!entries.empty()) {
    uint64_t shared = 0;
    uint64_t rest = 0;
    uint64_t value_size = 0;
    if (!TakeNumber(&entries, &shared) || !TakeNumber(&entries, &rest) ||
        !TakeNumber(&entries, &value_size)) {
      return std::nullopt;
    }
    if (shared > key.size() || rest > entries.size() || value_size > entries.size() - rest) {
      return std::nullopt;
    }
    key.resize(shared);
    key += entries.substr(0, rest);
    std::string_view value = entries.substr(rest, value_size);
    entries.remove_prefix(rest + value_size);
    Handle handle;
    if (key == "rocksdb.properties" && TakeHandle(&value, &handle)) return handle;
  }
  return std::nullopt;
}

}  // namespace

const char* FindTableDamage(uint64_t file_size, const ReadFilePart& read) {
  if (file_size < kFooterBytes) return "it is too short";
  std::string footer;
  if (!read(file_size - kFooterBytes, kFooterBytes, &footer)) return nullptr;
  const std::string_view view(footer);
  if (view[0] != kCrc32cType || FixedNumber(view.substr(1 + kHandlesBytes, 4)) != kFormatVersion ||
      FixedNumber(view.substr(5 + kHandlesBytes, 8)) != kMagicNumber) {
    return "its footer is damaged";
  }
  std::string_view handles = view.substr(1, kHandlesBytes);
  Handle metaindex;
  Handle index;
  if (!TakeHandle(&handles, &metaindex) || !TakeHandle(&handles, &index) ||
      !Fits(metaindex, file_size) || !Fits(index, file_size) || metaindex.size > kMaxBlockBytes ||
      handles.find_first_not_of('\0') != std::string_view::npos) {
    return "its footer is damaged";
  }
  bool damaged = false;
  const auto metaindex_block = ReadBlock(metaindex, read, &damaged);
  if (!metaindex_block) return damaged ? "its metaindex is damaged" : nullptr;
  const auto properties = FindProperties(*metaindex_block);
  if (!properties || !Fits(*properties, file_size) || properties->size > kMaxBlockBytes) {
    return "its metaindex names no properties";
  }
  if (!ReadBlock(*properties, read, &damaged)) {
    return damaged ? "its properties are damaged" : nullptr;
  }
  return nullptr;
}

}  // namespace skiff::store

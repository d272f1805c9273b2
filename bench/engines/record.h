// The bytes of a log record and of a revision, for the engines that store plain byte strings.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace skiff::bench::engines {

// Big-endian, so that the order of bytes is the order of revisions.
inline std::string RevisionBytes(uint64_t revision) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[static_cast<size_t>(i)] = static_cast<char>(revision >> (56 - 8 * i));
  return bytes;
}

inline uint64_t RevisionFrom(std::string_view bytes) {
  uint64_t revision = 0;
  for (size_t i = 0; i < 8 && i < bytes.size(); ++i) {
    revision = revision << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return revision;
}

// Key length (two bytes, little-endian), key, value.
inline void AppendRecord(std::string_view key, std::string_view value, std::string* out) {
  out->push_back(static_cast<char>(key.size() & 0xff));
  out->push_back(static_cast<char>(key.size() >> 8));
  out->append(key).append(value);
}

struct Record {
  std::string_view key;
  std::string_view value;
};

// False when the bytes cannot be a record.
inline bool ParseRecord(std::string_view bytes, Record* record) {
  if (bytes.size() < 2) return false;
  const size_t key_size = static_cast<unsigned char>(bytes[0]) |
                          static_cast<size_t>(static_cast<unsigned char>(bytes[1])) << 8;
  if (bytes.size() < 2 + key_size) return false;
  record->key = bytes.substr(2, key_size);
  record->value = bytes.substr(2 + key_size);
  return true;
}

}  // namespace skiff::bench::engines

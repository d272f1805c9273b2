// The bytes of the embedded store, format version 1. Numbers are little-endian in values and
// big-endian in keys, so that the order of keys is the order of numbers. Every value ends with a
// CRC32C over its key (or position) and itself: a value that lies under a wrong key is noticed.
//
// kLog      revision (8) op (4) → kind (1) create revision (8) version (8) lease (8)
//                                 previous revision (8) previous op (4) key length (4) key value
//                                 crc
//           One record for each write. `previous` is where the last record of the same key is, or
//           zero: the chain of them is the history of the key.
// kCurrent  key → revision (8) op (4) create revision (8) version (8) lease (8) deleted (1) crc
//           Where the last record of the key is. A deletion leaves a row until it is compacted.
// kLease    0 lease (8)     → seconds (8) expiry on the wall clock, ns (8) renewed (1) crc
//           1 lease (8) key → nothing: the keys of a lease
// kMeta     name → number (8) crc
//
// Decoding is strict: what these functions did not write they refuse.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace skiff::store {

// The newest format that this program reads and the one that it writes.
inline constexpr int64_t kStoreFormat = 1;

inline constexpr std::string_view kMetaFormat = "format";
inline constexpr std::string_view kMetaCluster = "cluster";
inline constexpr std::string_view kMetaRevision = "revision";
inline constexpr std::string_view kMetaCompacted = "compacted";
inline constexpr std::string_view kMetaKeys = "keys";
// There while an import is under way, or for ever if it was cut short.
inline constexpr std::string_view kMetaImporting = "importing";

// A place in the log: the number of a write within its transaction.
struct LogPosition {
  int64_t revision = 0;  // zero: nowhere
  uint32_t op = 0;
  explicit operator bool() const { return revision != 0; }
  friend auto operator<=>(LogPosition, LogPosition) = default;
};

struct LogKey {
  std::array<char, 12> bytes;
  explicit LogKey(LogPosition position);
  operator std::string_view() const { return {bytes.data(), bytes.size()}; }
};
Result<LogPosition> DecodeLogKey(std::string_view key);

struct LogRecord {
  Write::Kind kind = Write::Kind::kPut;
  // Of a deletion these are zero.
  int64_t create_revision = 0;
  int64_t version = 0;
  LeaseId lease;
  LogPosition previous;
  std::string_view key;
  std::string_view value;
};
// Replaces what is in `out`.
void EncodeRecord(LogPosition position, const LogRecord& record, std::string* out);
// The views of the record point into `bytes`.
Result<LogRecord> DecodeRecord(LogPosition position, std::string_view bytes);
// What a reader of the store gets.
KeyValue RecordToKeyValue(LogPosition position, const LogRecord& record);

struct CurrentRow {
  LogPosition position;
  // Of a deleted key these are zero.
  int64_t create_revision = 0;
  int64_t version = 0;
  LeaseId lease;
  bool deleted = false;
  friend bool operator==(const CurrentRow&, const CurrentRow&) = default;
};
inline constexpr size_t kCurrentRowBytes = 41;
struct CurrentRowBytes {
  std::array<char, kCurrentRowBytes> bytes;
  CurrentRowBytes(std::string_view key, const CurrentRow& row);
  operator std::string_view() const { return {bytes.data(), bytes.size()}; }
};
Result<CurrentRow> DecodeCurrentRow(std::string_view key, std::string_view bytes);

struct LeaseRow {
  int64_t ttl_seconds = 0;
  int64_t wall_expiry_ns = 0;
  bool renewed = false;
  friend bool operator==(const LeaseRow&, const LeaseRow&) = default;
};
std::string LeaseKey(LeaseId lease);
Result<LeaseId> DecodeLeaseKey(std::string_view key);
// The first key after all leases, where their attached keys begin.
inline constexpr std::string_view kLeaseKeysEnd = "\x01";
std::string EncodeLeaseRow(std::string_view key, const LeaseRow& row);
Result<LeaseRow> DecodeLeaseRow(std::string_view key, std::string_view bytes);

// What the rows of all keys of a lease begin with.
std::string AttachmentPrefix(LeaseId lease);
inline std::string AttachmentKey(LeaseId lease, std::string_view key) {
  return AttachmentPrefix(lease).append(key);
}

std::string EncodeMeta(std::string_view name, int64_t number);
Result<int64_t> DecodeMeta(std::string_view name, std::string_view bytes);

}  // namespace skiff::store

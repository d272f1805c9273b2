// Tells the torn end that a power cut leaves in a file from damage, for the two kinds of file that
// RocksDB extends record by record: write-ahead logs and manifests.
//
// The format: blocks of 32 KiB; in them pieces, each with a checksum of four bytes (CRC32C over
// type and contents, rotated and added to), a length of two, a type of one (1 whole record, 2
// first, 3 middle, 4 last piece of one), then the contents. Fewer than seven bytes at the end of a
// block are left empty. In a log, a record is a batch: its sequence number in eight bytes, the
// number of its entries in four, all little-endian.
//
// RocksDB by itself cannot tell the two apart. In the mode that stops at the first bad record it
// drops what was acknowledged after it; in the mode that tolerates a bad tail it refuses what a
// power cut leaves when the disk wrote later sectors and not earlier ones, and still drops, without
// a word, all that follows a damaged length in the last block. What tells them apart is this:
//
// - The engine syncs each batch before it writes the next. Where a later batch stands, everything
//   before it was synced, and a bad record before it is damage. Only the last record can be torn.
//   (A manifest gets a few records at once, kMaxManifestGroup, so there it is the last few.)
// - What was not written reads as the end of the file or, up to the end of a sector, as zeros. A
// bad
//   record without either is damage. So is one that a single changed bit explains, zeros or not.
//
// What remains is a last record that the disk promised to hold and lost as a whole sector: nothing
// in a log can tell that from a power cut.
#pragma once

#include <cstdint>
#include <string_view>

namespace skiff::store {

enum class RecordFileKind : uint8_t { kLog, kManifest };

enum class RecordFileState : uint8_t {
  kWhole,
  kTorn,        // safe to cut off at `whole_bytes`
  kRepairable,  // by setting the bit `repair_bit` of the byte `repair_at`
  kDamaged,     // at `bad_at`
};

struct RecordFileCheck {
  RecordFileState state = RecordFileState::kWhole;
  uint64_t whole_bytes = 0;  // where the last whole record ends before the first that is not
  uint64_t bad_at = 0;
  uint64_t repair_at = 0;
  int repair_bit = 0;
  const char* why = "";      // what is damaged, for people
  bool has_entries = false;  // of a log: some batch is not empty
};

RecordFileCheck CheckRecordFile(RecordFileKind kind, std::string_view file);

// The records of one manifest update: up to two for each family, at the opening.
inline constexpr int kMaxManifestGroup = 12;

}  // namespace skiff::store

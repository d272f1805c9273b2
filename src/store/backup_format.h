// A backup file: the entries and leases of a store at one revision, whatever its engine.
//
//   "SKIFFBAK"                       8 bytes
//   format version                   4 bytes: 1
//   frames, one after the other, the first a header, then entries, then leases, at last an end:
//     kind                           1 byte
//     length of the payload          4 bytes
//     payload
//     checksum                       4 bytes: CRC32C of the version, the frame's place in the file
//                                    (8 bytes), kind, length and payload
//
//   header  kind 1: cluster id (0: not known), time taken (seconds since 1970), prefix of the keys
//   entry   kind 2: create revision, mod revision, version, lease, length of the key (4 bytes),
//   key,
//                   value
//   lease   kind 3: id, granted seconds, remaining seconds when the backup was taken
//   end     kind 4: revision, number of entries, number of leases, bytes of keys, bytes of values,
//                   CRC32C (4 bytes) of the whole file up to this frame
//
// Numbers have 8 bytes where nothing else is said, and are little-endian. Entries come in no
// particular order. The revision stands at the end because a scan knows it only then; a file
// without an end is a backup that was cut short. Nothing follows the end.
//
// A frame holds its place in its checksum, so that frames which were left out, repeated or moved
// are noticed as well as changed bytes are. The reader believes nothing, allocates no more than
// limits::kMaxBackupFrameBytes for a frame, and says where in the file it found a fault.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::store {

inline constexpr std::string_view kBackupMagic = "SKIFFBAK";
inline constexpr uint32_t kBackupFormatVersion = 1;

struct BackupHeader {
  uint64_t cluster_id = 0;
  int64_t taken_at = 0;  // seconds since 1970
  std::string prefix;    // of all keys; empty: the backup is of a whole store
  friend bool operator==(const BackupHeader&, const BackupHeader&) = default;
};

struct BackupEnd {
  Revision revision;
  uint64_t entries = 0;
  uint64_t leases = 0;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  friend bool operator==(const BackupEnd&, const BackupEnd&) = default;
};

// Where the bytes of a backup go.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> Append(std::string_view bytes) = 0;
};

// Where they come from. Reading may be repeated and goes in any order.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` from `offset` on; less only at the end of the bytes.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<char> out) = 0;
};

// Bytes in memory, which must outlive it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) override;

 private:
  std::string_view bytes_;
};

// Writes one backup: Begin, the entries, the leases, Finish. After an error nothing more may be
// written, and what was is worthless.
class BackupWriter {
 public:
  explicit BackupWriter(ByteSink& sink) : sink_(sink) {}

  Result<void> Begin(const BackupHeader& header);
  Result<void> Add(const KeyValue& entry);
  Result<void> Add(const LeaseInfo& lease);
  Result<BackupEnd> Finish(Revision revision);

  uint64_t bytes() const { return offset_; }
  const BackupEnd& so_far() const { return end_; }

 private:
  Result<void> WriteFrame(uint8_t kind, std::string_view payload, std::string_view value = {});
  Result<void> Emit(std::string_view bytes);

  ByteSink& sink_;
  ByteBuffer scratch_;
  uint64_t offset_ = 0;
  uint32_t checksum_ = 0;  // of everything written
  BackupEnd end_;
};

// Reads one backup from the front to the end, checking everything.
class BackupReader {
 public:
  struct Entry {
    uint64_t offset;  // for ReadBackupEntry
    KeyValue entry;
  };
  using Record = std::variant<Entry, LeaseInfo>;

  // The header has been read and is right.
  static Result<BackupReader> Open(ByteSource& source);

  const BackupHeader& header() const { return header_; }
  // The next entry or lease; none after the last, when end() is known and all sums are right.
  Result<std::optional<Record>> Next();
  const BackupEnd& end() const { return end_; }
  uint64_t offset() const { return offset_; }

 private:
  explicit BackupReader(ByteSource& source);

  struct Frame {
    uint64_t offset = 0;
    uint8_t kind = 0;
    std::string_view payload;  // until the next read
  };
  Result<void> ReadHead();
  Result<Frame> ReadFrame();
  Result<Record> ReadEntry(const Frame& frame);
  Result<Record> ReadLease(const Frame& frame);
  Result<void> CheckEnd(const Frame& frame, uint32_t checksum_before);
  // At least `size` bytes at offset_, or as many as there are.
  Result<std::string_view> Peek(size_t size);

  ByteSource* source_;
  std::vector<char> buffer_;
  uint64_t buffer_offset_ = 0;
  size_t buffer_size_ = 0;
  uint64_t offset_ = 0;
  uint32_t checksum_ = 0;
  bool ended_ = false;
  Revision highest_;
  BackupHeader header_;
  BackupEnd counted_;
  BackupEnd end_;
};

// The entry at a place that a BackupReader told of.
Result<KeyValue> ReadBackupEntry(ByteSource& source, uint64_t offset);

// Where the entries of a backup are, for reading them in another order than that of the file; 24
// bytes an entry.
class BackupIndex {
 public:
  struct Place {
    uint64_t offset;
    int64_t mod_revision;
    uint64_t key_hash;
  };

  // Reads all of the backup. A key that is there twice is an error, as is a lease that an entry has
  // and the file has not. The source must outlive the index.
  static Result<BackupIndex> Build(ByteSource& source, BackupReader& reader);

  // In the order in which they were last written.
  const std::vector<Place>& by_revision() const { return by_revision_; }
  const std::vector<LeaseInfo>& leases() const { return leases_; }
  const BackupEnd& end() const { return end_; }
  Result<KeyValue> Read(const Place& place) const {
    return ReadBackupEntry(*source_, place.offset);
  }
  const LeaseInfo* FindLease(LeaseId id) const;

  struct Found {
    size_t place;  // in by_revision()
    KeyValue entry;
  };
  Result<std::optional<Found>> Find(std::string_view key) const;

 private:
  ByteSource* source_ = nullptr;
  std::vector<Place> by_revision_;
  std::vector<uint32_t> by_hash_;  // places in by_revision_
  std::vector<LeaseInfo> leases_;
  BackupEnd end_;
};

}  // namespace skiff::store

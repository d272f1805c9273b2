#include "store/backup_format.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/crc32c.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::store {
namespace {

constexpr uint8_t kHeaderFrame = 1;
constexpr uint8_t kEntryFrame = 2;
constexpr uint8_t kLeaseFrame = 3;
constexpr uint8_t kEndFrame = 4;

constexpr size_t kFileHeadBytes = kBackupMagic.size() + 4;
constexpr size_t kFrameHeadBytes = 1 + 4;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kEntryFixedBytes = 4 * 8 + 4;
constexpr size_t kLeaseBytes = 3 * 8;
constexpr size_t kEndBytes = 5 * 8 + 4;
constexpr size_t kReadAheadBytes = 256 * 1024;

static_assert(limits::kMaxBackupFrameBytes >
              kEntryFixedBytes + limits::kMaxStoreKeyBytes + limits::kMaxStoreTransactionBytes);

template <typename T>
void AppendNumber(ByteBuffer& out, T value) {
  char* to = out.Reserve(sizeof value);
  for (size_t i = 0; i < sizeof value; ++i) {
    to[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  }
  out.CommitTo(to + sizeof value);
}

template <typename T>
T NumberAt(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return static_cast<T>(value);
}

// Takes numbers off the front of a payload whose length is known to do.
template <typename T>
T TakeNumber(std::string_view& bytes) {
  const T value = NumberAt<T>(bytes, 0);
  bytes.remove_prefix(sizeof(T));
  return value;
}

// The state of a checksum that knows where in which format a frame stands.
uint32_t ChecksumSeed(uint64_t offset) {
  ByteBuffer place;
  AppendNumber(place, kBackupFormatVersion);
  AppendNumber(place, offset);
  return Crc32c(place.view());
}

std::unexpected<Status> Damaged(uint64_t offset, const std::string& what) {
  return BadRequest("the backup is damaged at byte " + std::to_string(offset) + ": " + what);
}

std::unexpected<Status> CutShort(uint64_t offset) {
  return BadRequest("the backup ends at byte " + std::to_string(offset) +
                    ", before it is complete: it was cut short");
}

Result<KeyValue> DecodeEntry(uint64_t offset, std::string_view payload) {
  if (payload.size() < kEntryFixedBytes) return Damaged(offset, "an entry is too short");
  KeyValue entry;
  entry.create_revision.value = TakeNumber<int64_t>(payload);
  entry.mod_revision.value = TakeNumber<int64_t>(payload);
  entry.version = TakeNumber<int64_t>(payload);
  entry.lease.value = TakeNumber<int64_t>(payload);
  const auto key_size = TakeNumber<uint32_t>(payload);
  if (key_size == 0 || key_size > limits::kMaxStoreKeyBytes || key_size > payload.size()) {
    return Damaged(offset, "a key of " + std::to_string(key_size) + " bytes");
  }
  if (entry.create_revision.value < 1 || entry.mod_revision < entry.create_revision ||
      entry.version < 1) {
    return Damaged(offset, "an entry with impossible revisions");
  }
  entry.key = payload.substr(0, key_size);
  entry.value = SharedBytes(payload.substr(key_size));
  return entry;
}

// Checks a frame, given from its kind to the end of its checksum.
bool HasRightChecksum(uint64_t offset, std::string_view frame) {
  const std::string_view summed = frame.substr(0, frame.size() - kChecksumBytes);
  return Crc32c(summed, ChecksumSeed(offset)) == NumberAt<uint32_t>(frame, summed.size());
}

}  // namespace

Result<size_t> MemorySource::ReadAt(uint64_t offset, std::span<char> out) {
  if (offset >= bytes_.size()) return 0;
  return bytes_.copy(out.data(), out.size(), offset);
}

// --- writing

Result<void> BackupWriter::Begin(const BackupHeader& header) {
  ByteBuffer head;
  head.Append(kBackupMagic);
  AppendNumber(head, kBackupFormatVersion);
  SKIFF_RETURN_IF_ERROR(Emit(head.view()));
  scratch_.Clear();
  AppendNumber(scratch_, header.cluster_id);
  AppendNumber(scratch_, header.taken_at);
  scratch_.Append(header.prefix);
  return WriteFrame(kHeaderFrame, scratch_.view());
}

Result<void> BackupWriter::Add(const KeyValue& entry) {
  const size_t size = kEntryFixedBytes + entry.key.size() + entry.value.size();
  if (entry.key.size() > limits::kMaxStoreKeyBytes || size > limits::kMaxBackupFrameBytes) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "the value of " + Quoted(entry.key) + " has " + std::to_string(entry.value.size()) +
                    " bytes, more than a backup holds");
  }
  scratch_.Clear();
  AppendNumber(scratch_, entry.create_revision.value);
  AppendNumber(scratch_, entry.mod_revision.value);
  AppendNumber(scratch_, entry.version);
  AppendNumber(scratch_, entry.lease.value);
  AppendNumber(scratch_, static_cast<uint32_t>(entry.key.size()));
  scratch_.Append(entry.key);
  ++end_.entries;
  end_.key_bytes += entry.key.size();
  end_.value_bytes += entry.value.size();
  return WriteFrame(kEntryFrame, scratch_.view(), entry.value.view());
}

Result<void> BackupWriter::Add(const LeaseInfo& lease) {
  scratch_.Clear();
  AppendNumber(scratch_, lease.id.value);
  AppendNumber(scratch_, static_cast<int64_t>(lease.granted.count()));
  AppendNumber(scratch_, static_cast<int64_t>(lease.remaining.count()));
  ++end_.leases;
  return WriteFrame(kLeaseFrame, scratch_.view());
}

Result<BackupEnd> BackupWriter::Finish(Revision revision) {
  end_.revision = revision;
  scratch_.Clear();
  AppendNumber(scratch_, end_.revision.value);
  AppendNumber(scratch_, end_.entries);
  AppendNumber(scratch_, end_.leases);
  AppendNumber(scratch_, end_.key_bytes);
  AppendNumber(scratch_, end_.value_bytes);
  AppendNumber(scratch_, checksum_);
  SKIFF_RETURN_IF_ERROR(WriteFrame(kEndFrame, scratch_.view()));
  return end_;
}

Result<void> BackupWriter::WriteFrame(uint8_t kind, std::string_view payload,
                                      std::string_view value) {
  uint32_t checksum = ChecksumSeed(offset_);
  ByteBuffer head;
  head.Append(static_cast<char>(kind));
  AppendNumber(head, static_cast<uint32_t>(payload.size() + value.size()));
  for (const std::string_view piece : {head.view(), payload, value}) {
    checksum = Crc32c(piece, checksum);
    SKIFF_RETURN_IF_ERROR(Emit(piece));
  }
  ByteBuffer tail;
  AppendNumber(tail, checksum);
  return Emit(tail.view());
}

Result<void> BackupWriter::Emit(std::string_view bytes) {
  checksum_ = Crc32c(bytes, checksum_);
  offset_ += bytes.size();
  return sink_.Append(bytes);
}

// --- reading

BackupReader::BackupReader(ByteSource& source) : source_(&source), buffer_(kReadAheadBytes) {}

Result<BackupReader> BackupReader::Open(ByteSource& source) {
  BackupReader reader(source);
  SKIFF_RETURN_IF_ERROR(reader.ReadHead());
  return reader;
}

Result<void> BackupReader::ReadHead() {
  SKIFF_ASSIGN_OR_RETURN(const std::string_view head, Peek(kFileHeadBytes));
  if (!head.starts_with(kBackupMagic)) {
    // What is too short to tell may be the beginning of one.
    if (!head.empty() && kBackupMagic.starts_with(head)) return CutShort(head.size());
    return BadRequest("this is not a backup made by 'skiff store backup'");
  }
  if (head.size() < kFileHeadBytes) return CutShort(head.size());
  const auto version = NumberAt<uint32_t>(head, kBackupMagic.size());
  if (version != kBackupFormatVersion) {
    return BadRequest("the backup has format version " + std::to_string(version) +
                      ", and this Skiff reads version " + std::to_string(kBackupFormatVersion) +
                      "; use the Skiff that made it, or a newer one");
  }
  checksum_ = Crc32c(head.substr(0, kFileHeadBytes));
  offset_ = kFileHeadBytes;
  SKIFF_ASSIGN_OR_RETURN(Frame frame, ReadFrame());
  if (frame.kind != kHeaderFrame || frame.payload.size() < 16 ||
      frame.payload.size() > 16 + limits::kMaxStoreKeyBytes) {
    return Damaged(frame.offset, "there is no header");
  }
  header_.cluster_id = TakeNumber<uint64_t>(frame.payload);
  header_.taken_at = TakeNumber<int64_t>(frame.payload);
  header_.prefix = frame.payload;
  return {};
}

Result<std::optional<BackupReader::Record>> BackupReader::Next() {
  if (ended_) return std::nullopt;
  const uint32_t checksum_before = checksum_;
  SKIFF_ASSIGN_OR_RETURN(const Frame frame, ReadFrame());
  switch (frame.kind) {
    case kEntryFrame: {
      SKIFF_ASSIGN_OR_RETURN(Record record, ReadEntry(frame));
      return record;
    }
    case kLeaseFrame: {
      SKIFF_ASSIGN_OR_RETURN(Record record, ReadLease(frame));
      return record;
    }
    case kEndFrame:
      SKIFF_RETURN_IF_ERROR(CheckEnd(frame, checksum_before));
      ended_ = true;
      return std::nullopt;
    default:
      return Damaged(frame.offset, "a frame of unknown kind " + std::to_string(frame.kind));
  }
}

Result<BackupReader::Record> BackupReader::ReadEntry(const Frame& frame) {
  if (counted_.leases != 0) return Damaged(frame.offset, "an entry behind the leases");
  SKIFF_ASSIGN_OR_RETURN(KeyValue entry, DecodeEntry(frame.offset, frame.payload));
  if (!entry.key.starts_with(header_.prefix)) {
    return Damaged(frame.offset, "a key that does not begin with " + Quoted(header_.prefix));
  }
  ++counted_.entries;
  counted_.key_bytes += entry.key.size();
  counted_.value_bytes += entry.value.size();
  highest_ = std::max(highest_, entry.mod_revision);
  return Entry{frame.offset, std::move(entry)};
}

Result<BackupReader::Record> BackupReader::ReadLease(const Frame& frame) {
  if (frame.payload.size() != kLeaseBytes) return Damaged(frame.offset, "a lease of wrong length");
  LeaseInfo lease;
  lease.id.value = NumberAt<int64_t>(frame.payload, 0);
  lease.granted = std::chrono::seconds(NumberAt<int64_t>(frame.payload, 8));
  lease.remaining = std::chrono::seconds(NumberAt<int64_t>(frame.payload, 16));
  if (lease.id.value == 0 || lease.granted.count() < 0 || lease.remaining.count() < 0 ||
      lease.granted.count() > limits::kMaxLeaseSeconds ||
      lease.remaining.count() > limits::kMaxLeaseSeconds) {
    return Damaged(frame.offset, "a lease with impossible times");
  }
  ++counted_.leases;
  return lease;
}

Result<void> BackupReader::CheckEnd(const Frame& frame, uint32_t checksum_before) {
  if (frame.payload.size() != kEndBytes) return Damaged(frame.offset, "an end of wrong length");
  std::string_view payload = frame.payload;
  end_.revision.value = TakeNumber<int64_t>(payload);
  end_.entries = TakeNumber<uint64_t>(payload);
  end_.leases = TakeNumber<uint64_t>(payload);
  end_.key_bytes = TakeNumber<uint64_t>(payload);
  end_.value_bytes = TakeNumber<uint64_t>(payload);
  if (TakeNumber<uint32_t>(payload) != checksum_before) {
    return Damaged(frame.offset, "the checksum of the whole file is wrong");
  }
  counted_.revision = end_.revision;
  if (end_ != counted_) {
    return Damaged(frame.offset, "there are " + std::to_string(counted_.entries) + " entries and " +
                                     std::to_string(counted_.leases) + " leases, and " +
                                     std::to_string(end_.entries) + " and " +
                                     std::to_string(end_.leases) + " were written");
  }
  if (end_.revision.value < 1 || highest_ > end_.revision) {
    return Damaged(frame.offset, "entries are newer than the revision of the backup");
  }
  SKIFF_ASSIGN_OR_RETURN(const std::string_view rest, Peek(1));
  if (!rest.empty()) return Damaged(offset_, "something follows the end");
  return {};
}

Result<BackupReader::Frame> BackupReader::ReadFrame() {
  SKIFF_ASSIGN_OR_RETURN(const std::string_view head, Peek(kFrameHeadBytes));
  if (head.size() < kFrameHeadBytes) return CutShort(offset_ + head.size());
  const auto size = NumberAt<uint32_t>(head, 1);
  if (size > limits::kMaxBackupFrameBytes) {
    return Damaged(offset_, "a frame of " + std::to_string(size) + " bytes");
  }
  const size_t total = kFrameHeadBytes + size + kChecksumBytes;
  SKIFF_ASSIGN_OR_RETURN(std::string_view all, Peek(total));
  if (all.size() < total) return CutShort(offset_ + all.size());
  all = all.substr(0, total);
  if (!HasRightChecksum(offset_, all)) return Damaged(offset_, "a checksum is wrong");
  const Frame frame{offset_, static_cast<uint8_t>(all[0]), all.substr(kFrameHeadBytes, size)};
  checksum_ = Crc32c(all, checksum_);
  offset_ += total;
  return frame;
}

Result<std::string_view> BackupReader::Peek(size_t size) {
  size_t skip = static_cast<size_t>(offset_ - buffer_offset_);
  if (buffer_size_ - skip < size) {
    std::memmove(buffer_.data(), buffer_.data() + skip, buffer_size_ - skip);
    buffer_size_ -= skip;
    buffer_offset_ = offset_;
    skip = 0;
    if (buffer_.size() < size) buffer_.resize(size);
    SKIFF_ASSIGN_OR_RETURN(
        const size_t got,
        source_->ReadAt(buffer_offset_ + buffer_size_, std::span(buffer_).subspan(buffer_size_)));
    buffer_size_ += got;
  }
  return std::string_view(buffer_.data() + skip, buffer_size_ - skip);
}

Result<KeyValue> ReadBackupEntry(ByteSource& source, uint64_t offset) {
  // Most entries come with the first reading.
  std::string bytes(4096, '\0');
  SKIFF_ASSIGN_OR_RETURN(size_t got, source.ReadAt(offset, bytes));
  if (got < kFrameHeadBytes) return CutShort(offset + got);
  const auto size = NumberAt<uint32_t>(bytes, 1);
  if (size > limits::kMaxBackupFrameBytes) return Damaged(offset, "a frame is too long");
  const size_t total = kFrameHeadBytes + size + kChecksumBytes;
  if (total > got) {
    bytes.resize(total);
    SKIFF_ASSIGN_OR_RETURN(const size_t more,
                           source.ReadAt(offset + got, std::span(bytes).subspan(got)));
    got += more;
  }
  if (got < total) return CutShort(offset + got);
  const std::string_view frame = std::string_view(bytes).substr(0, total);
  if (frame[0] != kEntryFrame || !HasRightChecksum(offset, frame)) {
    return Damaged(offset, "it has changed since it was first read");
  }
  return DecodeEntry(offset, frame.substr(kFrameHeadBytes, size));
}

// --- the index

Result<BackupIndex> BackupIndex::Build(ByteSource& source, BackupReader& reader) {
  BackupIndex index;
  index.source_ = &source;
  std::vector<int64_t> used_leases;
  while (true) {
    SKIFF_ASSIGN_OR_RETURN(const std::optional<BackupReader::Record> record, reader.Next());
    if (!record) break;
    if (const auto* entry = std::get_if<BackupReader::Entry>(&*record)) {
      index.by_revision_.push_back({entry->offset, entry->entry.mod_revision.value,
                                    std::hash<std::string_view>()(entry->entry.key)});
      if (entry->entry.lease.value != 0) used_leases.push_back(entry->entry.lease.value);
    } else {
      index.leases_.push_back(std::get<LeaseInfo>(*record));
    }
  }
  index.end_ = reader.end();
  if (index.by_revision_.size() > UINT32_MAX) return BadRequest("the backup has too many entries");
  std::ranges::sort(index.by_revision_, {},
                    [](const Place& p) { return std::pair(p.mod_revision, p.offset); });

  std::ranges::sort(index.leases_, {}, &LeaseInfo::id);
  const auto same_id = [](const LeaseInfo& a, const LeaseInfo& b) { return a.id == b.id; };
  if (std::ranges::adjacent_find(index.leases_, same_id) != index.leases_.end()) {
    return BadRequest("the backup is damaged: a lease is in it twice");
  }
  for (const int64_t id : used_leases) {
    if (index.FindLease({id}) == nullptr) {
      return BadRequest("the backup is damaged: lease " + std::to_string(id) + " is missing");
    }
  }

  index.by_hash_.resize(index.by_revision_.size());
  for (size_t i = 0; i < index.by_hash_.size(); ++i) index.by_hash_[i] = static_cast<uint32_t>(i);
  const auto hash_of = [&index](uint32_t i) { return index.by_revision_[i].key_hash; };
  std::ranges::sort(index.by_hash_, {}, hash_of);
  for (size_t i = 1; i < index.by_hash_.size(); ++i) {
    if (hash_of(index.by_hash_[i - 1]) != hash_of(index.by_hash_[i])) continue;
    const Place& one = index.by_revision_[index.by_hash_[i - 1]];
    const Place& other = index.by_revision_[index.by_hash_[i]];
    SKIFF_ASSIGN_OR_RETURN(const KeyValue first, ReadBackupEntry(source, one.offset));
    SKIFF_ASSIGN_OR_RETURN(const KeyValue second, ReadBackupEntry(source, other.offset));
    if (first.key == second.key) {
      return Damaged(other.offset, "the key " + Quoted(first.key) + " is there twice");
    }
  }
  return index;
}

const LeaseInfo* BackupIndex::FindLease(LeaseId id) const {
  const auto found = std::ranges::lower_bound(leases_, id, {}, &LeaseInfo::id);
  return found == leases_.end() || found->id != id ? nullptr : &*found;
}

Result<std::optional<BackupIndex::Found>> BackupIndex::Find(std::string_view key) const {
  const auto hash_of = [this](uint32_t i) { return by_revision_[i].key_hash; };
  for (const uint32_t i :
       std::ranges::equal_range(by_hash_, std::hash<std::string_view>()(key), {}, hash_of)) {
    SKIFF_ASSIGN_OR_RETURN(KeyValue entry, ReadBackupEntry(*source_, by_revision_[i].offset));
    if (entry.key == key) return Found{i, std::move(entry)};
  }
  return std::nullopt;
}

}  // namespace skiff::store

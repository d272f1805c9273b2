#include "store/embedded/record.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "base/crc32c.h"
#include "base/limits.h"
#include "base/strings.h"

namespace skiff::store {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie");

constexpr size_t kCrcBytes = 4;
constexpr size_t kRecordHeaderBytes = 1 + 8 + 8 + 8 + 8 + 4 + 4;
constexpr char kPutByte = 1;
constexpr char kDeleteByte = 2;

template <typename T>
char* PutNumber(char* to, T value) {
  std::memcpy(to, &value, sizeof(value));
  return to + sizeof(value);
}

template <typename T>
T TakeNumber(const char*& from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  from += sizeof(value);
  return value;
}

template <typename T>
T Swapped(T value) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__builtin_bswap64(static_cast<uint64_t>(value)));
  } else {
    return static_cast<T>(__builtin_bswap32(static_cast<uint32_t>(value)));
  }
}

// Writes the checksum of [begin, end) at `end`.
char* PutCrc(std::string_view name, const char* begin, char* end) {
  return PutNumber(end, Crc32c({begin, static_cast<size_t>(end - begin)}, Crc32c(name)));
}

bool CrcIsRight(std::string_view name, std::string_view bytes) {
  if (bytes.size() < kCrcBytes) return false;
  const char* at = bytes.data() + bytes.size() - kCrcBytes;
  return Crc32c(bytes.substr(0, bytes.size() - kCrcBytes), Crc32c(name)) ==
         TakeNumber<uint32_t>(at);
}

std::unexpected<Status> Corrupt(const std::string& what, std::string_view why) {
  return Fail(StatusReason::kInternalError, what + " is corrupt: " + std::string(why));
}

std::string Name(LogPosition position) {
  return "record " + std::to_string(position.revision) + "." + std::to_string(position.op);
}

bool IsPossible(LogPosition position, const LogRecord& record) {
  if (record.previous.revision < 0 || record.previous.revision >= position.revision) return false;
  if (!record.previous && record.previous.op != 0) return false;
  if (record.key.empty() || record.key.size() > limits::kMaxStoreKeyBytes) return false;
  if (record.kind == Write::Kind::kDelete) {
    return record.create_revision == 0 && record.version == 0 && record.lease.value == 0 &&
           record.value.empty();
  }
  return record.create_revision > 0 && record.create_revision <= position.revision &&
         record.version > 0;
}

}  // namespace

LogKey::LogKey(LogPosition position) {
  PutNumber(PutNumber(bytes.data(), Swapped(position.revision)), Swapped(position.op));
}

Result<LogPosition> DecodeLogKey(std::string_view key) {
  if (key.size() != 12) return Corrupt("a key of the log", "it has the wrong length");
  const char* at = key.data();
  LogPosition position;
  position.revision = Swapped(TakeNumber<int64_t>(at));
  position.op = Swapped(TakeNumber<uint32_t>(at));
  if (position.revision <= 0) return Corrupt("a key of the log", "its revision is not positive");
  return position;
}

void EncodeRecord(LogPosition position, const LogRecord& record, std::string* out) {
  out->resize(kRecordHeaderBytes + record.key.size() + record.value.size() + kCrcBytes);
  char* const begin = out->data();
  char* at = PutNumber(begin, record.kind == Write::Kind::kPut ? kPutByte : kDeleteByte);
  at = PutNumber(at, record.create_revision);
  at = PutNumber(at, record.version);
  at = PutNumber(at, record.lease.value);
  at = PutNumber(at, record.previous.revision);
  at = PutNumber(at, record.previous.op);
  at = PutNumber(at, static_cast<uint32_t>(record.key.size()));
  at = std::copy(record.key.begin(), record.key.end(), at);
  at = std::copy(record.value.begin(), record.value.end(), at);
  PutCrc(LogKey(position), begin, at);
}

Result<LogRecord> DecodeRecord(LogPosition position, std::string_view bytes) {
  if (bytes.size() < kRecordHeaderBytes + kCrcBytes) return Corrupt(Name(position), "too short");
  if (!CrcIsRight(LogKey(position), bytes)) {
    return Corrupt(Name(position), "its checksum does not match");
  }
  const char* at = bytes.data();
  LogRecord record;
  const char kind = TakeNumber<char>(at);
  if (kind != kPutByte && kind != kDeleteByte) return Corrupt(Name(position), "unknown kind");
  record.kind = kind == kPutByte ? Write::Kind::kPut : Write::Kind::kDelete;
  record.create_revision = TakeNumber<int64_t>(at);
  record.version = TakeNumber<int64_t>(at);
  record.lease.value = TakeNumber<int64_t>(at);
  record.previous.revision = TakeNumber<int64_t>(at);
  record.previous.op = TakeNumber<uint32_t>(at);
  const auto key_bytes = TakeNumber<uint32_t>(at);
  const std::string_view rest =
      bytes.substr(kRecordHeaderBytes, bytes.size() - kRecordHeaderBytes - kCrcBytes);
  if (key_bytes > rest.size()) return Corrupt(Name(position), "its key is cut off");
  record.key = rest.substr(0, key_bytes);
  record.value = rest.substr(key_bytes);
  if (!IsPossible(position, record)) return Corrupt(Name(position), "its fields contradict");
  return record;
}

KeyValue RecordToKeyValue(LogPosition position, const LogRecord& record) {
  KeyValue out;
  out.key = record.key;
  out.value = SharedBytes(record.value);
  out.create_revision.value = record.create_revision;
  out.mod_revision.value = position.revision;
  out.version = record.version;
  out.lease = record.lease;
  return out;
}

CurrentRowBytes::CurrentRowBytes(std::string_view key, const CurrentRow& row) {
  char* at = PutNumber(bytes.data(), row.position.revision);
  at = PutNumber(at, row.position.op);
  at = PutNumber(at, row.create_revision);
  at = PutNumber(at, row.version);
  at = PutNumber(at, row.lease.value);
  at = PutNumber(at, static_cast<char>(row.deleted ? 1 : 0));
  PutCrc(key, bytes.data(), at);
}

Result<CurrentRow> DecodeCurrentRow(std::string_view key, std::string_view bytes) {
  if (bytes.size() != kCurrentRowBytes || !CrcIsRight(key, bytes)) {
    return Corrupt("the row of key " + Quoted(key), "its checksum does not match");
  }
  const char* at = bytes.data();
  CurrentRow row;
  row.position.revision = TakeNumber<int64_t>(at);
  row.position.op = TakeNumber<uint32_t>(at);
  row.create_revision = TakeNumber<int64_t>(at);
  row.version = TakeNumber<int64_t>(at);
  row.lease.value = TakeNumber<int64_t>(at);
  const char deleted = TakeNumber<char>(at);
  row.deleted = deleted != 0;
  const bool possible =
      row.position.revision > 0 && (deleted == 0 || deleted == 1) &&
      (row.deleted ? row.create_revision == 0 && row.version == 0 && row.lease.value == 0
                   : row.create_revision > 0 && row.create_revision <= row.position.revision &&
                         row.version > 0);
  if (!possible) return Corrupt("the row of key " + Quoted(key), "its fields contradict");
  return row;
}

namespace {

constexpr char kLeaseByte = 0;
constexpr char kAttachmentByte = 1;

std::string LeaseFamilyKey(char kind, LeaseId lease) {
  std::string key(1 + sizeof(int64_t), kind);
  PutNumber(key.data() + 1, Swapped(lease.value));
  return key;
}

}  // namespace

std::string LeaseKey(LeaseId lease) { return LeaseFamilyKey(kLeaseByte, lease); }
std::string AttachmentPrefix(LeaseId lease) { return LeaseFamilyKey(kAttachmentByte, lease); }

Result<LeaseId> DecodeLeaseKey(std::string_view key) {
  if (key.size() != 1 + sizeof(int64_t) || key[0] != kLeaseByte) {
    return Corrupt("a key of the leases", "it has the wrong form");
  }
  const char* at = key.data() + 1;
  const LeaseId lease{Swapped(TakeNumber<int64_t>(at))};
  if (lease.value == 0) return Corrupt("a key of the leases", "its number is zero");
  return lease;
}

std::string EncodeLeaseRow(std::string_view key, const LeaseRow& row) {
  std::string out(8 + 8 + 1 + kCrcBytes, '\0');
  char* at = PutNumber(out.data(), row.ttl_seconds);
  at = PutNumber(at, row.wall_expiry_ns);
  at = PutNumber(at, static_cast<char>(row.renewed ? 1 : 0));
  PutCrc(key, out.data(), at);
  return out;
}

Result<LeaseRow> DecodeLeaseRow(std::string_view key, std::string_view bytes) {
  if (bytes.size() != 8 + 8 + 1 + kCrcBytes || !CrcIsRight(key, bytes)) {
    return Corrupt("the row of a lease", "its checksum does not match");
  }
  const char* at = bytes.data();
  LeaseRow row;
  row.ttl_seconds = TakeNumber<int64_t>(at);
  row.wall_expiry_ns = TakeNumber<int64_t>(at);
  const char renewed = TakeNumber<char>(at);
  row.renewed = renewed != 0;
  if (row.ttl_seconds <= 0 || (renewed != 0 && renewed != 1)) {
    return Corrupt("the row of a lease", "its fields contradict");
  }
  return row;
}

std::string EncodeMeta(std::string_view name, int64_t number) {
  std::string out(sizeof(number) + kCrcBytes, '\0');
  PutCrc(name, out.data(), PutNumber(out.data(), number));
  return out;
}

Result<int64_t> DecodeMeta(std::string_view name, std::string_view bytes) {
  if (bytes.size() != sizeof(int64_t) + kCrcBytes || !CrcIsRight(name, bytes)) {
    return Corrupt("the number " + Quoted(name), "its checksum does not match");
  }
  const char* at = bytes.data();
  return TakeNumber<int64_t>(at);
}

}  // namespace skiff::store

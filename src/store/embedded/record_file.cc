#include "store/embedded/record_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/crc32c.h"

namespace skiff::store {
namespace {

constexpr size_t kBlockBytes = 32 * 1024;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeAt = 6;
constexpr size_t kSectorBytes = 512;
constexpr size_t kBatchHeaderBytes = 12;
constexpr uint32_t kReversedPolynomial = 0x82f63b78;
// How far the sequence numbers of two neighbouring batches may be apart: entries of one batch.
constexpr uint64_t kMaxSequenceStep = uint64_t{1} << 24;

enum PieceType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

uint64_t ReadLittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

uint32_t Masked(uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8U; }
uint32_t Unmasked(uint32_t masked) { return std::rotl(masked - 0xa282ead8U, 15); }

bool AllZero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == 0; });
}

struct Piece {
  uint32_t masked_crc = 0;
  size_t length = 0;
  uint8_t type = 0;
  bool fits = false;  // into its block and the file
  bool valid = false;
  std::string_view contents;
};

// The piece whose header stands at `at`, where at least a header has room in block and file.
Piece PieceAt(std::string_view file, size_t at) {
  Piece piece;
  piece.masked_crc = static_cast<uint32_t>(ReadLittleEndian(file.substr(at, 4)));
  piece.length = ReadLittleEndian(file.substr(at + 4, 2));
  piece.type = static_cast<uint8_t>(file[at + kTypeAt]);
  const size_t room = std::min(kBlockBytes - at % kBlockBytes, file.size() - at) - kHeaderBytes;
  piece.fits = piece.length <= room;
  if (!piece.fits) return piece;
  piece.contents = file.substr(at + kHeaderBytes, piece.length);
  piece.valid = piece.type >= kFull && piece.type <= kLast &&
                Masked(Crc32c(file.substr(at + kTypeAt, 1 + piece.length))) == piece.masked_crc;
  return piece;
}

bool HeaderHasRoom(std::string_view file, size_t at) {
  return at + kHeaderBytes <= file.size() && kBlockBytes - at % kBlockBytes >= kHeaderBytes;
}

struct BitPosition {
  size_t at = 0;
  int bit = 0;
};

// The one bit in header or contents, if there is one, that is all that is wrong with the piece.
std::optional<BitPosition> WrongBit(std::string_view file, size_t at) {
  const Piece piece = PieceAt(file, at);
  for (int bit = 0; bit < 16; ++bit) {  // in the length
    const size_t length = piece.length ^ (size_t{1} << bit);
    const size_t room = std::min(kBlockBytes - at % kBlockBytes, file.size() - at) - kHeaderBytes;
    if (length > room) continue;
    if (Masked(Crc32c(file.substr(at + kTypeAt, 1 + length))) == piece.masked_crc) {
      return BitPosition{at + 4 + static_cast<size_t>(bit / 8), bit % 8};
    }
  }
  if (!piece.fits) return std::nullopt;
  const uint32_t crc = Crc32c(file.substr(at + kTypeAt, 1 + piece.length));
  if (const uint32_t off = Masked(crc) ^ piece.masked_crc; std::has_single_bit(off)) {
    const int bit = std::countr_zero(off);
    return BitPosition{at + static_cast<size_t>(bit / 8), bit % 8};
  }
  // A checksum is linear: a changed bit adds its own remainder, wherever the rest stands. The last
  // bit of the contents adds the polynomial, the one before it that divided once more, and so on.
  const uint32_t difference = crc ^ Unmasked(piece.masked_crc);
  uint32_t remainder = kReversedPolynomial;
  for (size_t left = 8 * (1 + piece.length); left > 0; --left) {
    if (remainder == difference) {
      return BitPosition{at + kTypeAt + (left - 1) / 8, static_cast<int>((left - 1) % 8)};
    }
    remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? kReversedPolynomial : 0);
  }
  return std::nullopt;
}

size_t EndOfSector(size_t at) { return (at / kSectorBytes + 1) * kSectorBytes; }

// Whether part of the piece was never written: the file ends within it, or a sector of it is zero
// from somewhere to its end.
bool HasHole(std::string_view file, size_t at) {
  if (!HeaderHasRoom(file, at)) return true;
  const Piece piece = PieceAt(file, at);
  if (piece.type == 0) return true;  // the last byte of the header
  const size_t block_end = (at / kBlockBytes + 1) * kBlockBytes;
  const size_t end = at + kHeaderBytes + piece.length;
  if (end > file.size() && end <= block_end) return true;
  const size_t stop = std::min({end, block_end, file.size()});
  for (size_t from = at; from < stop;) {
    const size_t to = std::min(EndOfSector(from), stop);
    const size_t tail = std::min<size_t>(to - from, 4);
    if (AllZero(file.substr(to - tail, tail))) return true;
    from = to;
  }
  return false;
}

struct Batch {
  uint64_t sequence = 0;
  uint64_t entries = 0;
};

Batch BatchOf(std::string_view record) {
  if (record.size() < kBatchHeaderBytes) return {};
  return {ReadLittleEndian(record.substr(0, 8)), ReadLittleEndian(record.substr(8, 4))};
}

// Records that begin after `from`, at any offset, since lengths before them cannot be believed. Of
// a log only those count that continue its sequence.
int CountLaterRecords(RecordFileKind kind, std::string_view file, size_t from, uint64_t sequence) {
  int count = 0;
  for (size_t at = from + 1; at < file.size(); ++at) {
    if (!HeaderHasRoom(file, at)) continue;
    const auto type = static_cast<uint8_t>(file[at + kTypeAt]);
    if (type != kFull && type != kFirst) continue;
    const Piece piece = PieceAt(file, at);
    if (!piece.valid || piece.length == 0) continue;
    if (kind == RecordFileKind::kLog) {
      const Batch batch = BatchOf(piece.contents);
      if (batch.sequence <= sequence || batch.sequence - sequence > kMaxSequenceStep) continue;
    }
    ++count;
    at += kHeaderBytes + piece.length - 1;
  }
  return count;
}

// What to make of the bad piece at check.bad_at.
void ClassifyDamage(RecordFileKind kind, std::string_view file, uint64_t sequence,
                    RecordFileCheck* check) {
  check->state = RecordFileState::kDamaged;
  const size_t at = check->bad_at;
  const int later = CountLaterRecords(kind, file, at, sequence);
  if (later > (kind == RecordFileKind::kLog ? 0 : kMaxManifestGroup)) {
    check->why = "a record is damaged, and later ones follow it";
    return;
  }
  if (const auto wrong = HeaderHasRoom(file, at) ? WrongBit(file, at) : std::nullopt) {
    check->why = "one bit of a record is wrong";
    check->repair_at = wrong->at;
    check->repair_bit = wrong->bit;
    const Piece piece = PieceAt(file, at);
    const size_t end = std::max(at + kHeaderBytes + piece.length, wrong->at + 1);
    const size_t stop = std::min({EndOfSector(wrong->at), end, file.size()});
    if (AllZero(file.substr(wrong->at, stop - wrong->at)))
      check->state = RecordFileState::kRepairable;
    return;
  }
  if (HasHole(file, at)) {
    check->state = RecordFileState::kTorn;
  } else {
    check->why = "a record is damaged";
  }
}

}  // namespace

RecordFileCheck CheckRecordFile(RecordFileKind kind, std::string_view file) {
  RecordFileCheck check;
  uint64_t sequence = 0;
  bool within = false;  // a record that has begun and not ended
  size_t at = 0;
  while (at < file.size()) {
    const size_t left = kBlockBytes - at % kBlockBytes;
    if (left < kHeaderBytes) {
      if (at + left >= file.size()) break;
      at += left;
      continue;
    }
    check.bad_at = at;
    if (!HeaderHasRoom(file, at)) {
      ClassifyDamage(kind, file, sequence, &check);
      return check;
    }
    const Piece piece = PieceAt(file, at);
    const bool continues = piece.type == kMiddle || piece.type == kLast;
    if (!piece.valid) {
      ClassifyDamage(kind, file, sequence, &check);
      return check;
    }
    if (continues != within) {
      check.state = RecordFileState::kDamaged;
      check.why = within ? "a record has no end" : "a record has no beginning";
      return check;
    }
    if (!continues) {
      const Batch batch = BatchOf(piece.contents);
      sequence = std::max(sequence, batch.sequence);
      check.has_entries = check.has_entries || batch.entries > 0;
    }
    within = piece.type == kFirst || piece.type == kMiddle;
    at += kHeaderBytes + piece.length;
    if (!within) check.whole_bytes = at;
  }
  // The file ends where nothing is missing, or within a record or the empty end of a block.
  check.bad_at = std::min<uint64_t>(at, file.size());
  if (check.whole_bytes != file.size()) check.state = RecordFileState::kTorn;
  return check;
}

}  // namespace skiff::store

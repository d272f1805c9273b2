#include "store/embedded/record_file.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/random.h"

namespace skiff::store {
namespace {

constexpr size_t kBlock = 32 * 1024;

void AppendNumber(uint64_t value, size_t bytes, std::string* out) {
  for (size_t i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// Appends a record as RocksDB does.
void AppendRecord(std::string_view record, std::string* file) {
  bool first = true;
  do {
    size_t left = kBlock - file->size() % kBlock;
    if (left < 7) {
      file->append(left, '\0');
      left = kBlock;
    }
    const std::string_view piece = record.substr(0, left - 7);
    record.remove_prefix(piece.size());
    const bool last = record.empty();
    std::string covered(1, static_cast<char>(first && last ? 1 : first ? 2 : last ? 4 : 3));
    covered += piece;
    AppendNumber(std::rotr(Crc32c(covered), 15) + 0xa282ead8U, 4, file);
    AppendNumber(piece.size(), 2, file);
    *file += covered;
    first = false;
  } while (!record.empty());
}

std::string Batch(uint64_t sequence, size_t bytes, uint32_t entries = 1) {
  std::string out;
  AppendNumber(sequence, 8, &out);
  AppendNumber(entries, 4, &out);
  SeededRandom random(sequence);
  while (out.size() < bytes) out.push_back(static_cast<char>(1 + random.Uniform(255)));
  return out;
}

// A log of batches, and where each ends.
struct Log {
  std::string bytes;
  std::vector<size_t> ends;
};
Log MakeLog(const std::vector<size_t>& sizes) {
  Log log;
  uint64_t sequence = 100;
  for (const size_t size : sizes) {
    AppendRecord(Batch(sequence++, size), &log.bytes);
    log.ends.push_back(log.bytes.size());
  }
  return log;
}

RecordFileCheck Check(std::string_view file) { return CheckRecordFile(RecordFileKind::kLog, file); }

TEST(RecordFileTest, AWholeFileIsWhole) {
  EXPECT_EQ(Check("").state, RecordFileState::kWhole);
  for (const auto& sizes : std::vector<std::vector<size_t>>{{12},
                                                            {500, 600},
                                                            {100'000, 20},
                                                            {kBlock - 7, 30},
                                                            {kBlock - 10, 30},
                                                            {kBlock - 14, 30}}) {
    const Log log = MakeLog(sizes);
    const RecordFileCheck check = Check(log.bytes);
    EXPECT_EQ(check.state, RecordFileState::kWhole) << check.why;
    EXPECT_EQ(check.whole_bytes, log.bytes.size());
    EXPECT_TRUE(check.has_entries);
  }
  std::string empty_batch;
  AppendRecord(Batch(1, 12, 0), &empty_batch);
  EXPECT_FALSE(Check(empty_batch).has_entries);
}

TEST(RecordFileTest, AFileThatEndsAnywhereIsTornAfterItsLastWholeRecord) {
  const Log log = MakeLog({300, 40'000, 700, kBlock, 90});
  for (size_t size = 0; size < log.bytes.size(); size += size % 97 < 20 ? 1 : 37) {
    const RecordFileCheck check = Check(std::string_view(log.bytes).substr(0, size));
    size_t whole = 0;
    for (const size_t end : log.ends) whole = end <= size ? end : whole;
    EXPECT_EQ(check.state, size == whole ? RecordFileState::kWhole : RecordFileState::kTorn);
    EXPECT_EQ(check.whole_bytes, whole) << size;
  }
}

TEST(RecordFileTest, ALastRecordOfWhichSomeSectorsWereWrittenIsTorn) {
  SeededRandom random(1);
  for (const size_t last : {90, 600, 5'000, 100'000}) {
    const Log log = MakeLog({300, 40'000, last});
    const size_t synced = log.ends[1];
    for (int round = 0; round < 200; ++round) {
      std::string file = log.bytes;
      bool changed = false;
      for (size_t at = synced; at < file.size();) {
        const size_t to = std::min((at / 512 + 1) * 512, file.size());
        if (random.Uniform(2) == 0) {
          std::fill(file.begin() + at, file.begin() + to, '\0');
          changed = true;
        }
        at = to;
      }
      if (!changed) continue;
      const RecordFileCheck check = Check(file);
      EXPECT_EQ(check.state, RecordFileState::kTorn) << check.why;
      EXPECT_EQ(check.whole_bytes, synced);
    }
  }
}

TEST(RecordFileTest, ALastRecordThatStopsInTheMiddleOfASectorIsTorn) {
  const Log log = MakeLog({300, 2'000});
  for (size_t kept = log.ends[0]; kept + 4 < log.bytes.size(); ++kept) {
    std::string file = log.bytes;
    std::fill(file.begin() + kept, file.end(), '\0');
    const RecordFileCheck check = Check(file);
    EXPECT_EQ(check.state, RecordFileState::kTorn) << kept << check.why;
    EXPECT_EQ(check.whole_bytes, log.ends[0]);
  }
}

TEST(RecordFileTest, ZerosAfterTheLastRecordAreTorn) {
  const Log log = MakeLog({300, 200});
  const RecordFileCheck check = Check(log.bytes + std::string(100'000, '\0'));
  EXPECT_EQ(check.state, RecordFileState::kTorn);
  EXPECT_EQ(check.whole_bytes, log.ends[1]);
}

// The first byte of the empty end of a block, where a change means nothing.
bool IsPadding(const Log& log, size_t at) {
  for (const size_t end : log.ends) {
    if (kBlock - end % kBlock < 7 && at >= end && at < end + kBlock - end % kBlock) return true;
  }
  return false;
}

TEST(RecordFileTest, EveryChangedBitIsDamageAlsoInTheLastRecordOrCanBeMended) {
  int mendable = 0;
  Log log = MakeLog({300, kBlock - 316, 2'000});
  // The file ends in a single one: without it, its last sector looks like one half written.
  AppendRecord(Batch(103, 40) + '\x01', &log.bytes);
  log.ends.push_back(log.bytes.size());
  for (size_t at = 0; at<log.bytes.size(); at += at> kBlock || at < 400 ? 1 : 61) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = log.bytes;
      file[at] = static_cast<char>(file[at] ^ (1 << bit));
      const RecordFileCheck check = Check(file);
      if (check.state == RecordFileState::kRepairable) {
        file[check.repair_at] = static_cast<char>(file[check.repair_at] ^ (1 << check.repair_bit));
        EXPECT_EQ(file, log.bytes) << at << " bit " << bit;
        ++mendable;
        continue;
      }
      EXPECT_EQ(check.state,
                IsPadding(log, at) ? RecordFileState::kWhole : RecordFileState::kDamaged)
          << at << " bit " << bit;
    }
  }
  EXPECT_EQ(mendable, 1);
}

TEST(RecordFileTest, AChangedBitInARecordFullOfZerosIsDamageToo) {
  std::string file;
  std::string batch = Batch(1, 12);
  batch.append(3'000, '\0');
  AppendRecord(batch, &file);
  for (size_t at = 0; at < file.size(); ++at) {
    file[at] = static_cast<char>(file[at] ^ 4);
    EXPECT_EQ(Check(file).state, RecordFileState::kDamaged) << at;
    file[at] = static_cast<char>(file[at] ^ 4);
  }
}

TEST(RecordFileTest, ARecordThatLacksOneBitBeforeZerosIsMended) {
  // Whether the power failed or the bit did, the record was meant to end in a one.
  std::string file;
  AppendRecord(Batch(1, 400), &file);
  const size_t first = file.size();
  std::string batch = Batch(2, 300);
  batch += std::string("\0\x01\0", 3);
  AppendRecord(batch, &file);
  const std::string whole = file;
  file[file.size() - 2] = '\0';
  const RecordFileCheck check = Check(file);
  EXPECT_EQ(check.state, RecordFileState::kRepairable);
  EXPECT_EQ(check.whole_bytes, first);
  file[check.repair_at] = static_cast<char>(file[check.repair_at] ^ (1 << check.repair_bit));
  EXPECT_EQ(file, whole);
}

TEST(RecordFileTest, ASectorThatIsLostBeforeALaterBatchIsDamage) {
  const Log log = MakeLog({3'000, 3'000, 40'000, 60});
  for (size_t sector = 0; sector * 512 + 512 <= log.ends[2]; ++sector) {
    std::string file = log.bytes;
    std::fill_n(file.begin() + static_cast<ptrdiff_t>(sector * 512), 512, '\0');
    const RecordFileCheck check = Check(file);
    EXPECT_EQ(check.state, RecordFileState::kDamaged) << sector;
    EXPECT_LE(check.bad_at, sector * 512 + 512);
  }
}

TEST(RecordFileTest, AManifestMayLoseSectorsOfItsLastRecordsOnly) {
  std::string file;
  std::vector<size_t> ends;
  for (int i = 0; i < 100; ++i) {
    AppendRecord(Batch(7, 300), &file);
    ends.push_back(file.size());
  }
  for (const int lost : {0, 50, 80}) {
    std::string changed = file;
    std::fill_n(changed.begin() + static_cast<ptrdiff_t>(ends[lost]), 200, '\0');
    EXPECT_EQ(CheckRecordFile(RecordFileKind::kManifest, changed).state, RecordFileState::kDamaged);
  }
  std::string changed = file;
  std::fill_n(changed.begin() + static_cast<ptrdiff_t>(ends[95] / 512 * 512), 512, '\0');
  const RecordFileCheck check = CheckRecordFile(RecordFileKind::kManifest, changed);
  EXPECT_EQ(check.state, RecordFileState::kTorn) << check.why;
}

TEST(RecordFileTest, GarbageIsDamage) {
  const Log log = MakeLog({300, 2'000});
  std::string file = log.bytes;
  SeededRandom random(3);
  for (size_t at = log.ends[0] + 20; at < file.size(); ++at) {
    file[at] = static_cast<char>(1 + random.Uniform(255));
  }
  EXPECT_EQ(Check(file).state, RecordFileState::kDamaged);
}

}  // namespace
}  // namespace skiff::store

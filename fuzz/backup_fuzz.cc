// The reader of backups: whatever the bytes, it ends with an error or with what a writer can write
// again to the same bytes; and an index of it finds every entry.
//
// Checksums would keep all but copies of the kept inputs out, so that the rest of the reader would
// hardly be reached: when the first byte says so, they are put right before reading.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/crc32c.h"
#include "store/backup_format.h"

using namespace skiff;

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

class StringSink final : public store::ByteSink {
 public:
  Result<void> Append(std::string_view bytes) override {
    text += bytes;
    return {};
  }
  std::string text;
};

uint64_t NumberAt(std::string_view bytes, size_t at, int size) {
  uint64_t value = 0;
  for (int i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

void SetNumber(std::string& bytes, size_t at, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

// Frames as far as they can be followed, each with its right checksum; likewise the whole file.
void MendChecksums(std::string& bytes) {
  for (size_t at = 12; at + 9 <= bytes.size();) {
    const size_t size = NumberAt(bytes, at + 1, 4);
    if (size > bytes.size() - at - 9) return;
    if (bytes[at] == 4 && size == 44) {
      SetNumber(bytes, at + 5 + 40, Crc32c(std::string_view(bytes).substr(0, at)), 4);
    }
    std::string place(12, '\0');
    SetNumber(place, 0, store::kBackupFormatVersion, 4);
    SetNumber(place, 4, at, 8);
    SetNumber(bytes, at + 5 + size,
              Crc32c(std::string_view(bytes).substr(at, 5 + size), Crc32c(place)), 4);
    at += 9 + size;
  }
}

void CheckIndex(std::string_view bytes) {
  store::MemorySource source(bytes);
  Result<store::BackupReader> reader = store::BackupReader::Open(source);
  const Result<store::BackupIndex> index = store::BackupIndex::Build(source, *reader);
  if (!index) return;  // keys or leases that are there twice
  for (size_t i = 0; i < index->by_revision().size(); ++i) {
    const Result<store::KeyValue> entry = index->Read(index->by_revision()[i]);
    Require(entry.has_value());
    const auto found = index->Find(entry->key);
    Require(found.has_value() && found->has_value() && (*found)->place == i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 1) MendChecksums(bytes);
  store::MemorySource source(bytes);
  Result<store::BackupReader> reader = store::BackupReader::Open(source);
  if (!reader) return 0;
  StringSink sink;
  store::BackupWriter writer(sink);
  Require(writer.Begin(reader->header()).has_value());
  while (true) {
    const auto record = reader->Next();
    if (!record) return 0;
    if (!*record) break;
    if (const auto* entry = std::get_if<store::BackupReader::Entry>(&**record)) {
      Require(writer.Add(entry->entry).has_value());
    } else {
      Require(writer.Add(std::get<store::LeaseInfo>(**record)).has_value());
    }
  }
  const Result<store::BackupEnd> end = writer.Finish(reader->end().revision);
  Require(end.has_value() && *end == reader->end());
  Require(sink.text == bytes);
  CheckIndex(bytes);
  return 0;
}

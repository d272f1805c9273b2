// Rows of the embedded store: no bytes make decoding go astray, and what decodes is what encoding
// makes of it again. The first byte chooses the kind of row, the next twelve are the position.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/crc32c.h"
#include "store/embedded/record.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

// The bytes with the checksum that makes them pass, so that what lies behind it is reached.
std::string WithChecksum(std::string_view name, std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes, Crc32c(name));
  std::string out(bytes);
  out.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
  return out;
}

void CheckRecord(std::string_view key, std::string_view bytes) {
  const auto position = store::DecodeLogKey(key);
  if (!position) return;
  Require(std::string_view(store::LogKey(*position)) == key);
  static_cast<void>(store::DecodeRecord(*position, bytes));
  const std::string summed = WithChecksum(key, bytes);
  const auto record = store::DecodeRecord(*position, summed);
  if (!record) return;
  std::string again;
  store::EncodeRecord(*position, *record, &again);
  Require(again == summed);
}

void CheckRows(std::string_view key, std::string_view bytes) {
  const std::string summed = WithChecksum(key, bytes);
  if (const auto row = store::DecodeCurrentRow(key, summed)) {
    Require(std::string_view(store::CurrentRowBytes(key, *row)) == summed);
  }
  if (const auto lease = store::DecodeLeaseKey(key)) Require(store::LeaseKey(*lease) == key);
  if (const auto row = store::DecodeLeaseRow(key, summed))
    Require(store::EncodeLeaseRow(key, *row) == summed);
  if (const auto number = store::DecodeMeta(key, summed))
    Require(store::EncodeMeta(key, *number) == summed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 13) return 0;
  const std::string_view key = input.substr(1, 12);
  if (input[0] % 2 == 0) {
    CheckRecord(key, input.substr(13));
  } else {
    CheckRows(key, input.substr(13));
    CheckRows(key.substr(0, 9), input.substr(13));
  }
  return 0;
}

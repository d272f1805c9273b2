#include "profiling/profile.h"

#include <utility>

namespace skiff::profiling {
namespace {

// Numbers of the fields, by message.
enum ProfileField : uint8_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
};

void PutVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void PutNumber(std::string& out, int field, uint64_t value) {
  PutVarint(out, static_cast<uint64_t>(field) << 3);
  PutVarint(out, value);
}

void PutBytes(std::string& out, int field, std::string_view bytes) {
  PutVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  PutVarint(out, bytes.size());
  out += bytes;
}

}  // namespace

ProfileWriter::ProfileWriter(std::span<const ValueType> types) {
  StringNumber("");  // which must have the number zero
  for (const ValueType& each : types) {
    std::string type;
    PutNumber(type, 1, StringNumber(each.type));
    PutNumber(type, 2, StringNumber(each.unit));
    PutBytes(out_, kSampleType, type);
  }
  PutNumber(out_, kDefaultSampleType, StringNumber(types.back().type));
}

void ProfileWriter::SetPeriod(const ValueType& type, int64_t period) {
  std::string text;
  PutNumber(text, 1, StringNumber(type.type));
  PutNumber(text, 2, StringNumber(type.unit));
  PutBytes(out_, kPeriodType, text);
  PutNumber(out_, kPeriod, static_cast<uint64_t>(period));
}

void ProfileWriter::SetTime(int64_t begin_nanos, int64_t duration_nanos) {
  PutNumber(out_, kTimeNanos, static_cast<uint64_t>(begin_nanos));
  PutNumber(out_, kDurationNanos, static_cast<uint64_t>(duration_nanos));
}

void ProfileWriter::AddComment(std::string_view text) {
  PutNumber(out_, kComment, StringNumber(text));
}

uint64_t ProfileWriter::StringNumber(std::string_view text) {
  const auto found = strings_.find(text);
  if (found != strings_.end()) return found->second;
  texts_.emplace_back(text);
  return strings_.emplace(text, texts_.size() - 1).first->second;
}

uint64_t ProfileWriter::FunctionNumber(std::string_view name, std::string_view system_name) {
  const auto found = functions_.find(system_name);
  if (found != functions_.end()) return found->second;
  const uint64_t number = functions_.size() + 1;
  functions_.emplace(system_name, number);
  std::string function;
  PutNumber(function, 1, number);
  PutNumber(function, 2, StringNumber(name));
  PutNumber(function, 3, StringNumber(system_name));
  PutBytes(out_, kFunction, function);
  return number;
}

uint64_t ProfileWriter::LocationOf(uintptr_t address, const LoadedCode& code) {
  const auto found = locations_.find(address);
  if (found != locations_.end()) return found->second;
  std::string location;
  const uint64_t number = next_location_++;
  PutNumber(location, 1, number);
  if (const LoadedCode::Mapping* mapping = code.MappingOf(address); mapping != nullptr) {
    uint64_t& id = mappings_[mapping];
    if (id == 0) {
      id = mappings_.size();
      std::string text;
      PutNumber(text, 1, id);
      PutNumber(text, 2, mapping->start);
      PutNumber(text, 3, mapping->end);
      PutNumber(text, 4, mapping->file_offset);
      PutNumber(text, 5, StringNumber(mapping->path));
      PutNumber(text, 7, 1);  // its functions are known
      PutBytes(out_, kMapping, text);
    }
    PutNumber(location, 2, id);
  }
  PutNumber(location, 3, address);
  if (const std::string symbol = code.SymbolOf(address); !symbol.empty()) {
    std::string line;
    PutNumber(line, 1, FunctionNumber(Demangled(symbol), symbol));
    PutBytes(location, 4, line);
  }
  PutBytes(out_, kLocation, location);
  locations_.emplace(address, number);
  return number;
}

void ProfileWriter::AddSample(std::span<const uint64_t> locations,
                              std::span<const int64_t> values) {
  std::string packed;
  for (const uint64_t each : locations) PutVarint(packed, each);
  std::string sample;
  PutBytes(sample, 1, packed);
  packed.clear();
  for (const int64_t each : values) PutVarint(packed, static_cast<uint64_t>(each));
  PutBytes(sample, 2, packed);
  PutBytes(out_, kSample, sample);
}

void ProfileWriter::AddStack(std::span<const uintptr_t> frames, std::span<const int64_t> values,
                             const LoadedCode& code) {
  std::vector<uint64_t> locations;
  locations.reserve(frames.size());
  for (const uintptr_t each : frames) locations.push_back(LocationOf(each, code));
  AddSample(locations, values);
}

void ProfileWriter::AddNamedStack(std::span<const std::string_view> frames,
                                  std::span<const int64_t> values) {
  std::vector<uint64_t> locations;
  for (const std::string_view each : frames) {
    auto found = named_locations_.find(each);
    if (found == named_locations_.end()) {
      found = named_locations_.emplace(each, next_location_++).first;
      std::string line;
      PutNumber(line, 1, FunctionNumber(each, each));
      std::string location;
      PutNumber(location, 1, found->second);
      PutBytes(location, 4, line);
      PutBytes(out_, kLocation, location);
    }
    locations.push_back(found->second);
  }
  AddSample(locations, values);
}

std::string ProfileWriter::Finish() && {
  for (const std::string& each : texts_) PutBytes(out_, kStringTable, each);
  return std::move(out_);
}

}  // namespace skiff::profiling

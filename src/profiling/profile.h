// A profile in the form that pprof reads: https://github.com/google/pprof, proto/profile.proto,
// written without a schema as it has a dozen fields. Compressing it is left to the caller.
//
// Locations are addresses of this process with their functions, so that a reader needs neither the
// program nor its symbols; or functions alone, for what has no address.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/symbols.h"

namespace skiff::profiling {

// Belongs to one thread.
class ProfileWriter {
 public:
  struct ValueType {
    std::string_view type;  // "cpu"
    std::string_view unit;  // "nanoseconds"
  };
  // What each sample counts. The last is what readers show first.
  explicit ProfileWriter(std::span<const ValueType> types);

  void SetPeriod(const ValueType& type, int64_t period);
  void SetTime(int64_t begin_nanos, int64_t duration_nanos);
  void AddComment(std::string_view text);

  // The frames from the innermost outwards. Addresses behind a call are those of returns, less one.
  void AddStack(std::span<const uintptr_t> frames, std::span<const int64_t> values,
                const LoadedCode& code);
  // Likewise, of names.
  void AddNamedStack(std::span<const std::string_view> frames, std::span<const int64_t> values);

  std::string Finish() &&;

 private:
  uint64_t StringNumber(std::string_view text);
  uint64_t FunctionNumber(std::string_view name, std::string_view system_name);
  uint64_t LocationOf(uintptr_t address, const LoadedCode& code);
  void AddSample(std::span<const uint64_t> locations, std::span<const int64_t> values);

  std::string out_;
  std::map<std::string, uint64_t, std::less<>> strings_;
  std::vector<std::string> texts_;  // in the order of their numbers
  std::map<std::string, uint64_t, std::less<>> functions_;
  std::map<uintptr_t, uint64_t> locations_;
  std::map<std::string, uint64_t, std::less<>> named_locations_;
  std::map<const LoadedCode::Mapping*, uint64_t> mappings_;
  uint64_t next_location_ = 1;
};

}  // namespace skiff::profiling

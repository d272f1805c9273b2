#include "profiling/profiles.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "profiling/profile.h"
#include "profiling/symbols.h"

namespace skiff::profiling {
namespace {

// Bytes.
struct MemoryFigures {
  int64_t resident_anonymous = 0;
  int64_t resident_files = 0;
  int64_t malloc_in_use = 0;
  int64_t malloc_mapped = 0;  // large blocks, each mapped for itself
  int64_t malloc_free = 0;
};

int64_t KibibytesOf(const std::string& line) {
  return std::atoll(line.c_str() + line.find(':') + 1);
}

MemoryFigures ReadFigures() {
  MemoryFigures out;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) out.resident_anonymous = KibibytesOf(line) * 1024;
    if (line.starts_with("RssFile:")) out.resident_files = KibibytesOf(line) * 1024;
  }
  const struct mallinfo2 info = mallinfo2();
  out.malloc_in_use = static_cast<int64_t>(info.uordblks);
  out.malloc_mapped = static_cast<int64_t>(info.hblkhd);
  out.malloc_free = static_cast<int64_t>(info.fordblks);
  return out;
}

struct Use {
  std::string_view what;
  std::string_view whose;
  int64_t bytes;
};

std::vector<Use> UsesOf(const MemoryFigures& figures) {
  // Freed memory may have been given back to the system, and stacks are in no figure of their own.
  const int64_t rest = figures.resident_anonymous - figures.malloc_in_use - figures.malloc_mapped;
  const int64_t kept = std::clamp<int64_t>(rest, 0, figures.malloc_free);
  return {{"blocks in use", "malloc", figures.malloc_in_use},
          {"large blocks in use", "malloc", figures.malloc_mapped},
          {"freed and kept", "malloc", kept},
          {"stacks and the rest", "anonymous memory", std::max<int64_t>(rest - kept, 0)},
          {"program and files", "mapped files", figures.resident_files}};
}

}  // namespace

std::string CpuProfile(const CpuSampler& sampler, Duration begin, Duration length) {
  constexpr ProfileWriter::ValueType kTypes[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
  ProfileWriter writer(kTypes);
  writer.SetPeriod({"cpu", "nanoseconds"}, sampler.period().count());
  writer.SetTime(begin.count(), length.count());
  if (sampler.lost() != 0) {
    writer.AddComment("samples that found no room: " + std::to_string(sampler.lost()));
  }
  const LoadedCode code;
  for (const auto& [stack, times] : sampler.stacks()) {
    const auto count = static_cast<int64_t>(times);
    const int64_t values[] = {count, count * sampler.period().count()};
    writer.AddStack(stack, values, code);
  }
  return std::move(writer).Finish();
}

std::string HeapProfile(Duration now) {
  constexpr ProfileWriter::ValueType kTypes[] = {{"inuse_space", "bytes"}};
  ProfileWriter writer(kTypes);
  writer.SetPeriod({"space", "bytes"}, 1);
  writer.SetTime(now.count(), 0);
  writer.AddComment("allocations are not sampled: these are the figures of kernel and allocator");
  for (const Use& each : UsesOf(ReadFigures())) {
    if (each.bytes == 0) continue;
    const std::string_view frames[] = {each.what, each.whose, "process"};
    const int64_t values[] = {each.bytes};
    writer.AddNamedStack(frames, values);
  }
  return std::move(writer).Finish();
}

std::string HeapText() {
  std::string out;
  for (const Use& each : UsesOf(ReadFigures())) {
    out += std::to_string(each.bytes) + " bytes: " + std::string(each.whose) + ", " +
           std::string(each.what) + "\n";
  }
  char* text = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&text, &size);
  if (stream == nullptr) return out;
  malloc_info(0, stream);
  std::fclose(stream);
  out.append("\n").append(text, size);
  std::free(text);
  return out;
}

}  // namespace skiff::profiling

#include "load/process_usage.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>

namespace skiff::load {
namespace {

constexpr int kFirstCpuField = 11;  // utime, counted from behind the name

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool ParseCpuTicks(std::string_view stat, uint64_t& ticks) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return false;
  std::string_view rest = stat.substr(name_end + 1);
  ticks = 0;
  for (int field = 0; field < kFirstCpuField + 2; ++field) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const size_t size = std::min(rest.find(' '), rest.size());
    uint64_t number = 0;
    if (field >= kFirstCpuField) {
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + size, number);
      if (error != std::errc() || end != rest.data() + size) return false;
      ticks += number;
    }
    rest.remove_prefix(size);
  }
  return true;
}

uint64_t ParseMemory(std::string_view status, std::string_view name) {
  const size_t at = status.find("\n" + std::string(name) + ":");
  if (at == std::string_view::npos) return 0;
  std::string_view rest = status.substr(at + name.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  uint64_t kilobytes = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), kilobytes);
  return kilobytes * 1024;
}

Result<ProcessUsage> ReadProcessUsage(int64_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string stat = ReadAll(folder + "/stat");
  uint64_t ticks = 0;
  if (!ParseCpuTicks(stat, ticks))
    return BadRequest("there is no process " + std::to_string(pid) + " on this machine");
  const std::string status = ReadAll(folder + "/status");
  ProcessUsage usage;
  usage.cpu = std::chrono::nanoseconds(1'000'000'000 / sysconf(_SC_CLK_TCK)) * ticks;
  usage.resident_bytes = ParseMemory(status, "VmRSS");
  usage.peak_resident_bytes = ParseMemory(status, "VmHWM");
  return usage;
}

}  // namespace skiff::load

#include "base/process_metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <sys/resource.h>

#include "base/descriptors.h"
#include "base/memory_limit.h"
#include "base/version.h"

namespace skiff {
namespace {

constexpr std::array<std::string_view, 9> kBuild{"build_date",     "compiler",    "git_commit",
                                                 "git_tree_state", "git_version", "go_version",
                                                 "major",          "minor",       "platform"};

constexpr MetricSpec kCpuSeconds{.name = "process_cpu_seconds_total",
                                 .help = "CPU time of the process, in user and system mode."};
constexpr MetricSpec kMaxFds{.name = "process_max_fds",
                             .help = "How many file descriptors the process may have open."};
constexpr MetricSpec kOpenFds{.name = "process_open_fds",
                              .help = "File descriptors that the process has open."};
constexpr MetricSpec kResident{.name = "process_resident_memory_bytes",
                               .help = "Memory of the process that is in RAM."};
constexpr MetricSpec kStartTime{.name = "process_start_time_seconds",
                                .help = "When the process started, since 1970."};
constexpr MetricSpec kVirtual{.name = "process_virtual_memory_bytes",
                              .help = "Address space of the process."};
constexpr MetricSpec kMaxVirtual{.name = "process_virtual_memory_max_bytes",
                                 .help = "Address space that the process may have; -1: unbounded."};

void EmitMemory(uint64_t ProcessMemory::*which, const MetricsRegistry::Emit& emit) {
  if (const auto memory = ReadProcessMemory()) emit({}, static_cast<double>((*memory).*which));
}

void EmitOpenFds(const MetricsRegistry::Emit& emit) {
  if (const std::optional<size_t> count = OpenDescriptors()) emit({}, static_cast<double>(*count));
}

void EmitLimit(__rlimit_resource which, const MetricsRegistry::Emit& emit) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return;
  emit({}, limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<double>(limit.rlim_cur));
}

}  // namespace

constexpr MetricSpec kBuildInfoSpec{
    .name = "kubernetes_build_info",
    .help = "[BETA] 1, with labels that say what was built, from what and for what.",
    .labels = kBuild};

void AddBuildInfo(MetricsRegistry& registry) {
  registry.AddCollected(kBuildInfoSpec, MetricKind::kGauge, [](const MetricsRegistry::Emit& emit) {
    emit(
        {"", "", "", "", kKubernetesVersion, "", kKubernetesMajor, kKubernetesMinor, "linux/amd64"},
        1);
  });
}

void AddProcessMetrics(MetricsRegistry& registry, double start_time_seconds) {
  using Emit = MetricsRegistry::Emit;
  registry.AddCollected(kCpuSeconds, MetricKind::kCounter, [](const Emit& emit) {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    emit({}, seconds(usage.ru_utime) + seconds(usage.ru_stime));
  });
  registry.AddCollected(kVirtual, MetricKind::kGauge,
                        [](const Emit& emit) { EmitMemory(&ProcessMemory::address_space, emit); });
  registry.AddCollected(kResident, MetricKind::kGauge,
                        [](const Emit& emit) { EmitMemory(&ProcessMemory::resident, emit); });
  registry.AddCollected(kOpenFds, MetricKind::kGauge, EmitOpenFds);
  registry.AddCollected(kMaxFds, MetricKind::kGauge,
                        [](const Emit& emit) { EmitLimit(RLIMIT_NOFILE, emit); });
  registry.AddCollected(kMaxVirtual, MetricKind::kGauge,
                        [](const Emit& emit) { EmitLimit(RLIMIT_AS, emit); });
  registry.AddCollected(kStartTime, MetricKind::kGauge,
                        [start_time_seconds](const Emit& emit) { emit({}, start_time_seconds); });
}

}  // namespace skiff

// Metrics that every process has: what it uses of the machine, and what was built.
#pragma once

#include "base/metrics.h"

namespace skiff {

// process_cpu_seconds_total, process_resident_memory_bytes and the like, from /proc.
// `start_time_seconds`: when the process began, since 1970.
void AddProcessMetrics(MetricsRegistry& registry, double start_time_seconds);

// kubernetes_build_info, which every component has. Labels:
// build_date, compiler, git_commit, git_tree_state, git_version, go_version, major, minor, platform
extern const MetricSpec kBuildInfoSpec;
// That, for the version of Kubernetes whose API and flags this is.
void AddBuildInfo(MetricsRegistry& registry);

}  // namespace skiff

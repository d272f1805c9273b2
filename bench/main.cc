// skiff_bench [NAME…]: all figures, or those of the named groups.
#include <algorithm>
#include <cstring>
#include <span>

#include "apiserver/registry/use_kinds.h"
#include "bench/benches.h"

namespace skiff::bench {
namespace {

constexpr struct {
  const char* name;
  void (*run)(Report&);
} kBenches[] = {
    {"json", BenchJson},
    {"protobuf", BenchProtobuf},
    {"transcode", BenchTranscode},
    {"documents", BenchDocuments},
    {"selectors", BenchSelectors},
    {"bad_input", BenchBadInput},
    {"store", BenchStore},
    {"cache", BenchCache},
    {"scale", BenchScale},
    {"watches", BenchWatches},
    {"tables", BenchTables},
    {"fields", BenchFields},
    {"cel", BenchCel},
    {"policies", BenchPolicies},
};

int Run(std::span<char*> names) {
  Report report;
  for (const auto& bench : kBenches) {
    const auto named = [&](const char* name) { return std::strcmp(name, bench.name) == 0; };
    if (names.empty() || std::ranges::any_of(names, named)) bench.run(report);
  }
  return report.ExitCode();
}

}  // namespace
}  // namespace skiff::bench

int main(int argc, char** argv) {
  skiff::apiserver::UseKinds();
  return skiff::bench::Run({argv + 1, static_cast<size_t>(argc - 1)});
}

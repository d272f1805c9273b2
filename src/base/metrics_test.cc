#include "base/metrics.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/process_metrics.h"

namespace skiff {
namespace {

constexpr std::array<std::string_view, 2> kLabels{"code", "verb"};
constexpr std::array<double, 3> kBuckets{0.005, 1, 1e6};
constexpr MetricSpec kRequests{.name = "requests_total", .help = "Requests.", .labels = kLabels};
constexpr MetricSpec kSizes{.name = "sizes", .help = "Sizes.", .buckets = kBuckets};
constexpr MetricSpec kDepth{.name = "depth", .help = "A\\B\nC"};

std::string Number(double value) {
  std::string out;
  AppendMetricNumber(out, value);
  return out;
}

TEST(MetricsTest, WritesNumbersAsGoDoes) {
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(1), "1");
  EXPECT_EQ(Number(-2.5), "-2.5");
  EXPECT_EQ(Number(0.005), "0.005");
  EXPECT_EQ(Number(999999), "999999");
  EXPECT_EQ(Number(1e6), "1e+06");
  EXPECT_EQ(Number(1234567.5), "1.2345675e+06");
  EXPECT_EQ(Number(0.0001), "0.0001");
  EXPECT_EQ(Number(0.00001), "1e-05");
  EXPECT_EQ(Number(1.0 / 0.0), "+Inf");
}

TEST(MetricsTest, WritesFamiliesAndCellsInOrder) {
  MetricsRegistry registry;
  CounterFamily& requests = registry.AddCounter(kRequests);
  requests.With({"404", "GET"}).Add(2);
  requests.With({"200", "a\"b\\c\nd"}).Add();
  registry.AddGauge(kDepth).With({}).Set(1.5);
  registry.AddHistogram(kSizes);
  EXPECT_EQ(registry.Text(),
            "# HELP depth A\\\\B\\nC\n# TYPE depth gauge\ndepth 1.5\n"
            "# HELP requests_total Requests.\n# TYPE requests_total counter\n"
            "requests_total{code=\"200\",verb=\"a\\\"b\\\\c\\nd\"} 1\n"
            "requests_total{code=\"404\",verb=\"GET\"} 2\n");
}

TEST(MetricsTest, CountsWhatLiesUpToEachBound) {
  MetricsRegistry registry;
  Histogram& sizes = registry.AddHistogram(kSizes).With({});
  for (const double value : {0.001, 0.005, 0.006, 2e6}) sizes.Observe(value);
  EXPECT_EQ(registry.Text(),
            "# HELP sizes Sizes.\n# TYPE sizes histogram\n"
            "sizes_bucket{le=\"0.005\"} 2\nsizes_bucket{le=\"1\"} 3\n"
            "sizes_bucket{le=\"1e+06\"} 3\nsizes_bucket{le=\"+Inf\"} 4\n"
            "sizes_sum 2.000000012e+06\nsizes_count 4\n");
}

TEST(MetricsTest, BoundsTheLabelsThatClientsCanInvent) {
  MetricsRegistry registry;
  CounterFamily& requests = registry.AddCounter(kRequests);
  constexpr size_t kBeyond = 50;
  for (size_t i = 0; i < limits::kMaxMetricCells + kBeyond; ++i) {
    requests.With({"200", std::to_string(i)}).Add();
  }
  EXPECT_EQ(requests.With({"200", "never seen before"}).value(), kBeyond);
  EXPECT_NE(registry.Text().find("{code=\"unexpected\",verb=\"unexpected\"} 50\n"),
            std::string::npos);
}

TEST(MetricsTest, LosesNoCountOfConcurrentThreads) {
  MetricsRegistry registry;
  CounterFamily& requests = registry.AddCounter(kRequests);
  Histogram& sizes = registry.AddHistogram(kSizes).With({});
  constexpr int kRounds = 10'000;
  const auto count = [&] {
    for (int i = 0; i < kRounds; ++i) {
      requests.With({"200", std::to_string(i % 10)}).Add();
      sizes.Observe(1);
    }
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  EXPECT_EQ(requests.With({"200", "7"}).value(), 2 * kRounds / 10);
  EXPECT_EQ(sizes.sum(), 2 * kRounds);
}

TEST(MetricsTest, TellsWhatTheProcessUses) {
  MetricsRegistry registry;
  AddProcessMetrics(registry, 1'700'000'000);
  const std::string text = registry.Text();
  for (const char* name : {"process_cpu_seconds_total ", "process_max_fds ", "process_open_fds ",
                           "process_resident_memory_bytes ", "process_virtual_memory_bytes ",
                           "process_virtual_memory_max_bytes "}) {
    EXPECT_NE(text.find("\n" + std::string(name)), std::string::npos) << name;
  }
  EXPECT_NE(text.find("process_start_time_seconds 1.7e+09\n"), std::string::npos);
}

}  // namespace
}  // namespace skiff

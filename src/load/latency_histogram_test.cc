#include "load/latency_histogram.h"

#include <gtest/gtest.h>

namespace skiff::load {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

double Microseconds(Duration value) {
  return std::chrono::duration<double, std::micro>(value).count();
}

TEST(LatencyHistogramTest, AnEmptyOneHasOnlyZeros) {
  const LatencyHistogram none;
  EXPECT_EQ(none.Quantile(0.5), Duration{});
  EXPECT_EQ(none.max(), Duration{});
}

TEST(LatencyHistogramTest, QuantilesAreWithinTwoPercent) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 100'000; ++i) histogram.Record(microseconds(i));
  EXPECT_NEAR(Microseconds(histogram.Quantile(0.5)), 50'000, 1'000);
  EXPECT_NEAR(Microseconds(histogram.Quantile(0.99)), 99'000, 2'000);
  EXPECT_NEAR(Microseconds(histogram.Quantile(0.001)), 100, 2);
  EXPECT_EQ(histogram.Quantile(1), microseconds(100'000));
}

TEST(LatencyHistogramTest, SmallValuesAreExactAndLargeOnesAreKept) {
  LatencyHistogram histogram;
  histogram.Record(microseconds(3));
  EXPECT_EQ(histogram.Quantile(0.5), microseconds(3));
  histogram.Record(std::chrono::hours(5));
  EXPECT_EQ(histogram.max(), std::chrono::hours(5));
  EXPECT_GT(histogram.Quantile(1), std::chrono::hours(1));
}

TEST(LatencyHistogramTest, TwoCanBeAdded) {
  LatencyHistogram a, b;
  a.Record(milliseconds(1));
  b.Record(milliseconds(9));
  a.Add(b);
  EXPECT_EQ(a.count(), 2u);
  EXPECT_EQ(a.max(), milliseconds(9));
  EXPECT_NEAR(Microseconds(a.Quantile(0.5)), 1'000, 20);
}

}  // namespace
}  // namespace skiff::load

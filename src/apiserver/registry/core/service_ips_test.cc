#include "apiserver/registry/core/service_ips.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

ServiceIpRange RangeOf(std::string_view text) { return ServiceIpRange(*IpRange::Parse(text)); }

std::string ChooseText(const ServiceIpRange& range, std::vector<uint64_t> used, Random& random) {
  const auto chosen = range.ChooseFree(std::move(used), random);
  return chosen ? range.At(*chosen).ToString() : "none";
}

TEST(ServiceIpRange, LeavesOutTheAddressesOfTheNetworkItself) {
  EXPECT_EQ(RangeOf("10.0.0.0/24").size(), 254U);
  EXPECT_EQ(RangeOf("10.0.0.0/24").At(0).ToString(), "10.0.0.1");
  EXPECT_EQ(RangeOf("10.0.0.0/24").At(253).ToString(), "10.0.0.254");
  EXPECT_EQ(RangeOf("fd00::/120").size(), 255U);
  EXPECT_EQ(RangeOf("fd00::/120").At(254).ToString(), "fd00::ff");
  EXPECT_EQ(RangeOf("10.0.0.0/32").size(), 0U);
}

TEST(ServiceIpRange, HasABandOfOneSixteenthWithinBounds) {
  EXPECT_EQ(RangeOf("10.0.0.0/28").band(), 0U);
  EXPECT_EQ(RangeOf("10.0.0.0/27").band(), 16U);
  EXPECT_EQ(RangeOf("10.0.0.0/24").band(), 16U);
  EXPECT_EQ(RangeOf("10.0.0.0/22").band(), 64U);
  EXPECT_EQ(RangeOf("10.0.0.0/12").band(), 256U);
  EXPECT_EQ(RangeOf("fd00::/64").band(), 256U);
}

TEST(ServiceIpRange, FindsOffsets) {
  const ServiceIpRange range = RangeOf("10.0.0.0/16");
  EXPECT_EQ(range.OffsetOf(*IpAddress::Parse("10.0.1.0")), 255U);
  EXPECT_FALSE(range.OffsetOf(*IpAddress::Parse("10.0.0.0")));
  EXPECT_FALSE(range.OffsetOf(*IpAddress::Parse("10.0.255.255")));
  EXPECT_FALSE(range.OffsetOf(*IpAddress::Parse("10.1.0.1")));
  EXPECT_FALSE(range.OffsetOf(*IpAddress::Parse("fd00::1")));
  EXPECT_EQ(RangeOf("fd00:1::/64").OffsetOf(*IpAddress::Parse("fd00:1::1:0")), 0xffffU);
}

TEST(ServiceIpRange, ChoosesAboveTheBandFirstThenBelowThenNothing) {
  SeededRandom random(7);
  const ServiceIpRange range = RangeOf("10.0.0.0/24");
  std::vector<uint64_t> used;
  for (int i = 0; i < 254; ++i) {
    const auto chosen = range.ChooseFree(used, random);
    ASSERT_TRUE(chosen);
    ASSERT_EQ(std::ranges::find(used, *chosen), used.end());
    ASSERT_EQ(*chosen >= 16, i < 238) << i;
    used.push_back(*chosen);
  }
  EXPECT_EQ(ChooseText(range, used, random), "none");
}

TEST(ServiceIpRange, FindsTheOneThatIsLeft) {
  SeededRandom random(7);
  const ServiceIpRange range = RangeOf("10.0.0.0/16");
  std::vector<uint64_t> used;
  for (uint64_t i = 0; i < range.size(); ++i) {
    if (i != 4711) used.push_back(i);
  }
  EXPECT_EQ(ChooseText(range, used, random), "10.0.18.104");
}

TEST(ServiceIpRange, OfVastNetworksIsChosenFromLikeAnyOther) {
  SeededRandom random(7);
  const ServiceIpRange range = RangeOf("fd00::/64");
  const auto chosen = range.ChooseFree({}, random);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(range.OffsetOf(range.At(*chosen)), chosen);
}

}  // namespace
}  // namespace skiff::apiserver

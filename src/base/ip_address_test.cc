#include "base/ip_address.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

std::string Rewritten(std::string_view text) {
  Result<IpAddress> address = IpAddress::Parse(text);
  return address ? address->ToString() : "fault";
}

TEST(IpAddressTest, WritesWhatItReadInItsShortestForm) {
  EXPECT_EQ(Rewritten("10.96.0.1"), "10.96.0.1");
  EXPECT_EQ(Rewritten("::1"), "::1");
  EXPECT_EQ(Rewritten("2001:0DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(Rewritten("::ffff:1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(Rewritten("::1.2.3.4"), "::102:304");
  EXPECT_EQ(Rewritten("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(Rewritten("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(Rewritten("1::"), "1::");
}

TEST(IpAddressTest, RefusesWhatProgramsReadDifferently) {
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "256.1.1.1", "::1%lo",
                           "1.2.3.4 ", "localhost", ":::", "1.2.3.4/8", "00.0.0.0"}) {
    EXPECT_EQ(Rewritten(text), "fault") << text;
  }
  EXPECT_EQ(Rewritten(std::string_view("1.2.3.4\0", 8)), "fault");
}

TEST(IpAddressTest, KnowsWhatAnAddressIsFor) {
  EXPECT_TRUE(IpAddress().IsUnspecified());
  EXPECT_TRUE(IpAddress::Parse("::")->IsUnspecified());
  EXPECT_TRUE(IpAddress::Parse("127.8.0.1")->IsLoopback());
  EXPECT_TRUE(IpAddress::Parse("::1")->IsLoopback());
  EXPECT_FALSE(IpAddress::Parse("::2")->IsLoopback());
  EXPECT_TRUE(IpAddress::Parse("169.254.1.1")->IsLinkLocal());
  EXPECT_TRUE(IpAddress::Parse("fe80::1")->IsLinkLocal());
  EXPECT_TRUE(IpAddress::Parse("224.0.0.1")->IsMulticast());
  EXPECT_EQ(IpAddress::Parse("::1")->WithPort(6443), "[::1]:6443");
}

TEST(IpAddressTest, AddsAcrossBytesButNotBeyondTheLastAddress) {
  EXPECT_EQ(IpAddress::Parse("10.0.255.255")->Plus(1)->ToString(), "10.1.0.0");
  EXPECT_FALSE(IpAddress::Parse("255.255.255.255")->Plus(1));
  EXPECT_EQ(IpAddress::Parse("fd00::ffff")->Plus(1)->ToString(), "fd00::1:0");
}

TEST(IpRangeTest, ClearsTheBitsBeyondThePrefix) {
  const Result<IpRange> range = IpRange::Parse("10.111.1.2/12");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->ToString(), "10.96.0.0/12");
  EXPECT_EQ(range->Size(), 1U << 20);
  EXPECT_EQ(range->At(1)->ToString(), "10.96.0.1");
  EXPECT_FALSE(range->At(1U << 20));
  EXPECT_TRUE(range->Contains(*IpAddress::Parse("10.111.255.255")));
  EXPECT_FALSE(range->Contains(*IpAddress::Parse("10.112.0.0")));
  EXPECT_FALSE(range->Contains(*IpAddress::Parse("fd00::1")));
}

TEST(IpRangeTest, TakesWholeFamilies) {
  EXPECT_EQ(IpRange::Parse("0.0.0.0/0")->Size(), uint64_t{1} << 32);
  EXPECT_EQ(IpRange::Parse("fd00::/16")->Size(), UINT64_MAX);
  EXPECT_EQ(IpRange::Parse("fd00::/112")->At(65535)->ToString(), "fd00::ffff");
}

TEST(IpRangeTest, RefusesWhatIsNoRange) {
  for (const char* text : {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8",
                           "10.0.0.0/8 ", "/8", "fd00::/129", "10.0.0.0/-1"}) {
    EXPECT_FALSE(IpRange::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace skiff

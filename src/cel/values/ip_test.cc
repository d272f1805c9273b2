#include "cel/values/ip.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

IpAddress Ip(std::string_view text) { return IpFromText(text).value(); }
Cidr Net(std::string_view text) { return CidrFromText(text).value(); }

TEST(CelIpTest, AddressesAreThoseOfNetip) {
  EXPECT_EQ(Ip("2001:0DB8:0:0:0:0:0:1").ToString(), "2001:db8::1");
  EXPECT_EQ(Ip("::102:304").ToString(), "::102:304");
  EXPECT_EQ(Ip("64:ff9b::1.2.3.4").ToString(), "64:ff9b::102:304");
  EXPECT_EQ(Ip("1:0:0:2:0:0:0:3").ToString(), "1:0:0:2::3");
  EXPECT_EQ(IpFamily(Ip("::")), 6);
  EXPECT_EQ(IpFamily(Ip("0.0.0.0")), 4);
  EXPECT_EQ(IsCanonicalIp("2001:db8::abcd"), true);
  EXPECT_EQ(IsCanonicalIp("2001:DB8::ABCD"), false);
  EXPECT_FALSE(IsIp("::g"));
}

TEST(CelIpTest, FaultsAreNamed) {
  const auto parse = [](std::string_view text, std::string_view problem) {
    return "IP Address \"" + std::string(text) +
           "\" parse error during conversion from string: " + "ParseAddr(\"" + std::string(text) +
           "\"): " + std::string(problem);
  };
  for (const auto& [text, problem] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"", "unable to parse IP"},
           {"1.2.3", "IPv4 address too short"},
           {"1.2.3.4.5", "IPv4 address too long"},
           {"256.1.1.1", "IPv4 field has value >255"},
           {"01.2.3.4", "IPv4 field has octet with leading zero"},
           {"1.2.3.-4", "unexpected character (at \"-4\")"},
           {"[::1]", "each colon-separated field must have at least one digit (at \"[::1]\")"},
           {"1:2:3:4:5:6:7:8:9", "trailing garbage after address (at \"9\")"},
           {"1::2::3", "multiple :: in address (at \":3\")"},
           {"1:2", "address string too short"},
           {"12345::", "each group must have 4 or less digits (at \"12345::\")"}}) {
    EXPECT_EQ(ErrorOf(IpFromText(text)), parse(text, problem));
  }
  EXPECT_EQ(ErrorOf(IpFromText("::ffff:1.2.3.4")),
            "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed");
  EXPECT_EQ(ErrorOf(IpFromText("fe80::1%eth0")),
            "IP address \"fe80::1%eth0\" with zone value is not allowed");
}

TEST(CelIpTest, KindsOfAddresses) {
  EXPECT_TRUE(IsLinkLocalMulticast(Ip("224.0.0.1")));
  EXPECT_FALSE(IsLinkLocalMulticast(Ip("224.0.1.1")));
  EXPECT_TRUE(IsLinkLocalMulticast(Ip("ff02::1")));
  EXPECT_TRUE(IsLinkLocalUnicast(Ip("169.254.1.1")));
  EXPECT_TRUE(IsLinkLocalUnicast(Ip("fe80::1")));
  EXPECT_TRUE(IsGlobalUnicast(Ip("192.168.0.1")));
  for (const std::string_view text :
       {"255.255.255.255", "0.0.0.0", "127.0.0.1", "ff00::1", "fe80::1", "::1"}) {
    EXPECT_FALSE(IsGlobalUnicast(Ip(text))) << text;
  }
}

TEST(CelIpTest, CidrsKeepTheBitsBeyondTheirPrefix) {
  EXPECT_EQ(Text(Net("10.1.2.3/8")), "10.1.2.3/8");
  EXPECT_EQ(Text(Masked(Net("10.1.2.3/8"))), "10.0.0.0/8");
  EXPECT_NE(Net("10.0.0.1/8"), Net("10.0.0.0/8"));
  EXPECT_TRUE(ContainsIp(Net("10.1.2.3/8"), Ip("10.9.9.9")));
  EXPECT_FALSE(ContainsIp(Net("::/0"), Ip("10.9.9.9")));
  EXPECT_TRUE(ContainsCidr(Net("10.1.2.3/8"), Net("10.1.2.3/8")));
  EXPECT_TRUE(ContainsCidr(Net("2001:db8::/32"), Net("2001:db8::/33")));
  EXPECT_FALSE(ContainsCidr(Net("2001:db8::/32"), Net("2001:db8::/31")));
}

TEST(CelIpTest, FaultsOfCidrsAreNamed) {
  const std::string kPrefix = "network address parse error during conversion from string: ";
  const std::string kTwice = kPrefix + kPrefix;
  EXPECT_EQ(ErrorOf(CidrFromText("10.0.0.0")), kTwice + "netip.ParsePrefix(\"10.0.0.0\"): no '/'");
  EXPECT_EQ(ErrorOf(CidrFromText("10.0.0.0/33")),
            kTwice + "netip.ParsePrefix(\"10.0.0.0/33\"): prefix length out of range");
  EXPECT_EQ(ErrorOf(CidrFromText("10.0.0.0/08")),
            kTwice + "netip.ParsePrefix(\"10.0.0.0/08\"): bad bits after slash: \"08\"");
  EXPECT_EQ(
      ErrorOf(CidrFromText("10.0.0/8")),
      kTwice + "netip.ParsePrefix(\"10.0.0/8\"): ParseAddr(\"10.0.0\"): IPv4 address too short");
  EXPECT_EQ(ErrorOf(CidrFromText("::ffff:1.2.3.4/8")),
            kPrefix + "IPv4-mapped IPv6 address \"::ffff:1.2.3.4/8\" is not allowed");
  EXPECT_FALSE(IsCidr("::/129"));
}

}  // namespace
}  // namespace skiff::cel

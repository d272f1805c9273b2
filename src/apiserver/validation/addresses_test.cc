#include "apiserver/validation/addresses.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

std::string Problem(void (*check)(std::string_view, std::string_view, FieldErrors&),
                    std::string_view text) {
  FieldErrors errors(kDefaultSettings);
  check(text, "x", errors);
  return errors.empty() ? "" : errors.causes()[0].message;
}

bool IsFine(bool (*check)(std::string_view, std::string_view, FieldErrors&), std::string_view text,
            const KindSettings& settings = kDefaultSettings) {
  FieldErrors errors(settings);
  const bool fine = check(text, "x", errors);
  EXPECT_EQ(fine, errors.empty());
  return fine;
}

TEST(AddressesTest, NewerFieldsTakeTheCanonicalTextOnly) {
  EXPECT_EQ(Problem(CheckIp, "10.0.0.1"), "");
  EXPECT_EQ(Problem(CheckIp, "2001:db8::1"), "");
  EXPECT_NE(Problem(CheckIp, "2001:DB8::1"), "");
  EXPECT_NE(Problem(CheckIp, "10.0.0.01"), "");
  EXPECT_NE(Problem(CheckIp, "::ffff:10.0.0.1"), "");
  EXPECT_NE(Problem(CheckIp, "10.0.0"), "");
  EXPECT_EQ(Problem(CheckCidr, "10.0.0.0/8"), "");
  EXPECT_NE(Problem(CheckCidr, "10.0.0.1/8"), "");
  EXPECT_NE(Problem(CheckCidr, "10.0.0.0"), "");
  EXPECT_NE(Problem(CheckCidr, "2001:DB8::/64"), "");
}

TEST(AddressesTest, OlderFieldsTakeOtherFormsOfTheSameAddress) {
  EXPECT_TRUE(IsFine(CheckOldIp, "2001:DB8::1"));
  EXPECT_FALSE(IsFine(CheckOldIp, "10.00.0.1"));
  EXPECT_FALSE(IsFine(CheckOldIp, "::ffff:10.0.0.1"));
  EXPECT_TRUE(IsFine(CheckOldCidr, "2001:DB8::/64"));
  EXPECT_FALSE(IsFine(CheckOldCidr, "10.0.0.1/8"));
  EXPECT_FALSE(IsFine(CheckOldCidr, "10.0.0.0/08"));
}

TEST(AddressesTest, OlderFieldsTakeWhatCanBeReadWhenNobodyIsStrict) {
  const KindSettings lenient{.gates = FeatureGates({{"StrictIPCIDRValidation", false}})};
  for (const std::string_view ip : {"10.00.0.1", "::ffff:10.0.0.1"}) {
    EXPECT_TRUE(IsFine(CheckOldIp, ip, lenient)) << ip;
  }
  for (const std::string_view cidr : {"10.0.0.1/8", "10.0.0.0/08"}) {
    EXPECT_TRUE(IsFine(CheckOldCidr, cidr, lenient)) << cidr;
  }
  EXPECT_FALSE(IsFine(CheckOldIp, "10.0.0.256", lenient));
  EXPECT_FALSE(IsFine(CheckOldCidr, "10.0.0.0/33", lenient));
}

TEST(AddressesTest, WhatIsStoredWithLeadingZerosIsRead) {
  EXPECT_EQ(ReadIp("010.000.0.01")->ToString(), "10.0.0.1");
  EXPECT_EQ(ReadIp("0.0.0.0")->ToString(), "0.0.0.0");
  EXPECT_EQ(ReadCidr("10.01.0.0/016")->ToString(), "10.1.0.0/16");
  EXPECT_FALSE(ReadIp("10.0.0.256"));
  EXPECT_FALSE(ReadCidr("10.0.0.0/33"));
}

TEST(AddressesTest, EndpointsAreNeitherTheNodeNorItsLink) {
  for (const std::string_view text :
       {"0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.1", "::1", "::", "fe80::1", "ff02::1"}) {
    EXPECT_NE(Problem(CheckEndpointIp, text), "") << text;
  }
  EXPECT_EQ(Problem(CheckEndpointIp, "10.1.2.3"), "");
  EXPECT_EQ(Problem(CheckEndpointIp, "2001:db8::7"), "");
}

TEST(AddressesTest, AnInterfaceHasAnAddressWithinItsRange) {
  EXPECT_EQ(Problem(CheckInterfaceAddress, "10.9.8.7/24"), "");
  EXPECT_NE(Problem(CheckInterfaceAddress, "10.9.8.07/24"), "");
  EXPECT_NE(Problem(CheckInterfaceAddress, "10.9.8.7"), "");
}

TEST(AddressesTest, WarningsNameTheTextToUse) {
  std::vector<std::string> warnings;
  WarnAboutIp("spec.ip", "2001:DB8::1", warnings);
  WarnAboutIp("spec.ip", "10.0.0.01", warnings);
  WarnAboutIp("spec.ip", "10.0.0.1", warnings);
  WarnAboutCidr("spec.cidr", "10.0.0.1/8", warnings);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0],
            "spec.ip: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format "
            "(\"2001:db8::1\")");
  EXPECT_EQ(warnings[1],
            "spec.ip: non-standard IP address \"10.0.0.01\" is invalid: use \"10.0.0.1\"");
  EXPECT_EQ(warnings[2],
            "spec.cidr: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be "
            "\"10.0.0.0/8\" or \"10.0.0.1/32\"?)");
}

}  // namespace
}  // namespace skiff::apiserver

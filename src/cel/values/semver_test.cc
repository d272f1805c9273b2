#include "cel/values/semver.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

std::string Read(std::string_view text, bool normalize = false) {
  const auto version = SemverFromText(text, normalize);
  return version ? Text(*version) : version.error().message();
}

TEST(SemverTest, VersionsAreReadStrictly) {
  EXPECT_EQ(Read("1.2.3-rc.1+b.5"), "1.2.3-rc.1+b.5");
  EXPECT_EQ(Read("18446744073709551615.0.0"), "18446744073709551615.0.0");
  EXPECT_EQ(Read(""), "Version string empty");
  EXPECT_EQ(Read("1.2"), "No Major.Minor.Patch elements found");
  EXPECT_EQ(Read("v1.2.3"), "Invalid character(s) found in major number \"v1\"");
  EXPECT_EQ(Read("1.02.3"), "Minor number must not contain leading zeroes \"02\"");
  EXPECT_EQ(Read("1.2.3.4"), "Invalid character(s) found in patch number \"3.4\"");
  EXPECT_EQ(Read("1.2.-3"), "strconv.ParseUint: parsing \"\": invalid syntax");
  EXPECT_EQ(Read("18446744073709551616.0.0"),
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range");
  EXPECT_EQ(Read("1.2.3-"), "Prerelease is empty");
  EXPECT_EQ(Read("1.2.3+"), "Build meta data is empty");
  EXPECT_EQ(Read("1.2.3-é"), "Invalid character(s) found in prerelease \"é\"");
  EXPECT_EQ(Read("1.2.3+é"), "Invalid character(s) found in build meta data \"é\"");
  EXPECT_EQ(Read("1.2.3-a.01"),
            "Numeric PreRelease version must not contain leading zeroes \"01\"");
}

TEST(SemverTest, NormalizingFillsUpAndTakesZerosOff) {
  EXPECT_EQ(Read("v01.02", true), "1.2.0");
  EXPECT_EQ(Read("1", true), "1.0.0");
  EXPECT_EQ(Read("00.0.000", true), "0.0.0");
  EXPECT_EQ(Read("1.2.-3", true), "1.2.0-3");
  EXPECT_EQ(Read("1.2-alpha", true), "short version cannot contain PreRelease/Build meta data");
  EXPECT_EQ(Read("vv1.2.3", true), "Invalid character(s) found in major number \"0v1\"");
  EXPECT_EQ(Read("", true), "strconv.ParseUint: parsing \"\": invalid syntax");
}

TEST(SemverTest, PreReleasesComeBeforeTheirVersion) {
  const char* const ascending[] = {"1.2.3-1",    "1.2.3-2",    "1.2.3-alpha", "1.2.3-alpha.1",
                                   "1.2.3-beta", "1.2.3-rc.2", "1.2.3-rc.11", "1.2.3",
                                   "1.2.4",      "1.3.0",      "2.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t k = 0; k < std::size(ascending); ++k) {
      EXPECT_EQ(Compare(*SemverFromText(ascending[i]), *SemverFromText(ascending[k])),
                (i > k) - (i < k))
          << ascending[i] << " " << ascending[k];
    }
  }
  EXPECT_EQ(Compare(*SemverFromText("1.2.3+b1"), *SemverFromText("1.2.3+b2")), 0);
}

}  // namespace
}  // namespace skiff::cel

#include "cel/values/time_zones.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/temporary_directory.h"

namespace skiff::cel {
namespace {

std::string BigEndian(int64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

// A file of two types, standard time one hour and summer time two hours east, and one transition to
// summer at 1000 and one back at 2000; then a rule.
std::string ZoneFile(std::string_view rule) {
  const auto header = [](int64_t times, int64_t types, int64_t names) {
    std::string out = "TZif2" + std::string(15, '\0');
    for (const int64_t count : {int64_t{0}, int64_t{0}, int64_t{0}, times, types, names}) {
      out += BigEndian(count, 4);
    }
    return out;
  };
  std::string out = header(0, 1, 1) + BigEndian(0, 6) + std::string(1, '\0');
  out += header(2, 2, 8) + BigEndian(1000, 8) + BigEndian(2000, 8) + std::string("\1\0", 2);
  out += BigEndian(3600, 4) + std::string("\0\0", 2) + BigEndian(7200, 4) + std::string("\1\4", 2);
  out += std::string("CET\0CES\0", 8);
  return out + "\n" + std::string(rule) + "\n";
}

int32_t OffsetOf(std::string_view rule, int64_t seconds) {
  return TimeZone::Parse(ZoneFile(rule)).value().OffsetAt(seconds);
}

TEST(TimeZonesTest, TransitionsHoldUntilTheNext) {
  EXPECT_EQ(OffsetOf("", -5), 3600);
  EXPECT_EQ(OffsetOf("", 999), 3600);
  EXPECT_EQ(OffsetOf("", 1000), 7200);
  EXPECT_EQ(OffsetOf("", 2000), 3600);
  EXPECT_EQ(OffsetOf("", 4'000'000'000), 3600);
}

TEST(TimeZonesTest, TheRuleHoldsAfterTheLastTransition) {
  constexpr std::string_view kNorth = "CET-1CEST,M3.5.0,M10.5.0/3";
  // 2050-03-27T01:00:00Z and 2050-10-30T01:00:00Z.
  EXPECT_EQ(OffsetOf(kNorth, 2'531'955'599), 3600);
  EXPECT_EQ(OffsetOf(kNorth, 2'531'955'600), 7200);
  EXPECT_EQ(OffsetOf(kNorth, 2'550'704'399), 7200);
  EXPECT_EQ(OffsetOf(kNorth, 2'550'704'400), 3600);
  constexpr std::string_view kSouth = "<+10>-10<+11>,M10.1.0,M4.1.0/3";
  EXPECT_EQ(OffsetOf(kSouth, 2'524'608'000), 11 * 3600);  // 2050-01-01
  EXPECT_EQ(OffsetOf(kSouth, 2'540'246'400), 10 * 3600);  // 2050-07-01
  EXPECT_EQ(OffsetOf("EST5", 2'540'246'400), -5 * 3600);
  EXPECT_EQ(OffsetOf("A", 2'540'246'400), 3600) << "a rule that cannot be read is none";
}

TEST(TimeZonesTest, DamagedFilesAreRefused) {
  const std::string file = ZoneFile("EST5");
  for (size_t size = 0; size + 6 < file.size(); ++size) {
    EXPECT_FALSE(TimeZone::Parse(std::string_view(file).substr(0, size))) << size;
  }
  std::string unknown_type = file;
  unknown_type[44 + 7 + 44 + 16] = 5;
  EXPECT_FALSE(TimeZone::Parse(unknown_type));
  EXPECT_FALSE(TimeZone::Parse(std::string(kMaxZoneFileBytes + 1, '\0')));
}

TEST(TimeZonesTest, OnlyKnownNamesAreLookedFor) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() + "/Europe");
  std::ofstream(folder.path() + "/Europe/Zurich") << ZoneFile("EST5");
  std::ofstream(folder.path() + "/secret") << ZoneFile("EST5");
  TimeZones zones(folder.path());
  EXPECT_EQ(zones.OffsetAt("Europe/Zurich", 1500), 7200);
  std::filesystem::remove(folder.path() + "/Europe/Zurich");
  EXPECT_EQ(zones.OffsetAt("Europe/Zurich", 5000), -5 * 3600) << "it is kept";
  EXPECT_EQ(zones.OffsetAt("", 0), 0);
  EXPECT_EQ(zones.OffsetAt("UTC", 0), 0);
  EXPECT_EQ(zones.OffsetAt("secret", 0).error().message(), "unknown time zone secret");
  EXPECT_EQ(zones.OffsetAt("Asia/Tokyo", 0).error().message(), "unknown time zone Asia/Tokyo");
  EXPECT_EQ(zones.OffsetAt("Europe/../secret", 0).error().message(), "time: invalid location name");
  EXPECT_EQ(zones.OffsetAt("/etc/localtime", 0).error().message(), "time: invalid location name");
}

}  // namespace
}  // namespace skiff::cel

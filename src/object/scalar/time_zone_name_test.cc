#include "object/scalar/time_zone_name.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

TEST(TimeZoneNameTest, NamesOfTheDatabaseAreKnownInTheirCase) {
  for (const char* name :
       {"UTC", "Etc/UTC", "Europe/Zurich", "America/Argentina/Ushuaia", "GMT+0"}) {
    EXPECT_TRUE(IsTimeZoneName(name)) << name;
  }
  for (const char* name : {"", "utc", "Europe", "Europe/Zurich/", "Mars/Olympus"}) {
    EXPECT_FALSE(IsTimeZoneName(name)) << name;
  }
}

}  // namespace
}  // namespace skiff::object

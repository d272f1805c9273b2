#include "apiserver/registry/core/port_bitmap.h"

#include <gtest/gtest.h>

#include "apiserver/rest/object_output.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

std::string DataOf(const PortBitmap& ports) {
  const Result<object::Document> object = DecodeStored(ports.Encode(), {});
  const views::core_v1::RangeAllocation allocation(*object);
  EXPECT_EQ(allocation.range(), ports.RangeText());
  return std::string(allocation.data());
}

TEST(PortBitmap, IsStoredAsABigNumberWithTheFirstPortAsItsLowestBit) {
  PortBitmap ports(30000, 32767);
  EXPECT_EQ(DataOf(ports), "");
  ports.Set(30000, true);
  EXPECT_EQ(DataOf(ports), "\x01");
  ports.Set(30009, true);
  EXPECT_EQ(DataOf(ports), "\x02\x01");
  const Result<PortBitmap> read = PortBitmap::Decode(30000, 32767, ports.Encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, ports);
}

TEST(PortBitmap, ForgetsPortsOfAnotherRange) {
  PortBitmap ports(30000, 30099);
  ports.Set(30001, true);
  ports.Set(30050, true);
  const Result<PortBitmap> read = PortBitmap::Decode(30050, 30149, ports.Encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->Taken(), std::vector<int32_t>{30050});
}

TEST(PortBitmap, LeavesTheLowerBandToPeopleUntilTheRestIsTaken) {
  SeededRandom random(1);
  PortBitmap ports(30000, 32767);
  EXPECT_EQ(ports.band(), 86);
  for (int i = 0; i < 2768 - 86; ++i) {
    const std::optional<int32_t> port = ports.ChooseFree(random);
    ASSERT_TRUE(port);
    ASSERT_GE(*port, 30086);
    ASSERT_FALSE(ports.IsTaken(*port));
    ports.Set(*port, true);
  }
  for (int i = 0; i < 86; ++i) {
    const std::optional<int32_t> port = ports.ChooseFree(random);
    ASSERT_TRUE(port);
    ASSERT_LT(*port, 30086);
    ports.Set(*port, true);
  }
  EXPECT_FALSE(ports.ChooseFree(random));
}

TEST(PortBitmap, HasNoBandWhenTheRangeIsSmall) {
  EXPECT_EQ(PortBitmap(30000, 30015).band(), 0);
  EXPECT_EQ(PortBitmap(30000, 30016).band(), 16);
  EXPECT_EQ(PortBitmap(1, 65535).band(), 128);
}

}  // namespace
}  // namespace skiff::apiserver

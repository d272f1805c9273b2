#include "base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace skiff {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32cTest, GivesTheVectorsOfTheStandard) {
  std::string rising;
  std::string falling;
  for (int i = 0; i < 32; ++i) {
    rising += static_cast<char>(i);
    falling += static_cast<char>(31 - i);
  }
  for (auto* crc : {&Crc32c, &Crc32cByTable}) {
    EXPECT_EQ(crc("", 0), 0u);
    EXPECT_EQ(crc("123456789", 0), 0xe3069283u);
    EXPECT_EQ(crc(std::string(32, '\0'), 0), 0x8a9136aau);
    EXPECT_EQ(crc(std::string(32, '\xff'), 0), 0x62a8ab43u);
    EXPECT_EQ(crc(rising, 0), 0x46dd794eu);
    EXPECT_EQ(crc(falling, 0), 0x113fdb5cu);
  }
}

TEST(Crc32cTest, InstructionAndTableAgreeOnAnyLengthAndSplit) {
  SeededRandom random(1);
  std::string bytes;
  // Lengths with one and two blocks of lanes, and what is left of them.
  for (int length = 0; length < 2000; ++length) {
    const uint32_t whole = Crc32cByTable(bytes);
    EXPECT_EQ(Crc32c(bytes), whole);
    const size_t split = random.Uniform(bytes.size() + 1);
    const std::string_view view = bytes;
    EXPECT_EQ(Crc32c(view.substr(split), Crc32c(view.substr(0, split))), whole);
    bytes += static_cast<char>(random.Next());
  }
}

}  // namespace
}  // namespace skiff

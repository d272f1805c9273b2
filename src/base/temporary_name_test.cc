#include "base/temporary_name.h"

#include <gtest/gtest.h>

namespace skiff {
namespace {

TEST(TemporaryNameTest, StandsBesideTheNameThatItIsFor) {
  EXPECT_EQ(TemporaryNameBeside("a/b/c"), "a/b/.c.XXXXXX");
  EXPECT_EQ(TemporaryNameBeside("/c"), "/.c.XXXXXX");
  EXPECT_EQ(TemporaryNameBeside("c"), ".c.XXXXXX");
}

TEST(TemporaryNameTest, FitsIntoADirectoryHoweverLongTheNameIs) {
  EXPECT_LE(TemporaryNameBeside(std::string(255, 'x')).size(), 255u);
}

}  // namespace
}  // namespace skiff

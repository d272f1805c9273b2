#include "store/etcd/version.h"

#include <gtest/gtest.h>

namespace skiff::store {
namespace {

TEST(EtcdVersionTest, ParsesWhatMembersTell) {
  EXPECT_EQ(ParseEtcdVersion("3.5.13"), (EtcdVersion{3, 5, 13}));
  EXPECT_EQ(ParseEtcdVersion("3.6.0-alpha.0"), (EtcdVersion{3, 6, 0}));
  EXPECT_EQ(ParseEtcdVersion("3.4.23+git"), (EtcdVersion{3, 4, 23}));
  for (const char* text : {"", "3", "3.5", "3.5.", "3..5", "v3.5.1", "3.5.1.2", "3.-5.1", "x.y.z"})
    EXPECT_FALSE(ParseEtcdVersion(text)) << text;
}

TEST(EtcdVersionTest, ProgressIsReliableFromTheVersionsThatMendedIt) {
  const auto reliable = [](std::string_view text) {
    return HasReliableProgress(*ParseEtcdVersion(text));
  };
  for (const char* text : {"3.4.31", "3.4.99", "3.5.13", "3.5.21", "3.6.0", "4.0.0"})
    EXPECT_TRUE(reliable(text)) << text;
  for (const char* text : {"3.3.27", "3.4.0", "3.4.30", "3.5.0", "3.5.12"})
    EXPECT_FALSE(reliable(text)) << text;
}

}  // namespace
}  // namespace skiff::store

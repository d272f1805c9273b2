#include "crypto/pem.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crypto/testing.h"

namespace skiff::crypto {
namespace {

std::vector<std::string> TypesOf(std::string_view pem, size_t most) {
  std::vector<std::string> types;
  ForEachPemBlock(pem, [&](std::string_view type, std::string_view der) {
    EXPECT_FALSE(der.empty());
    types.emplace_back(type);
    return types.size() < most;
  });
  return types;
}

TEST(PemTest, BlocksComeInOrderUntilThereAreEnough) {
  const testing::PemPair key = testing::MakeKey("P-256");
  const std::string text = "a note\n" + key.public_pem + key.private_pem + "the end\n";
  EXPECT_EQ(TypesOf(text, 9), (std::vector<std::string>{"PUBLIC KEY", "PRIVATE KEY"}));
  EXPECT_EQ(TypesOf(text, 1), (std::vector<std::string>{"PUBLIC KEY"}));
}

TEST(PemTest, WhatIsNoBlockEndsIt) {
  const testing::PemPair key = testing::MakeKey("P-256");
  EXPECT_TRUE(TypesOf("", 9).empty());
  EXPECT_TRUE(TypesOf("no PEM at all", 9).empty());
  EXPECT_TRUE(TypesOf("-----BEGIN X-----\n!\n-----END X-----\n" + key.public_pem, 9).empty());
}

}  // namespace
}  // namespace skiff::crypto

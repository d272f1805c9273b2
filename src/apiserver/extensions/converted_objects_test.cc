#include "apiserver/extensions/converted_objects.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

ConvertedObjects::Key KeyOf(const std::string& text) { return crypto::Sha256(text); }
SharedBytes Object(char fill) { return SharedBytes(std::string(1000, fill)); }

TEST(ConvertedObjectsTest, WhatWasUsedLastStays) {
  ConvertedObjects objects(2500);
  objects.Put(KeyOf("a"), Object('a'));
  objects.Put(KeyOf("b"), Object('b'));
  EXPECT_TRUE(objects.Find(KeyOf("a")));
  objects.Put(KeyOf("c"), Object('c'));
  EXPECT_TRUE(objects.Find(KeyOf("a")));
  EXPECT_FALSE(objects.Find(KeyOf("b")));
  EXPECT_EQ(objects.Find(KeyOf("c"))->view(), Object('c').view());
  EXPECT_LE(objects.bytes(), 2500U);
}

TEST(ConvertedObjectsTest, AnObjectTakesThePlaceOfTheOneBefore) {
  ConvertedObjects objects(2500);
  objects.Put(KeyOf("a"), Object('a'));
  const size_t before = objects.bytes();
  objects.Put(KeyOf("a"), Object('b'));
  EXPECT_EQ(objects.bytes(), before);
  EXPECT_EQ(objects.Find(KeyOf("a"))->view(), Object('b').view());
}

TEST(ConvertedObjectsTest, WhatIsLargerThanTheRoomIsNotKept) {
  ConvertedObjects objects(500);
  objects.Put(KeyOf("a"), Object('a'));
  EXPECT_FALSE(objects.Find(KeyOf("a")));
  EXPECT_EQ(objects.bytes(), 0U);
}

}  // namespace
}  // namespace skiff::apiserver

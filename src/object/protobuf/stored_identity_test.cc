#include "object/protobuf/stored_identity.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/envelope.h"

namespace skiff::object {
namespace {

std::string Stored(std::string_view json, std::string_view kind) {
  Result<Document> object = DecodeJson(json, FindMessage("core/v1", kind));
  EXPECT_TRUE(object);
  std::string bytes;
  EncodeStorage(object->root(), &bytes);
  return bytes;
}

TEST(StoredIdentityTest, IsReadFromProtobufAndFromJson) {
  const std::string json =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","generateName":"x",)"
      R"("namespace":"n","labels":{"name":"other","namespace":"other"}},)"
      R"("spec":{"containers":[{"name":"c"}]}})";
  for (const std::string& stored : {Stored(json, "Pod"), json}) {
    const Result<StoredIdentity> identity = ReadStoredIdentity(stored);
    ASSERT_TRUE(identity) << identity.error().message();
    EXPECT_EQ(identity->api_version, "v1");
    EXPECT_EQ(identity->kind, "Pod");
    EXPECT_EQ(identity->name_space, "n");
    EXPECT_EQ(identity->name, "a");
    EXPECT_EQ(identity->KeyEnd(), "n/a");
  }
}

TEST(StoredIdentityTest, AnObjectInNoNamespaceEndsItsKeyWithItsName) {
  const std::string json = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}})";
  for (const std::string& stored : {Stored(json, "Node"), json}) {
    EXPECT_EQ(ReadStoredIdentity(stored).value().KeyEnd(), "a");
  }
}

TEST(StoredIdentityTest, WhatTheBytesDoNotSayIsEmpty) {
  EXPECT_EQ(ReadStoredIdentity("{}").value().KeyEnd(), "");
  EXPECT_EQ(ReadStoredIdentity(R"({"metadata":null,"kind":7})").value().kind, "");
  EXPECT_EQ(ReadStoredIdentity(R"({"metadata":{"name":7}})").value().name, "");
}

TEST(StoredIdentityTest, BrokenBytesAreRefused) {
  EXPECT_FALSE(ReadStoredIdentity(""));
  EXPECT_FALSE(ReadStoredIdentity("bytes"));
  EXPECT_FALSE(ReadStoredIdentity(R"({"metadata":{"name":"a")"));
  EXPECT_FALSE(ReadStoredIdentity(R"({"metadata":{"name":"\ud"}})"));
  const std::string stored = Stored(R"({"metadata":{"name":"a","namespace":"n"}})", "Pod");
  for (size_t size = 0; size < stored.size(); ++size) {
    // A cut may leave a shorter object whole, but never one of another name.
    const Result<StoredIdentity> identity = ReadStoredIdentity(stored.substr(0, size));
    EXPECT_TRUE(!identity || identity->name.empty() || identity->name == "a") << size;
  }
}

}  // namespace
}  // namespace skiff::object

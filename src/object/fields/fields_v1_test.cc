#include <gtest/gtest.h>

#include "object/fields/testing.h"

namespace skiff::object {
namespace {

std::string RoundTrip(std::string_view json) {
  Arena arena;
  return TextOf(SetOf(arena, json));
}

TEST(FieldsV1Test, WhatKubernetesWritesComesBackAsItIs) {
  for (const std::string_view json : {
           R"({})",
           R"({"f:data":{".":{},"f:a":{}}})",
           R"({"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/a\"":{}},)"
           R"("f:labels":{"f:a":{}}}})",
           R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},)"
           R"("k:{\"port\":443,\"protocol\":\"TCP\"}":{}}}})",
           R"({"f:x":{"i:0":{},"i:10":{}}})",
           R"({"f:a\"b\\c\n":{}})",
           R"({"f:l":{"k:{\"name\":\"a\\\"b\"}":{"f:v":{}}}})",
       }) {
    EXPECT_EQ(RoundTrip(json), json);
  }
}

TEST(FieldsV1Test, StepsAreSortedByKindAndThenByValue) {
  EXPECT_EQ(RoundTrip(R"({"i:1":{},"v:\"b\"":{},"v:1":{},"v:true":{},"k:{\"b\":1,\"a\":2}":{},)"
                      R"("k:{\"a\":10}":{},"k:{\"a\":9}":{},"f:b":{},"f:a":{}})"),
            R"({"f:a":{},"f:b":{},"k:{\"a\":2,\"b\":1}":{},"k:{\"a\":9}":{},"k:{\"a\":10}":{},)"
            R"("v:1":{},"v:\"b\"":{},"v:true":{},"i:1":{}})");
}

TEST(FieldsV1Test, AStepWithNothingBelowIsAMember) {
  EXPECT_EQ(RoundTrip(R"({"f:a":{".":{}},"f:b":null,"f:c":{"x:later":{}}})"),
            R"({"f:a":{},"f:b":{},"f:c":{}})");
}

TEST(FieldsV1Test, NamesAndKeysAreEscapedWhereverTheyNeedIt) {
  for (size_t size = 1; size < 20; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (const std::string_view odd : {"\\\"", "\\\\", "\\n", "\\u0001", "<", "\xc3\xa4"}) {
        std::string name(size, 'x');
        name.replace(at, 1, odd);
        const std::string json = "{\"f:" + name + "\":{}}";
        ASSERT_EQ(RoundTrip(json), json);
      }
    }
  }
  for (const std::string_view json :
       {R"({"k:{\"name\":\"a/b.c-d_e:0\"}":{}})", R"({"k:{\"name\":\"a b\"}":{}})",
        R"({"k:{\"name\":\"\\\"\"}":{}})", R"({"k:{\"name\":\"\"}":{}})",
        R"({"k:{\"port\":80,\"protocol\":\"TCP\"}":{}})"}) {
    EXPECT_EQ(RoundTrip(json), json);
  }
}

TEST(FieldsV1Test, ANameMayBeEmpty) {
  EXPECT_EQ(RoundTrip(R"({"f:":{}})"), R"({"f:":{}})");
  ByteBuffer out;
  ByteBuffer scratch;
  AppendFieldStep(out, PathElement::Field({}), scratch);
  EXPECT_EQ(out.view(), R"("f:":)");
}

TEST(FieldsV1Test, StepsOfUnknownKindsArePassedOver) {
  EXPECT_EQ(RoundTrip(R"({"q:x":{"f:a":{}},"f:b":{}})"), R"({"f:b":{}})");
}

TEST(FieldsV1Test, AStepThatIsThereTwiceIsOne) {
  EXPECT_EQ(RoundTrip(R"({"f:a":{"f:x":{}},"f:b":{},"f:a":{"f:y":{}}})"),
            R"({"f:a":{"f:x":{},"f:y":{}},"f:b":{}})");
}

TEST(FieldsV1Test, FaultsAreReported) {
  for (const std::string_view json :
       {"", "[]", "1", "{", R"({"a":{}})", R"({"f":{}})", R"({"f:a":1})", R"({"f:a":[]})",
        R"({"k:x":{}})", R"({"k:{\"a\"}":{}})", R"({"v:":{}})", R"({"v:{":{}})", R"({"i:x":{}})",
        R"({"f:a":{}}})", R"({"f:a":{},})"}) {
    Arena arena;
    EXPECT_FALSE(ParseFieldsV1(arena, json)) << json;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += R"({"f:a":)";
  Arena arena;
  EXPECT_FALSE(ParseFieldsV1(arena, deep));
}

}  // namespace
}  // namespace skiff::object

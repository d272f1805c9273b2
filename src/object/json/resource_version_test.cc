#include "object/json/resource_version.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string With(std::string_view json, std::string_view version = "7") {
  ByteBuffer out;
  return AppendJsonWithResourceVersion(json, version, out) ? out.ToString()
                                                           : "refused" + out.ToString();
}

TEST(JsonResourceVersionTest, StandsFirstInTheMetadata) {
  EXPECT_EQ(With(R"({"kind":"A","metadata":{"name":"x"},"spec":{"metadata":{}}})"
                 "\n"),
            R"({"kind":"A","metadata":{"resourceVersion":"7","name":"x"},"spec":{"metadata":{}}})");
  EXPECT_EQ(With(R"({"a":{"metadata":{}},"metadata":{}})"),
            R"({"a":{"metadata":{}},"metadata":{"resourceVersion":"7"}})");
  EXPECT_EQ(With(R"({"metadata": { "name":"x"}})"),
            R"({"metadata": { "resourceVersion":"7","name":"x"}})");
}

TEST(JsonResourceVersionTest, ATextWithoutAVersionIsCopied) {
  EXPECT_EQ(With("{\"metadata\":{}}\n", ""), R"({"metadata":{}})");
}

TEST(JsonResourceVersionTest, WhatIsNoObjectWithMetadataIsLeftToOthers) {
  for (const std::string_view json :
       {"", "{}", "[]", R"({"a":1})", R"({"metadata":null})", R"({"metadata":)", R"({"metadata":{)",
        R"({"a":[1,{"metadata":{}}]})"}) {
    EXPECT_EQ(With(json), "refused") << json;
  }
}

}  // namespace
}  // namespace skiff::object

#include "apiserver/validation/internal_diff.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

std::string Diff(std::string_view old, std::string_view now) {
  const object::MessageDesc* type = views::core_v1::PersistentVolumeClaimSpec::Type();
  const Result<object::Document> a = object::DecodeJson(old, type);
  const Result<object::Document> b = object::DecodeJson(now, type);
  return InternalDiff(&a->root(), &b->root());
}

TEST(InternalDiffTest, AChangeIsShownWithThreeLinesAroundIt) {
  EXPECT_EQ(Diff(R"({"accessModes": ["ReadWriteOnce"]})", R"({"accessModes": ["ReadWriteMany"]})"),
            R"(@@ -1,6 +1,6 @@
 {
  "AccessModes": [
-  "ReadWriteOnce"
+  "ReadWriteMany"
  ],
  "Selector": null,
  "Resources": {
)");
}

TEST(InternalDiffTest, ChangesThatAreFarFromEachOtherAreTwoPieces) {
  const std::string diff =
      Diff(R"({"accessModes": ["a"], "volumeName": "v", "volumeMode": "m"})",
           R"({"accessModes": ["a", "b"], "volumeName": "v", "volumeMode": "n"})");
  EXPECT_EQ(diff.substr(0, diff.find('\n')), "@@ -1,6 +1,7 @@");
  EXPECT_NE(diff.find("-  \"a\"\n+  \"a\",\n+  \"b\"\n"), std::string::npos) << diff;
  EXPECT_NE(diff.find("- \"VolumeMode\": \"m\",\n+ \"VolumeMode\": \"n\",\n"), std::string::npos);
}

TEST(InternalDiffTest, ThereIsNothingToTellOfTheSame) {
  EXPECT_EQ(Diff(R"({"volumeName": "a\"{"})", R"({"volumeName": "a\"{"})"), "");
}

TEST(InternalDiffTest, WhatIsAbsentIsNull) {
  const Result<object::Document> spec =
      object::DecodeJson("{}", views::core_v1::LocalObjectReference::Type());
  EXPECT_EQ(InternalDiff(nullptr, &spec->root()),
            "@@ -1 +1,3 @@\n-null\n+{\n+ \"Name\": \"\"\n+}\n");
}

TEST(InternalDiffTest, ObjectsOfTheSameLineOverAndOverAreNotCompared) {
  std::string modes = "\"a\"";
  for (int i = 0; i < 3900; ++i) modes += ",\"a\"";
  EXPECT_EQ(Diff(R"({"accessModes": [)" + modes + "]}", R"({"accessModes": ["b",)" + modes + "]}"),
            "");
}

}  // namespace
}  // namespace skiff::apiserver

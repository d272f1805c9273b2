#include "apiserver/openapi/swagger_merge.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

std::string Filtered(std::string_view json, std::string_view prefix = "/apis/a.com/v1/") {
  const Result<ForeignSwagger> read = ForeignSwagger::Read(json);
  return read ? std::string(read->PartOf(prefix).view()) : "fault";
}

std::string Merged(std::string_view own, const std::vector<std::string>& parts) {
  std::vector<SharedBytes> bytes;
  for (const std::string& each : parts) bytes.emplace_back(std::string_view(each));
  ByteBuffer out;
  MergeSwagger(own, bytes, out);
  return std::string(out.view());
}

TEST(SwaggerMergeTest, OnlyWhatPathsNeedIsTakenOfOthers) {
  EXPECT_EQ(Filtered(R"({"swagger": "2.0", "paths": {
        "/apis/a.com/v1/things": {"get": {"schema": {"$ref": "#/definitions/Thing"},
                                          "parameters": [{"$ref": "#/parameters/pretty"}]}},
        "/apis/apps/v1/x": {"get": {"schema": {"$ref": "#/definitions/Other"}}}},
        "definitions": {"Thing": {"properties": {"meta": {"$ref": "#/definitions/Meta"}}},
                        "Meta": {"type": "object"}, "Other": {}, "Unused": {}},
        "parameters": {"pretty": {"in": "query"}, "none": {}}})"),
            R"({"definitions":{"Meta":{"type":"object"},"Thing":{"properties":{"meta":)"
            R"({"$ref":"#/definitions/Meta"}}},"Unused":{}},"parameters":{"none":{},)"
            R"("pretty":{"in":"query"}},"paths":{"/apis/a.com/v1/things":{"get":{"parameters":)"
            R"([{"$ref":"#/parameters/pretty"}],"schema":{"$ref":"#/definitions/Thing"}}}}})");
  EXPECT_EQ(Filtered(R"({"paths":{"/apis/a.com/v10/things":{}}})"), "");
  EXPECT_EQ(Filtered(R"({"paths":[]})"), "");
  EXPECT_EQ(Filtered("[]"), "fault");
  EXPECT_EQ(Filtered("<html>"), "fault");
}

TEST(SwaggerMergeTest, DefinitionsThatReferToEachOtherAreNoTrap) {
  EXPECT_EQ(Filtered(R"({"paths":{"/apis/a.com/v1/x":{"$ref":"#/definitions/A"}},"definitions":)"
                     R"({"A":{"x":{"$ref":"#/definitions/A"}}}})"),
            R"({"definitions":{"A":{"x":{"$ref":"#/definitions/A"}}},"parameters":{},)"
            R"("paths":{"/apis/a.com/v1/x":{"$ref":"#/definitions/A"}}})");
}

TEST(SwaggerMergeTest, PathsThatAreThereStay) {
  EXPECT_EQ(Merged(R"({"swagger":"2.0","paths":{"/a":{"x":1}},"definitions":{},"security":[]})",
                   {R"({"definitions":{"D":{}},"parameters":{},"paths":{"/a":{},"/b":{}}})",
                    R"({"definitions":{"E":{}},"parameters":{},"paths":{"/b":{}}})"}),
            R"({"swagger":"2.0","paths":{"/a":{"x":1},"/b":{}},"definitions":{"D":{}},)"
            R"("security":[]})");
}

TEST(SwaggerMergeTest, ADefinitionThatSaysSomethingElseGetsAnotherName) {
  const std::string own =
      R"({"paths":{},"definitions":{"D":{"type":"string"},"D_v2":{"type":"number"}},)"
      R"("parameters":{"p":{"in":"query"}}})";
  const std::string part =
      R"({"definitions":{"D":{"type":"object"},"U":{"a":{"$ref":"#/definitions/D"},)"
      R"("description":"\"$ref\":\"#/definitions/D\""}},"parameters":{"p":{"in":"body"}},)"
      R"("paths":{"/b":{"a":{"$ref":"#/definitions/D"},"p":{"$ref":"#/parameters/p"}}}})";
  const std::string merged =
      R"({"paths":{"/b":{"a":{"$ref":"#/definitions/D_v3"},"p":{"$ref":"#/parameters/p_v2"}}},)"
      R"("definitions":{"D":{"type":"string"},"D_v2":{"type":"number"},"D_v3":)"
      R"({"type":"object"},"U":{"a":{"$ref":"#/definitions/D_v3"},"description":)"
      R"("\"$ref\":\"#/definitions/D\""}},"parameters":{"p":{"in":"query"},)"
      R"("p_v2":{"in":"body"}}})";
  EXPECT_EQ(Merged(own, {part}), merged);
  // A third one that says what the second does shares its names.
  std::string third = part;
  third.replace(third.find("/b"), 2, "/c");
  third.replace(third.find("\"U\""), 3, "\"V\"");
  const std::string all = Merged(own, {part, third});
  EXPECT_NE(
      all.find(R"("/c":{"a":{"$ref":"#/definitions/D_v3"},"p":{"$ref":"#/parameters/p_v2"}})"),
      std::string::npos)
      << all;
  EXPECT_EQ(all.find("D_v4"), std::string::npos);
}

TEST(SwaggerMergeTest, ASharedDefinitionStandsForTheKindsOfAll) {
  const std::string own = R"({"paths":{},"definitions":{"D":{"x-kubernetes-group-version-kind":)"
                          R"([{"group":"","kind":"D"}],"type":"object"}}})";
  EXPECT_EQ(
      Merged(own, {R"({"definitions":{"D":{"type":"object","x-kubernetes-group-version-kind":)"
                   R"([{"group":"a","kind":"D"},{"group":"","kind":"D"}]}},"parameters":{},)"
                   R"("paths":{"/b":{}}})"}),
      R"({"paths":{"/b":{}},"definitions":{"D":{"type":"object","x-kubernetes-group-version-kind":)"
      R"([{"group":"","kind":"D"},{"group":"a","kind":"D"}]}}})");
}

TEST(SwaggerMergeTest, TheOrderOfMembersMakesNoDifference) {
  EXPECT_EQ(Merged(R"({"paths":{},"definitions":{"D":{"b":1,"a":{"d":[1,2],"c":2}}},)"
                   R"("parameters":{"p":{"name":"p","in":"query"}}})",
                   {R"({"definitions":{"D":{"a":{"c":2,"d":[1,2]},"b":1}},"parameters":)"
                    R"({"p":{"in":"query","name":"p"}},"paths":{"/b":{}}})"}),
            R"({"paths":{"/b":{}},"definitions":{"D":{"b":1,"a":{"d":[1,2],"c":2}}},)"
            R"("parameters":{"p":{"name":"p","in":"query"}}})");
}

TEST(SwaggerMergeTest, WithoutOthersNothingChanges) {
  const std::string own = R"({"a":1,"paths":{"/a":{}},"definitions":{"D":{}},"parameters":{}})";
  EXPECT_EQ(Merged(own, {}), own);
  EXPECT_EQ(Merged(own, {R"({"definitions":{"X":{}},"parameters":{},"paths":{}})"}), own);
}

}  // namespace
}  // namespace skiff::apiserver

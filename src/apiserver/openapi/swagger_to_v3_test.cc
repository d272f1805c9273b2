#include "apiserver/openapi/swagger_to_v3.h"

#include <gtest/gtest.h>

#include "apiserver/openapi/gnostic.h"

namespace skiff::apiserver {
namespace {

TEST(SwaggerToV3Test, BodiesAnswersAndReferencesFindTheirPlaces) {
  const SharedBytes made = ConvertSwaggerToV3(
      R"({"definitions":{"T":{"properties":{"m":{"$ref":"#/definitions/M","description":"d"}},)"
      R"("x-kubernetes-group-version-kind":[{"kind":"T"}]},"M":{}},)"
      R"("parameters":{"p":{"in":"query","name":"p","type":"string","uniqueItems":true}},)"
      R"("paths":{"/a":{"parameters":[{"$ref":"#/parameters/p"}],"post":{"consumes":["a/b"],)"
      R"("produces":["c/d"],"schemes":["https"],"operationId":"x","x-kubernetes-action":"post",)"
      R"("parameters":[{"in":"body","name":"body","schema":{"$ref":"#/definitions/T"}}],)"
      R"("responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/T"}}}}}}})");
  EXPECT_EQ(
      made.view(),
      R"({"openapi":"3.0.0","info":{"title":"","version":""},"paths":{"/a":{"parameters":[{)"
      R"("in":"query","name":"p","schema":{"type":"string","uniqueItems":true}}],"post":{)"
      R"("x-kubernetes-action":"post","operationId":"x","parameters":[],"requestBody":{)"
      R"("content":{"a/b":{"schema":{"$ref":"#/components/schemas/T"}}}},"responses":{"200":{)"
      R"("description":"OK","content":{"c/d":{"schema":{"$ref":"#/components/schemas/T"}}}}}}}},)"
      R"("components":{"schemas":{"M":{},"T":{"properties":{"m":{"allOf":[{"$ref":)"
      R"("#/components/schemas/M"}],"description":"d"}},"x-kubernetes-group-version-kind":)"
      R"([{"kind":"T"}]}}}})");
  EXPECT_TRUE(OpenApiV3ToProtobuf(made.view(), false));
}

TEST(SwaggerToV3Test, WhatHasAnotherShapeIsLeftOut) {
  const SharedBytes made = ConvertSwaggerToV3(
      R"({"definitions":[],"paths":{"/a":{"get":{"parameters":[5,{"in":7},{"$ref":)"
      R"("#/parameters/none"}],"responses":[]},"put":1}}})");
  EXPECT_EQ(made.view(),
            R"({"openapi":"3.0.0","info":{"title":"","version":""},"paths":{"/a":{"get":)"
            R"({"parameters":[],"responses":{}}}},"components":{"schemas":{}}})");
}

}  // namespace
}  // namespace skiff::apiserver

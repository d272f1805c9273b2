#include <string>

#include <gtest/gtest.h>

#include "apiserver/convert/convert.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

const object::MessageDesc* Type(std::string_view version) {
  return object::FindKind("apiextensions.k8s.io/" + std::string(version),
                          "CustomResourceDefinition");
}

std::string Definition(std::string_view version, std::string_view spec) {
  return R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/)" +
         std::string(version) + R"(","metadata":{"name":"n"},"spec":)" + std::string(spec) + "}";
}

std::string Normal(std::string_view version, std::string_view spec) {
  const auto object = object::DecodeJson(Definition(version, spec), Type(version));
  EXPECT_TRUE(object) << object.error().ToString();
  return object ? object::EncodeJson(object->root()) : std::string();
}

std::string Converted(std::string_view version, std::string_view spec, std::string_view to) {
  const auto object = object::DecodeJson(Definition(version, spec), Type(version));
  if (!object) return object.error().ToString();
  const auto out = Convert(*object, Type(to));
  return out ? object::EncodeJson(out->root()) : out.error().ToString();
}

void ExpectBothWays(std::string_view v1, std::string_view v1beta1) {
  EXPECT_EQ(Converted("v1", v1, "v1beta1"), Normal("v1beta1", v1beta1));
  EXPECT_EQ(Converted("v1beta1", v1beta1, "v1"), Normal("v1", v1));
}

TEST(DefinitionConversionTest, WhatAllVersionsShareIsSaidOnceAtRest) {
  ExpectBothWays(
      R"({"group":"g","names":{"plural":"p","kind":"K"},"scope":"Namespaced","versions":[
           {"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
            "schema":{"openAPIV3Schema":{"type":"object"}},
            "additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".a"}]},
           {"name":"v2","served":true,"storage":false,"subresources":{"status":{}},
            "schema":{"openAPIV3Schema":{"type":"object","description":"other"}},
            "additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".a"}]}],
          "conversion":{"strategy":"None"}})",
      R"({"group":"g","version":"v1","names":{"plural":"p","kind":"K"},"scope":"Namespaced",
          "subresources":{"status":{}},"versions":[
           {"name":"v1","served":true,"storage":true,
            "schema":{"openAPIV3Schema":{"type":"object"}}},
           {"name":"v2","served":true,"storage":false,
            "schema":{"openAPIV3Schema":{"type":"object","description":"other"}}}],
          "additionalPrinterColumns":[{"name":"A","type":"string","JSONPath":".a"}],
          "conversion":{"strategy":"None"},"preserveUnknownFields":false})");
}

TEST(DefinitionConversionTest, TheWebhookOfAConversionIsFlatAtRest) {
  ExpectBothWays(
      R"({"group":"g","names":{"plural":"p","kind":"K"},"scope":"Cluster","versions":[
           {"name":"v1","served":true,"storage":true}],"preserveUnknownFields":true,
          "conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"u"},
           "conversionReviewVersions":["v1"]}}})",
      R"({"group":"g","version":"v1","names":{"plural":"p","kind":"K"},"scope":"Cluster",
          "versions":[{"name":"v1","served":true,"storage":true}],
          "conversion":{"strategy":"Webhook","webhookClientConfig":{"url":"u"},
           "conversionReviewVersions":["v1"]},"preserveUnknownFields":true})");
}

TEST(DefinitionConversionTest, AnOldDefinitionWithOneVersionHasAListOfIt) {
  EXPECT_EQ(Converted("v1beta1",
                      R"({"group":"g","version":"v1","names":{"plural":"p","kind":"K"},
                          "scope":"Cluster","validation":{"openAPIV3Schema":{"type":"object"}}})",
                      "v1"),
            Normal("v1", R"({"group":"g","names":{"plural":"p","kind":"K"},"scope":"Cluster",
                             "versions":[{"name":"v1","served":true,"storage":true,
                             "schema":{"openAPIV3Schema":{"type":"object"}}}],
                             "preserveUnknownFields":true})"));
}

TEST(DefinitionConversionTest, ValuesInSchemasAreInOrderAndNullIsNoDefault) {
  const std::string head = R"({"group":"g","names":{"plural":"p","kind":"K"},"scope":"Cluster",)";
  const auto versions = [](std::string_view b) {
    return R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
             {"type":"object","properties":{"b":)" +
           std::string(b) + "}}}}]}";
  };
  const std::string at_rest = Converted(
      "v1", head + versions(R"({"type":"object","default":{"z":1,"a":[1.5,"x"]},"example":null,
                          "enum":[{"y":1,"b":2}],"items":{"type":"string"},
                          "additionalProperties":{"type":"string"}})"),
      "v1beta1");
  EXPECT_NE(at_rest.find(R"("default":{"a":[1.5,"x"],"z":1})"), std::string::npos) << at_rest;
  EXPECT_NE(at_rest.find(R"("enum":[{"b":2,"y":1}])"), std::string::npos) << at_rest;
  EXPECT_EQ(at_rest.find("example"), std::string::npos) << at_rest;
  EXPECT_NE(at_rest.find(R"("additionalProperties":{"type":"string"})"), std::string::npos);
  EXPECT_EQ(
      Converted("v1", head + versions(R"({"default":null,"items":[{"type":"string"}]})"), "v1beta1")
          .find("default"),
      std::string::npos);
}

}  // namespace
}  // namespace skiff::apiserver

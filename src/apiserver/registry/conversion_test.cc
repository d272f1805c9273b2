#include <string>

#include <gtest/gtest.h>

#include "apiserver/convert/convert.h"
#include "apiserver/convert/layout.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

// The object, given as JSON, as JSON of another version.
std::string Converted(std::string_view json, std::string_view api_version) {
  const auto meta = object::PeekTypeMeta(json);
  if (!meta) return meta.error().ToString();
  const auto object = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  if (!object) return object.error().ToString();
  const auto out = Convert(*object, object::FindKind(api_version, meta->kind));
  return out ? object::EncodeJson(out->root()) : out.error().ToString();
}

// As a client would write it: without blanks, in the order of the schema.
std::string Normal(std::string_view json) {
  const auto meta = object::PeekTypeMeta(json);
  const auto object = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  EXPECT_TRUE(object) << object.error().ToString();
  return object ? object::EncodeJson(object->root()) : std::string();
}

void ExpectThereAndBack(std::string_view json, std::string_view other) {
  EXPECT_EQ(Converted(json, object::PeekTypeMeta(other)->api_version), Normal(other));
  EXPECT_EQ(Converted(other, object::PeekTypeMeta(json)->api_version), Normal(json));
}

TEST(ConvertTest, EveryServedVersionConvertsFromAndToTheStoredOne) {
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      if (resource.hub->storage == nullptr) continue;
      const object::MessageDesc* const stored = resource.hub->storage->stored;
      EXPECT_TRUE(CanConvert(stored, resource.kind)) << resource.name;
      EXPECT_TRUE(CanConvert(resource.kind, stored)) << resource.name;
    }
  }
}

TEST(ConvertTest, VersionsThatDifferByNameAloneHaveTheSameLayout) {
  const auto same = [](std::string_view a, std::string_view b, std::string_view kind) {
    return SameLayout(object::FindKind(a, kind), object::FindKind(b, kind));
  };
  EXPECT_TRUE(same("networking.k8s.io/v1", "networking.k8s.io/v1beta1", "IPAddress"));
  EXPECT_TRUE(same("admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1",
                   "MutatingAdmissionPolicy"));
  EXPECT_TRUE(same("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "ResourceSlice"));
  EXPECT_FALSE(same("resource.k8s.io/v1", "resource.k8s.io/v1beta1", "ResourceSlice"));
  EXPECT_FALSE(same("resource.k8s.io/v1", "resource.k8s.io/v1beta1", "ResourceClaim"));
  EXPECT_FALSE(same("autoscaling/v1", "autoscaling/v2", "HorizontalPodAutoscaler"));
  EXPECT_FALSE(same("v1", "events.k8s.io/v1", "Event"));
}

TEST(ConvertTest, WhatIsNoOtherVersionIsRefused) {
  EXPECT_FALSE(CanConvert(object::FindKind("v1", "Pod"), object::FindKind("v1", "Service")));
  EXPECT_FALSE(CanConvert(object::FindKind("v1", "Pod"), nullptr));
  EXPECT_FALSE(CanConvert(object::FindKind("v1", "ResourceClaim"),
                          object::FindKind("resource.k8s.io/v1", "ResourceClaim")));
  const auto pod =
      object::DecodeJson(R"({"kind":"Pod","apiVersion":"v1"})", object::FindKind("v1", "Pod"));
  const auto refused = Convert(*pod, object::FindKind("v1", "Service"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), StatusReason::kInternalError);
}

TEST(ConvertTest, TheSameLayoutIsRelabelled) {
  ExpectThereAndBack(
      R"({"kind":"IPAddress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"a"},
          "spec":{"parentRef":{"resource":"services","name":"n"}}})",
      R"({"kind":"IPAddress","apiVersion":"networking.k8s.io/v1beta1","metadata":{"name":"a"},
          "spec":{"parentRef":{"resource":"services","name":"n"}}})");
}

TEST(ConvertTest, EventsHaveOtherNamesInTheirOtherGroup) {
  ExpectThereAndBack(
      R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},
          "involvedObject":{"kind":"Pod","name":"p"},"reason":"r","message":"m",
          "source":{"component":"c","host":"h"},"firstTimestamp":"2026-01-10T11:00:00Z",
          "lastTimestamp":"2026-01-10T12:00:00Z","count":3,"type":"Normal",
          "eventTime":"2026-01-10T11:00:00.000001Z",
          "series":{"count":2,"lastObservedTime":"2026-01-10T11:00:00.000002Z"},
          "action":"a","related":{"name":"x"},"reportingComponent":"rc","reportingInstance":"ri"})",
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e"},
          "regarding":{"kind":"Pod","name":"p"},"reason":"r","note":"m",
          "deprecatedSource":{"component":"c","host":"h"},
          "deprecatedFirstTimestamp":"2026-01-10T11:00:00Z",
          "deprecatedLastTimestamp":"2026-01-10T12:00:00Z","deprecatedCount":3,"type":"Normal",
          "eventTime":"2026-01-10T11:00:00.000001Z",
          "series":{"count":2,"lastObservedTime":"2026-01-10T11:00:00.000002Z"},
          "action":"a","related":{"name":"x"},"reportingController":"rc",
          "reportingInstance":"ri"})");
}

TEST(ConvertTest, ListsConvertTheirItems) {
  EXPECT_EQ(Converted(R"({"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":"7"},
                          "items":[{"metadata":{"name":"e"},"involvedObject":{},"message":"m"}]})",
                      "events.k8s.io/v1"),
            Normal(R"({"kind":"EventList","apiVersion":"events.k8s.io/v1",
                       "metadata":{"resourceVersion":"7"},
                       "items":[{"metadata":{"name":"e"},"note":"m","regarding":{}}]})"));
}

TEST(ConvertTest, RequestsOfDevicesAreALevelDeeperSinceV1beta2) {
  const std::string members =
      R"("deviceClassName":"c","selectors":[{"cel":{"expression":"true"}}],
         "allocationMode":"ExactCount","count":2,"adminAccess":false,
         "tolerations":[{"key":"k","operator":"Exists"}])";
  const std::string alternatives =
      R"({"name":"b","firstAvailable":[{"name":"x","deviceClassName":"d",
          "tolerations":[{"key":"t"}]}]})";
  ExpectThereAndBack(
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"r"},
          "spec":{"devices":{"requests":[{"name":"a","exactly":{)" +
          members + "}}," + alternatives + "]}}}",
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1","metadata":{"name":"r"},
          "spec":{"devices":{"requests":[{"name":"a",)" +
          members + "}," + alternatives + "]}}}");
}

TEST(ConvertTest, TemplatesOfClaimsConvertTheClaim) {
  ExpectThereAndBack(
      R"({"kind":"ResourceClaimTemplate","apiVersion":"resource.k8s.io/v1","metadata":{},
          "spec":{"spec":{"devices":{"requests":[{"name":"a",
          "exactly":{"deviceClassName":"c"}}]}}}})",
      R"({"kind":"ResourceClaimTemplate","apiVersion":"resource.k8s.io/v1beta1","metadata":{},
          "spec":{"spec":{"devices":{"requests":[{"name":"a","deviceClassName":"c"}]}}}})");
}

TEST(ConvertTest, DevicesOfV1beta1AreBasic) {
  const std::string members =
      R"("attributes":{"a":{"string":"s"}},"capacity":{"m":{"value":"1Gi"}},"nodeName":"n",
         "taints":[{"key":"k","effect":"NoSchedule"}])";
  ExpectThereAndBack(
      R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{},
          "spec":{"driver":"d","nodeName":"n","pool":{"name":"p"},"devices":[{"name":"x",)" +
          members + R"(},{"name":"y"}]}})",
      R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1beta1","metadata":{},
          "spec":{"driver":"d","nodeName":"n","pool":{"name":"p"},"devices":[{"name":"x",
          "basic":{)" +
          members + R"(}},{"name":"y","basic":{}}]}})");
}

TEST(ConvertTest, WhatWasAPointerToZeroIsAbsentWhereThereAreNoPointers) {
  EXPECT_EQ(Converted(R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{},
                          "spec":{"driver":"d","pool":{},"nodeName":"","allNodes":false}})",
                      "resource.k8s.io/v1beta1"),
            Normal(R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1beta1","metadata":{},
                       "spec":{"driver":"d","pool":{}}})"));
}

}  // namespace
}  // namespace skiff::apiserver

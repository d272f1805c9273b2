#include "apiserver/convert/normal_bytes.h"

#include <string>

#include <gtest/gtest.h>

#include "apiserver/convert/normalize.h"
#include "object/json/decode.h"
#include "object/protobuf/encode.h"

namespace skiff::apiserver {
namespace {

std::string MessageOf(const object::Document& object) {
  std::string out;
  object::EncodeProtobuf(object.root(), &out);
  return out;
}

object::Document Decode(std::string_view json) {
  const object::TypeMeta meta = object::PeekTypeMeta(json).value();
  return object::DecodeJson(json, object::FindKind(meta.api_version, meta.kind)).value();
}

constexpr std::string_view kNotNormal[] = {
    R"({"kind":"Pod","apiVersion":"v1","spec":{"serviceAccountName":"a"}})",
    R"({"kind":"Pod","apiVersion":"v1","spec":{"serviceAccount":"a"}})",
    R"({"kind":"Pod","apiVersion":"v1","spec":{"terminationGracePeriodSeconds":-1}})",
    R"({"kind":"Pod","apiVersion":"v1","status":{"podIP":"10.0.0.1"}})",
    R"({"kind":"Pod","apiVersion":"v1","status":{"podIPs":[{"ip":"10.0.0.1"}]}})",
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"annotations":{
        "pod.beta.kubernetes.io/init-containers":"x","a":"b"}}})",
    R"({"kind":"Node","apiVersion":"v1","spec":{"podCIDR":"10.0.0.0/24"}})",
    R"({"kind":"Secret","apiVersion":"v1","stringData":{"a":"b"}})",
    R"({"kind":"ReplicaSet","apiVersion":"apps/v1","spec":{"template":{"spec":{
        "serviceAccount":"a"}}}})",
    R"({"kind":"CronJob","apiVersion":"batch/v1","spec":{"jobTemplate":{"spec":{"template":{
        "spec":{"serviceAccount":"a"}}}}}})",
    R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"annotations":{
        "deprecated.deployment.rollback.to":"+1"}}})",
    R"({"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"a"}})",
    R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"annotations":{
        "autoscaling.alpha.kubernetes.io/conditions":"[]","a":"b"}}})",
    R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","spec":{"selector":{
        "matchLabels":{"a":"b"},"matchExpressions":[{"key":
        "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match","operator":"Exists"}]}}})",
};

TEST(NormalBytesTest, BytesTellWhatNormalizingWouldChange) {
  for (const std::string_view json : kNotNormal) {
    object::Document object = Decode(json);
    const std::string given = MessageOf(object);
    ASSERT_TRUE(Normalize(object)) << json;
    ASSERT_NE(MessageOf(object), given) << json;
    EXPECT_FALSE(IsNormal(object.type(), given)) << json;
  }
}

TEST(NormalBytesTest, OfAFieldThatIsThereTwiceOnlyDecodingTells) {
  const std::string once = MessageOf(Decode(R"({"kind":"Pod","apiVersion":"v1",
      "spec":{"serviceAccountName":"a","serviceAccount":"a"}})"));
  const std::string again =
      MessageOf(Decode(R"({"kind":"Pod","apiVersion":"v1","spec":{"serviceAccount":"x"}})"));
  EXPECT_TRUE(IsNormal(object::FindKind("v1", "Pod"), once));
  EXPECT_FALSE(IsNormal(object::FindKind("v1", "Pod"), once + again));
}

TEST(NormalBytesTest, NormalObjectsAreKnownByTheirBytes) {
  for (const std::string_view json : kNotNormal) {
    object::Document object = Decode(json);
    ASSERT_TRUE(Normalize(object)) << json;
    // Of the annotations with numbers in them only decoding tells.
    const bool uncertain = object.type() == object::FindKind("apps/v1", "DaemonSet") ||
                           object.type() == object::FindKind("apps/v1", "Deployment");
    EXPECT_EQ(IsNormal(object.type(), MessageOf(object)), !uncertain) << json;
  }
  EXPECT_TRUE(IsNormal(object::FindKind("v1", "ConfigMap"), ""));
}

}  // namespace
}  // namespace skiff::apiserver

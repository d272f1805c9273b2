#include "object/fields/merge.h"

#include <gtest/gtest.h>

#include "object/fields/check.h"
#include "object/fields/compare.h"
#include "object/fields/extract.h"
#include "object/fields/retype.h"
#include "object/fields/testing.h"
#include "object/json/encode.h"

namespace skiff::object {
namespace {

std::string FieldsOfConfig(std::string_view api_version, std::string_view kind,
                           std::string_view json) {
  Arena arena;
  const Document config = Untyped(json);
  const FieldShape shape = FieldShape::OfMessage(FindKind(api_version, kind));
  const std::string out = TextOf(FieldsOf(arena, shape, config.root()));
  EXPECT_EQ(TextOf(ReadConfigurationFields(arena, shape, config.root()).fields), out);
  return out;
}

TEST(FieldsOfTest, LeavesItemsAndKeysAreMembersStructsAreNot) {
  EXPECT_EQ(FieldsOfConfig("v1", "Pod",
                           R"({"metadata":{"labels":{"a":"b"},"finalizers":["x","y"]},)"
                           R"("spec":{"containers":[{"name":"c","image":"i",)"
                           R"("ports":[{"containerPort":80}]}]}})"),
            R"({"f:metadata":{"f:finalizers":{"v:\"x\"":{},"v:\"y\"":{}},"f:labels":{"f:a":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},)"
            R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":)"
            R"({".":{},"f:containerPort":{}}}}}}})");
}

TEST(FieldsOfTest, WhatIsNullOrEmptyCountsAsWritten) {
  EXPECT_EQ(FieldsOfConfig("v1", "Pod",
                           R"({"metadata":{"labels":{}},"spec":{"securityContext":{},)"
                           R"("nodeName":null,"containers":[],"volumes":null}})"),
            R"({"f:metadata":{"f:labels":{}},)"
            R"("f:spec":{"f:nodeName":{},"f:securityContext":{},"f:volumes":{}}})");
}

TEST(FieldsOfTest, AtomicsAreOwnedAsOne) {
  EXPECT_EQ(
      FieldsOfConfig("v1", "Pod",
                     R"({"spec":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}],)"
                     R"("containers":[{"name":"c","args":["x"],)"
                     R"("env":[{"name":"e","valueFrom":{"fieldRef":{"fieldPath":"p"}}}]}]}})"),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:env":)"
      R"({"k:{\"name\":\"e\"}":{".":{},"f:name":{},"f:valueFrom":{"f:fieldRef":{}}}},)"
      R"("f:name":{}}},"f:nodeSelector":{},"f:tolerations":{}}})");
}

TEST(FieldsOfTest, AFieldMayBeSplitThoughItsTypeIsAtomic) {
  EXPECT_EQ(FieldsOfConfig("v1", "PersistentVolume", R"({"spec":{"claimRef":{"name":"x"}}})"),
            R"({"f:spec":{"f:claimRef":{"f:name":{}}}})");
}

TEST(FieldsOfTest, TypedObjectsShowWhatJsonShows) {
  Arena arena;
  const Document pod =
      Typed("v1", "Pod", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})");
  EXPECT_EQ(TextOf(FieldsOf(arena, FieldShape::OfMessage(pod.type()), pod.root())),
            R"({"f:metadata":{"f:name":{}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
            R"({".":{},"f:name":{},"f:resources":{}}}},"f:status":{}})");
}

TEST(FieldsOfTest, ItemsThatCannotBeToldApartAreOwnedAsOne) {
  Arena arena;
  const Document service = Typed("v1", "Service",
                                 R"({"spec":{"ports":[{"port":1,"protocol":"TCP","name":"a"},)"
                                 R"({"port":1,"protocol":"TCP","name":"b"}]}})");
  const std::string text =
      TextOf(FieldsOf(arena, FieldShape::OfMessage(service.type()), service.root()));
  EXPECT_NE(text.find(R"("f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{}})"), std::string::npos)
      << text;
}

TEST(FieldsOfTest, WithoutADescriptorMapsAreSplitAndListsAreNot) {
  Arena arena;
  const Document object = Untyped(R"({"spec":{"a":{"b":1},"c":[1,2],"d":{}}})");
  EXPECT_EQ(TextOf(FieldsOf(arena, FieldShape::OfMessage(nullptr), object.root())),
            R"({"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:c":{},"f:d":{}}})");
}

struct Texts {
  std::string added;
  std::string modified;
  std::string removed;
};

Texts Compare(std::string_view api_version, std::string_view kind, std::string_view before,
              std::string_view after) {
  Arena arena;
  const Document old = Typed(api_version, kind, before);
  const Document now = Typed(api_version, kind, after);
  const FieldChanges changes =
      CompareFields(arena, FieldShape::OfMessage(old.type()), old.root(), now.root());
  return {TextOf(changes.added), TextOf(changes.modified), TextOf(changes.removed)};
}

TEST(CompareFieldsTest, NothingChangesBetweenEqualObjects) {
  constexpr std::string_view kPod =
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})";
  const Texts out = Compare("v1", "Pod", kPod, kPod);
  EXPECT_EQ(out.added + out.modified + out.removed, "{}{}{}");
}

TEST(CompareFieldsTest, ANewObjectAddsPointersAndMapsThemselvesToo) {
  const Texts out =
      Compare("apps/v1", "Deployment", "{}",
              R"({"metadata":{"labels":{"a":"b"}},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
              R"("strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},)"
              R"("template":{"spec":{"containers":[{"name":"c"}]}}}})");
  EXPECT_EQ(out.added, R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{)"
                       R"("f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{}},"f:type":{}},)"
                       R"("f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
                       R"({".":{},"f:name":{},"f:resources":{}}}}}}})");
  // The selector is shown as null where there is none.
  EXPECT_EQ(out.modified, R"({"f:spec":{"f:selector":{}}})");
  EXPECT_EQ(out.removed, "{}");
}

TEST(CompareFieldsTest, ItemsAreToldApartByTheirKeysWhateverTheirOrder) {
  const Texts out = Compare(
      "v1", "Pod", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
      R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"1"},)"
      R"({"name":"c"}]}})");
  EXPECT_EQ(out.added, R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
                       R"({".":{},"f:name":{},"f:resources":{}}}}})");
  EXPECT_EQ(out.modified, R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{"f:image":{}}}}})");
  EXPECT_EQ(out.removed, "{}");
}

TEST(CompareFieldsTest, WhatGoesIsRemovedWithAllBelow) {
  const Texts out = Compare("v1", "ConfigMap", R"({"data":{"a":"1","b":"2"}})", "{}");
  EXPECT_EQ(out.removed, R"({"f:data":{".":{},"f:a":{},"f:b":{}}})");
}

// Merges and shows the result and whether it changed.
std::string Merge(std::string_view api_version, std::string_view kind, std::string_view live,
                  std::string_view config, bool* changed = nullptr) {
  Arena arena;
  const Document before = Typed(api_version, kind, live);
  const Document wanted = Untyped(config);
  const FieldShape shape = FieldShape::OfMessage(before.type());
  EXPECT_EQ(ReadConfigurationFields(arena, shape, wanted.root()).faults, "");
  const MergedValue merged = MergeConfiguration(arena, shape, before.root(), wanted.root());
  if (changed != nullptr) *changed = merged.changed;
  const Result<Document> typed = Retype(before.type(), merged.value);
  EXPECT_TRUE(typed) << typed.error().ToString();
  return typed ? EncodeJson(typed->root()) : "";
}

TEST(MergeTest, WhatIsTheSameAlreadyStaysUntouched) {
  bool changed = true;
  Merge("v1", "Pod",
        R"({"metadata":{"labels":{"a":"b","c":"d"}},"spec":{"containers":[{"name":"c",)"
        R"("image":"i","imagePullPolicy":"Always","resources":{"limits":{"cpu":"1"}}}]}})",
        R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i",)"
        R"("resources":{"limits":{"cpu":"1"}}}]}})",
        &changed);
  EXPECT_FALSE(changed);
}

TEST(MergeTest, AnotherSpellingOfAQuantityIsAChangeButTheSameValue) {
  bool changed = false;
  const std::string out = Merge(
      "v1", "Pod", R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}})",
      R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1000m"}}}]}})", &changed);
  EXPECT_TRUE(changed);
  EXPECT_NE(out.find(R"("cpu":"1")"), std::string::npos) << out;
}

TEST(MergeTest, ItemsKeepTheirPlaceAndNewOnesFollowTheirNeighbours) {
  const auto finalizers = [](std::string_view live, std::string_view config) {
    const std::string out =
        Merge("v1", "ConfigMap", R"({"metadata":{"finalizers":)" + std::string(live) + "}}",
              R"({"metadata":{"finalizers":)" + std::string(config) + "}}");
    const size_t at = out.find("[");
    return out.substr(at, out.find("]") + 1 - at);
  };
  EXPECT_EQ(finalizers(R"(["a","b"])", R"(["c"])"), R"(["a","b","c"])");
  EXPECT_EQ(finalizers(R"(["a","b","c"])", R"(["c","a"])"), R"(["b","c","a"])");
  EXPECT_EQ(finalizers(R"(["a","b"])", R"(["x","b"])"), R"(["a","x","b"])");
  EXPECT_EQ(finalizers(R"(["a","b","c"])", R"(["a","x","c"])"), R"(["a","b","x","c"])");
}

TEST(MergeTest, TypesOfTheConfigurationBecomeThoseOfTheField) {
  const std::string out =
      Merge("v1", "Secret", R"({"data":{"a":"Yg=="}})",
            R"({"data":{"c":"ZA=="},"immutable":true,"metadata":{"annotations":{"x":"y"},)"
            R"("deletionTimestamp":"2024-01-02T03:04:05+00:00"}})");
  EXPECT_EQ(out,
            R"({"metadata":{"deletionTimestamp":"2024-01-02T03:04:05Z","annotations":{"x":"y"}},)"
            R"("immutable":true,"data":{"a":"Yg==","c":"ZA=="}})");
}

TEST(MergeTest, ANullClearsAScalarButNotAList) {
  const std::string out =
      Merge("v1", "Pod", R"({"spec":{"nodeName":"n","containers":[{"name":"c"}]}})",
            R"({"spec":{"nodeName":null,"containers":null}})");
  EXPECT_EQ(out.find("nodeName"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("name":"c")"), std::string::npos) << out;
}

TEST(WithoutFieldsTest, ItemsKeysAndFieldsGo) {
  Arena arena;
  const Document pod = Typed("v1", "Pod",
                             R"({"metadata":{"labels":{"a":"b","c":"d"},"finalizers":["x"]},)"
                             R"("spec":{"containers":[{"name":"c","image":"i"},{"name":"d"}]}})");
  const Value out = WithoutFields(
      arena, FieldShape::OfMessage(pod.type()), pod.root(),
      SetOf(arena, R"({"f:metadata":{"f:labels":{"f:a":{}},"f:finalizers":{"v:\"x\"":{}}},)"
                   R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}},)"
                   R"("k:{\"name\":\"d\"}":{}}}})"));
  const Result<Document> typed = Retype(pod.type(), out);
  ASSERT_TRUE(typed);
  EXPECT_EQ(EncodeJson(typed->root()),
            R"({"metadata":{"labels":{"c":"d"}},"spec":{"containers":[{"name":"c",)"
            R"("resources":{}}]},"status":{}})");
}

std::string Faults(std::string_view api_version, std::string_view kind, std::string_view json) {
  Arena arena;
  const Document config = Untyped(json);
  return ReadConfigurationFields(arena, FieldShape::OfMessage(FindKind(api_version, kind)),
                                 config.root())
      .faults;
}

TEST(ConfigurationFaultsTest, ReadAsInKubernetes) {
  EXPECT_EQ(Faults("v1", "ConfigMap", R"({"data":{"a":"1"},"bogus":1})"),
            ".bogus: field not declared in schema");
  EXPECT_EQ(Faults("v1", "ConfigMap", R"({"data":{"a":1}})"),
            ".data.a: expected string, got &value.valueUnstructured{Value:1}");
  EXPECT_EQ(Faults("v1", "ConfigMap", R"({"data":"x"})"), ".data: expected map, got &{x}");
  EXPECT_EQ(Faults("v1", "ConfigMap", R"({"metadata":{"finalizers":["b","b"]}})"),
            R"(.metadata.finalizers: duplicate entries for key [="b"])");
  EXPECT_EQ(Faults("v1", "Pod", R"({"spec":{"containers":[{"name":"c"},{"name":"c"}]}})"),
            R"(.spec.containers: duplicate entries for key [name="c"])");
  EXPECT_EQ(Faults("v1", "Pod", R"({"spec":{"containers":[null]}})"),
            ".spec.containers: element 0: associative list with keys may not have a null element");
  EXPECT_EQ(
      Faults("v1", "Pod", R"({"spec":{"hostNetwork":"x","terminationGracePeriodSeconds":"y"}})"),
      "errors:\n  .spec.hostNetwork: expected boolean, got &{x}\n"
      "  .spec.terminationGracePeriodSeconds: expected numeric (int or float), got string");
  EXPECT_EQ(Faults("apps/v1", "Deployment",
                   R"({"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}})"),
            "");
}

}  // namespace
}  // namespace skiff::object

#include "apiserver/registry/kind_strategy.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr object::Timestamp kNow{1700000000, 500};

struct WriteFixture {
  explicit WriteFixture(const KindSettings& settings, std::string_view subresource = {})
      : write{*object::FindResource("", "v1", "pods"),
              subresource,
              kNow,
              random,
              nullptr,
              transaction,
              settings} {}

  SeededRandom random{1};
  store::Transaction transaction;
  WriteContext write;
};

const KindStrategy& Strategy(std::string_view resource) {
  for (const KindStrategy* each : KindStrategies()) {
    if (each->resource == resource) return *each;
  }
  ADD_FAILURE() << resource;
  return *KindStrategies()[0];
}

object::Document Make(std::string_view api_version, std::string_view kind, std::string_view json) {
  Result<object::Document> document = object::DecodeJson(json, object::FindKind(api_version, kind));
  EXPECT_TRUE(document) << json;
  return document ? std::move(*document) : object::Document();
}

std::string Created(std::string_view resource, std::string_view api_version, std::string_view kind,
                    std::string_view json, const KindSettings& settings = kDefaultSettings) {
  object::Document object = Make(api_version, kind, json);
  WriteFixture fixture(settings);
  Strategy(resource).create(fixture.write, object);
  return object::EncodeJson(object.root());
}

std::string Updated(std::string_view resource, std::string_view api_version, std::string_view kind,
                    std::string_view old, std::string_view json, std::string_view subresource) {
  const object::Document before = Make(api_version, kind, old);
  object::Document object = Make(api_version, kind, json);
  WriteFixture fixture(kDefaultSettings, subresource);
  Strategy(resource).update(fixture.write, before, object);
  return object::EncodeJson(object.root());
}

bool Has(const std::string& json, std::string_view text) {
  return json.find(text) != std::string::npos;
}

TEST(StrategiesTest, AVolumeRemembersWhenItsPhaseChanged) {
  const std::string made = Created("persistentvolumes", "v1", "PersistentVolume",
                                   R"({"status": {"phase": "Bound", "message": "x"}})");
  EXPECT_TRUE(Has(made, R"("phase":"Pending")"));
  EXPECT_TRUE(Has(made, R"("lastPhaseTransitionTime":"2023-11-14T22:13:20Z")"));
  EXPECT_FALSE(Has(made, "message"));

  constexpr std::string_view kOld =
      R"({"status": {"phase": "Pending", "lastPhaseTransitionTime": "2020-01-01T00:00:00Z"}})";
  const auto update = [&](std::string_view json) {
    return Updated("persistentvolumes", "v1", "PersistentVolume", kOld, json, "status");
  };
  EXPECT_TRUE(Has(update(R"({"status": {"phase": "Bound"}})"), "2023-11-14T22:13:20Z"));
  EXPECT_TRUE(Has(update(R"({"status": {"phase": "Pending"}})"), "2020-01-01T00:00:00Z"));
  EXPECT_TRUE(Has(update(R"({"status": {"phase": "Bound",
                             "lastPhaseTransitionTime": "2021-01-01T00:00:00Z"}})"),
                  "2021-01-01T00:00:00Z"));
}

TEST(StrategiesTest, ASourceInAnotherNamespaceIsForAGate) {
  constexpr std::string_view kClaim =
      R"({"spec": {"dataSourceRef": {"kind": "X", "name": "y", "namespace": "other"}}})";
  const auto update = [&](std::string_view old) {
    return Updated("persistentvolumeclaims", "v1", "PersistentVolumeClaim", old, kClaim, "");
  };
  const auto create = [&](const KindSettings& settings = kDefaultSettings) {
    return Created("persistentvolumeclaims", "v1", "PersistentVolumeClaim", kClaim, settings);
  };
  EXPECT_FALSE(Has(create(), "dataSource"));
  EXPECT_FALSE(Has(update(R"({"spec": {}})"), "dataSource"));
  EXPECT_TRUE(Has(update(kClaim), R"("namespace":"other")"));
  const KindSettings on{.gates = FeatureGates({{"CrossNamespaceVolumeDataSource", true}})};
  EXPECT_TRUE(Has(create(on), R"("namespace":"other")"));
  EXPECT_FALSE(Has(create(on), R"("dataSource":)"));
}

TEST(StrategiesTest, TheTwoSourcesOfAClaimSayTheSame) {
  const auto create = [](std::string_view spec) {
    return Created("persistentvolumeclaims", "v1", "PersistentVolumeClaim",
                   R"({"spec": )" + std::string(spec) + "}");
  };
  constexpr std::string_view kOther = R"("kind":"PersistentVolumeClaim","name":"a"})";
  const std::string claim(kOther);
  EXPECT_TRUE(Has(create(R"({"dataSource": {)" + claim + "}"),
                  R"("dataSourceRef":{"apiGroup":null,)" + claim));
  EXPECT_TRUE(Has(create(R"({"dataSourceRef": {)" + claim + "}"),
                  R"("dataSource":{"apiGroup":null,)" + claim));
  EXPECT_FALSE(Has(create(R"({"dataSource": {"kind": "X", "name": "y"}})"), "dataSource"));
  EXPECT_TRUE(Has(create(R"({"dataSourceRef": {"apiGroup": "a.b", "kind": "X", "name": "y"}})"),
                  R"("dataSource":{"apiGroup":"a.b","kind":"X","name":"y"})"));
}

TEST(StrategiesTest, AccountsKeepNamesOfSecretsOnly) {
  const std::string made = Created("serviceaccounts", "v1", "ServiceAccount",
                                   R"({"secrets": [{"name": "s", "uid": "u", "kind": "Secret"}]})");
  EXPECT_TRUE(Has(made, R"("secrets":[{"name":"s"}])")) << made;
}

TEST(StrategiesTest, NodesLoseTheConfigurationThatNobodyReads) {
  EXPECT_FALSE(Has(
      Created("nodes", "v1", "Node", R"({"spec": {"configSource": {}}, "status": {"config": {}}})"),
      "onfig"));
  EXPECT_TRUE(Has(Updated("nodes", "v1", "Node", R"({"spec": {"configSource": {}}})",
                          R"({"spec": {"configSource": {}}})", ""),
                  "configSource"));
}

TEST(StrategiesTest, TheGenerationOfADriverCountsItsChanges) {
  constexpr std::string_view kOld =
      R"({"metadata": {"generation": 3}, "spec": {"podInfoOnMount": true}})";
  const auto update = [&](std::string_view json) {
    return Updated("csidrivers", "storage.k8s.io/v1", "CSIDriver", kOld, json, "");
  };
  EXPECT_TRUE(Has(update(R"({"metadata": {"generation": 3}, "spec": {"podInfoOnMount": false}})"),
                  R"("generation":4)"));
  EXPECT_TRUE(Has(update(kOld), R"("generation":3)"));
}

TEST(StrategiesTest, TheStatusOfARangeIsWrittenByItself) {
  constexpr std::string_view kStatus =
      R"({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "r",
          "message": "", "lastTransitionTime": null}]}})";
  EXPECT_FALSE(
      Has(Created("servicecidrs", "networking.k8s.io/v1", "ServiceCIDR", kStatus), "conditions"));
  EXPECT_TRUE(Has(Updated("servicecidrs", "networking.k8s.io/v1", "ServiceCIDR", kStatus, "{}", ""),
                  "conditions"));
}

TEST(StrategiesTest, ATaintWithAnotherEffectIsNew) {
  constexpr std::string_view kOld = R"({"spec": {"taint": {"key": "k", "effect": "NoSchedule",
                                        "timeAdded": "2020-01-01T00:00:00Z"}}})";
  EXPECT_TRUE(Has(Updated("devicetaintrules", "resource.k8s.io/v1alpha3", "DeviceTaintRule", kOld,
                          R"({"spec": {"taint": {"key": "k", "effect": "NoExecute",
                              "timeAdded": "2020-01-01T00:00:00Z"}}})",
                          ""),
                  "2023-11-14T22:13:20Z"));
}

}  // namespace
}  // namespace skiff::apiserver

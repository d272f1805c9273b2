#include "apiserver/rest/stored_objects.h"

#include <string>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/object_output.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {
namespace {

const object::StorageDesc& StorageOf(std::string_view group, std::string_view resource) {
  return *object::FindPreferredResource(group, resource)->hub->storage;
}

// As another server may have stored it: no defaults, in whatever version.
SharedBytes Stored(std::string_view json) {
  const object::TypeMeta meta = object::PeekTypeMeta(json).value();
  return object::EncodeStorage(
      object::DecodeJson(json, object::FindKind(meta.api_version, meta.kind)).value().root());
}

std::string ReadAs(const object::StorageDesc& storage, const SharedBytes& stored) {
  const Result<SharedBytes> read = StoredObjects(storage, KindDefaults(), false, {}).Read(stored);
  if (!read) return read.error().ToString();
  return object::EncodeJson(DecodeStored(read->view(), {}).value().root());
}

bool Has(const std::string& json, std::string_view part) {
  return json.find(part) != std::string::npos;
}

TEST(StoredObjectsTest, WhatLacksNothingIsKeptAsItIs) {
  const StoredObjects claims(StorageOf("", "persistentvolumeclaims"), KindDefaults(), false, {});
  const SharedBytes first = *claims.Read(Stored(
      R"({"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"a"},"spec":{}})"));
  const Result<SharedBytes> second = claims.Read(first);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->SharesWith(first));
}

TEST(StoredObjectsTest, DefaultsAreFilledIn) {
  EXPECT_TRUE(Has(ReadAs(StorageOf("", "persistentvolumeclaims"),
                         Stored(R"({"kind":"PersistentVolumeClaim","apiVersion":"v1",
                                    "metadata":{"name":"a"},"spec":{}})")),
                  R"("phase":"Pending")"));
}

TEST(StoredObjectsTest, NamesOfOneThingAgree) {
  const std::string pod = ReadAs(StorageOf("", "pods"), Stored(R"({"kind":"Pod","apiVersion":"v1",
      "metadata":{"name":"a"},"spec":{"serviceAccountName":"x"},"status":{"podIP":"10.0.0.1"}})"));
  EXPECT_TRUE(Has(pod, R"("serviceAccount":"x")"));
  EXPECT_TRUE(Has(pod, R"("podIPs":[{"ip":"10.0.0.1"}])"));
}

TEST(StoredObjectsTest, OtherVersionsBecomeTheStoredOne) {
  const std::string deployment =
      ReadAs(StorageOf("apps", "deployments"), Stored(R"({"kind":"Deployment",
          "apiVersion":"extensions/v1beta1","metadata":{"name":"a"},"spec":{"rollbackTo":
          {"revision":3},"template":{"metadata":{"labels":{"app":"a"}}}}})"));
  EXPECT_TRUE(Has(deployment, R"("apiVersion":"apps/v1")"));
  EXPECT_TRUE(Has(deployment, R"("selector":{"matchLabels":{"app":"a"}})"));
  EXPECT_TRUE(Has(deployment, R"("revisionHistoryLimit":2147483647)"));
  EXPECT_TRUE(Has(deployment, R"("deprecated.deployment.rollback.to":"3")"));
}

TEST(StoredObjectsTest, JsonIsReadToo) {
  const StoredObjects maps(StorageOf("", "configmaps"), KindDefaults(), false, {});
  const Result<SharedBytes> read = maps.Read(SharedBytes(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"y"}})"));
  ASSERT_TRUE(read) << read.error().ToString();
  EXPECT_TRUE(object::HasProtobufPrefix(read->view()));
}

TEST(StoredObjectsTest, SaysWhyBytesAreNoObject) {
  const object::StorageDesc& maps = StorageOf("", "configmaps");
  EXPECT_TRUE(Has(ReadAs(maps, SharedBytes("k8s\0\xff")), "cannot be read"));
  EXPECT_TRUE(Has(ReadAs(maps, SharedBytes("")), "cannot be read"));
  EXPECT_TRUE(Has(ReadAs(maps, SharedBytes(R"({"kind":"Odd","apiVersion":"a.b/v9"})")),
                  "no kind \"Odd\" is registered for version \"a.b/v9\""));
  EXPECT_TRUE(Has(ReadAs(maps, Stored(R"({"kind":"Secret","apiVersion":"v1"})")),
                  "no conversion from v1 Secret"));
}

TEST(StoredObjectsTest, AResourceMayFillInMoreWhenItIsRead) {
  const ReadCompletion completion{[](object::Document& object) {
                                    object.root().Set(object.arena(), "immutable",
                                                      object::Value::Bool(true));
                                  },
                                  [](std::string_view) { return false; }};
  const StoredObjects maps(StorageOf("", "configmaps"), KindDefaults(), false, completion);
  const Result<SharedBytes> read =
      maps.Read(Stored(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(
      Has(object::EncodeJson(DecodeStored(read->view(), {})->root()), R"("immutable":true)"));
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/managed_fields/field_manager.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/managed_fields/scale_fields.h"
#include "apiserver/managed_fields/testing.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

const object::StorageDesc* StorageOf(std::string_view api_version, std::string_view resource) {
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    if (version.desc->api_version != api_version) continue;
    return version.FindResource(resource)->hub->storage;
  }
  return nullptr;
}

TEST(TrackUpdateTest, ACreatorOwnsWhatItWrites) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("creator", R"({"metadata":{"name":"c","labels":{"a":"b"}},"data":{"x":"1"}})");
  EXPECT_EQ(object.Owners(), R"(creator Update v1 at 1 {"f:data":{".":{},"f:x":{}},)"
                             R"("f:metadata":{"f:labels":{".":{},"f:a":{}}}})"
                             "\n");
}

TEST(TrackUpdateTest, AnUpdateTakesOnlyWhatItChanges) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1","y":"1"}})");
  object.SetNow(2);
  object.Update("b", R"({"metadata":{"name":"c"},"data":{"x":"1","y":"2","z":"3"}})");
  EXPECT_EQ(object.Owners(), R"(a Update v1 at 1 {"f:data":{".":{},"f:x":{}}})"
                             "\n"
                             R"(b Update v1 at 2 {"f:data":{"f:y":{},"f:z":{}}})"
                             "\n");
  object.SetNow(3);
  object.Update("c", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  EXPECT_EQ(object.Owners(), R"(a Update v1 at 1 {"f:data":{".":{},"f:x":{}}})"
                             "\n");
}

TEST(TrackUpdateTest, OwnersLoseFieldsWhateverTheirNames) {
  for (const std::string_view key : {"plain", "a/b.c-d_e", "sp ace", "\xc3\xa9", "q\"uote"}) {
    std::string name;
    for (const char c : key) name += c == '"' ? std::string("\\\"") : std::string(1, c);
    ManagedObject object("v1", "ConfigMap");
    object.Update("a", R"({"metadata":{"name":"c"},"data":{")" + name + R"(":"1","other":"1"}})");
    object.Update("b", R"({"metadata":{"name":"c"},"data":{")" + name + R"(":"2","other":"1"}})");
    EXPECT_EQ(object.Owners(), R"(a Update v1 at 1 {"f:data":{".":{},"f:other":{}}})"
                               "\n"
                               R"(b Update v1 at 1 {"f:data":{"f:)" +
                                   name + "\":{}}}\n");
  }
}

TEST(TrackUpdateTest, NoChangeLeavesTimesAndOwners) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  const std::string before = object.Owners();
  object.SetNow(9);
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  object.Update("b", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  EXPECT_EQ(object.Owners(), before);
}

TEST(TrackUpdateTest, AnEmptyListOrAnEmptyEntryClearsAll) {
  for (const std::string_view list : {"[]", "[{}]"}) {
    ManagedObject object("v1", "ConfigMap");
    object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
    object.Update("a", R"({"metadata":{"name":"c","managedFields":)" + std::string(list) +
                           R"(},"data":{"x":"2"}})");
    EXPECT_EQ(object.Owners(), "") << list;
    // And it stays so until somebody applies.
    object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"3"}})");
    EXPECT_EQ(object.Owners(), "");
    EXPECT_EQ(object.Apply("m", R"({"metadata":{"name":"c"},"data":{"y":"1"}})"), "");
    EXPECT_EQ(object.Owners(), R"(m Apply v1 at 1 {"f:data":{"f:y":{}}})"
                               "\n"
                               R"(before-first-apply Update v1 at 1 {"f:data":{".":{},"f:x":{}}})"
                               "\n");
  }
}

TEST(TrackUpdateTest, InvalidEntriesOfAClientChangeNothing) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  const std::string before = object.Owners();
  for (const std::string_view entry :
       {R"({"manager":"x","operation":"Bogus"})",
        R"({"manager":"x","operation":"Update","fieldsType":"FieldsV1"})",
        R"({"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV2"})",
        R"({"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{"bogus":{}}})"}) {
    object.Update("a", R"({"metadata":{"name":"c","managedFields":[)" + std::string(entry) +
                           R"(]},"data":{"x":"1"}})");
    EXPECT_EQ(object.Owners(), before) << entry;
  }
}

TEST(TrackUpdateTest, ValidEntriesOfAClientReplaceThoseOfTheObject) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  constexpr std::string_view kEntry =
      R"({"manager":"x","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{"f:data":{ "f:y":{}, "f:x":{} }}})";
  object.Update("a", R"({"metadata":{"name":"c","managedFields":[)" + std::string(kEntry) +
                         R"(]},"data":{"x":"1"}})");
  EXPECT_EQ(object.Owners(), R"(x Apply v1 {"f:data":{"f:x":{},"f:y":{}}})"
                             "\n");
  // But not through a subresource.
  object.Update("a", R"({"metadata":{"name":"c","managedFields":[]},"data":{"x":"1"}})", "status");
  EXPECT_NE(object.Owners(), "");
}

TEST(TrackUpdateTest, NobodyOwnsAnObjectWithItemsThatCannotBeToldApart) {
  ManagedObject object("v1", "ServiceAccount");
  object.Update("a", R"({"metadata":{"name":"s"},"secrets":[{}]})");
  EXPECT_EQ(object.Owners(), "");
}

TEST(TrackUpdateTest, TheOldestUpdatersBecomeOne) {
  ManagedObject object("v1", "ConfigMap");
  std::string data;
  for (int i = 0; i < 13; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    data += (i == 0 ? "\"" : ",\"") + key + R"(":"1")";
    object.SetNow(i + 1);
    object.Update("m" + key, R"({"metadata":{"name":"c"},"data":{)" + data + "}}");
  }
  const std::string owners = object.Owners();
  EXPECT_EQ(std::count(owners.begin(), owners.end(), '\n'), 10);
  EXPECT_TRUE(owners.starts_with(
      R"(ancient-changes Update v1 at 4 {"f:data":{".":{},"f:a":{},"f:b":{},"f:c":{},"f:d":{}}})"))
      << owners;
}

TEST(TrackUpdateTest, AnEndpointOwnsNothingThatItResets) {
  ManagedObject object("apps/v1", "Deployment");
  object.SetStorage(StorageOf("apps/v1", "deployments"));
  object.Update("a", R"({"metadata":{"name":"d"},"spec":{"replicas":1},"status":{"replicas":3}})");
  EXPECT_EQ(object.Owners().find("f:status"), std::string::npos) << object.Owners();
  object.Update("ctl", R"({"metadata":{"name":"d"},"spec":{"replicas":2},"status":{"replicas":4}})",
                "status");
  EXPECT_NE(
      object.Owners().find(R"(ctl Update apps/v1 status at 1 {"f:status":{"f:replicas":{}}})"),
      std::string::npos)
      << object.Owners();
}

TEST(TrackUpdateTest, AResizeOwnsWhateverItTriesToChange) {
  ManagedObject object("v1", "Pod");
  object.SetStorage(StorageOf("v1", "pods"));
  object.Update("a", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})");
  object.Update("r",
                R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                R"("image":"i","resources":{"limits":{"cpu":"1"}}}]}})",
                "resize");
  EXPECT_NE(object.Owners().find(
                R"(r Update v1 resize at 1 {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":)"
                R"({"f:image":{},"f:resources":{"f:limits":{".":{},"f:cpu":{}}}}}}})"),
            std::string::npos)
      << object.Owners();
}

TEST(TrackUpdateTest, ManagersOfOtherVersionsLoseWhatChangesInTheirs) {
  ManagedObject object("autoscaling/v2", "HorizontalPodAutoscaler");
  object.Update("a", R"({"metadata":{"name":"h"},"spec":{"maxReplicas":3,"minReplicas":1}})");
  constexpr std::string_view kOld =
      R"([{"manager":"old","operation":"Apply","apiVersion":"autoscaling/v1","fieldsType":)"
      R"("FieldsV1","fieldsV1":{"f:spec":{"f:maxReplicas":{},"f:minReplicas":{}}}},)"
      R"({"manager":"older","operation":"Apply","apiVersion":"autoscaling/v0","fieldsType":)"
      R"("FieldsV1","fieldsV1":{"f:spec":{"f:maxReplicas":{}}}}])";
  object.Update("a", R"({"metadata":{"name":"h","managedFields":)" + std::string(kOld) +
                         R"(},"spec":{"maxReplicas":4,"minReplicas":1}})");
  EXPECT_EQ(object.Owners(), R"(old Apply autoscaling/v1 {"f:spec":{"f:minReplicas":{}}})"
                             "\n"
                             R"(a Update autoscaling/v2 at 1 {"f:spec":{"f:maxReplicas":{}}})"
                             "\n");
}

TEST(KeepTimesOfNoChangeTest, TimesAloneAreNoChange) {
  ManagedObject object("v1", "ConfigMap");
  object.Update("a", R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  object::Document newer = object.document().Copy();
  object::Value& entry = newer.root().Find("metadata")->Find("managedFields")->items()[0];
  entry.Set(newer.arena(), "time", object::Value::Time({77, 0}));
  object::Document other = newer.Copy();
  KeepTimesOfNoChange(object.document(), newer);
  EXPECT_EQ(object::EncodeJson(newer.root()), object::EncodeJson(object.document().root()));
  other.root().Find("data")->SetEntry(other.arena(), "x", object::Value::String("2"));
  KeepTimesOfNoChange(object.document(), other);
  EXPECT_NE(object::EncodeJson(other.root()).find("1970-01-01T00:01:17Z"), std::string::npos);
}

TEST(ManagerNameTest, IsTheParameterOrTheProgram) {
  EXPECT_EQ(ManagerName("me", "kubectl/v1"), "me");
  EXPECT_EQ(ManagerName("", "kubectl/v1.36 (linux/amd64)"), "kubectl");
  EXPECT_EQ(ManagerName("", "a\x01\tb\xc3\xa9/1"), "ab\xc3\xa9");
  EXPECT_EQ(ManagerName("", ""), "unknown");
  EXPECT_EQ(ManagerName("", std::string(200, 'x')).size(), 128u);
  EXPECT_TRUE(FieldManagerFaults("fine one").empty());
  EXPECT_EQ(FieldManagerFaults(std::string(129, 'x'))[0].message,
            "Too long: may not be more than 128 bytes");
  EXPECT_EQ(FieldManagerFaults("a\nb")[0].message,
            "Invalid value: \"a\\nb\": invalid character U+000A (at position 1)");
}

TEST(ScaleFieldsTest, WhoScalesOwnsTheReplicasOfTheWorkload) {
  ManagedObject object("apps/v1", "Deployment");
  ASSERT_EQ(object.Apply("m", R"({"metadata":{"name":"d"},"spec":{"replicas":1,"paused":true}})"),
            "");
  const object::MessageDesc* scale_type = object::FindKind("autoscaling/v1", "Scale");
  object::Document current = *object::DecodeJson(
      R"({"metadata":{"name":"d","uid":"u"},"spec":{"replicas":1}})", scale_type);
  constexpr std::string_view kReplicas[] = {"spec", "replicas"};
  ManagedFieldsToScale(object.document(), kReplicas, current);
  object::Document scale = *object::DecodeJson(
      R"({"metadata":{"name":"d","uid":"u"},"spec":{"replicas":3}})", scale_type);
  TrackUpdate({"scaler", "autoscaling/v1", "scale", nullptr, {5, 0}}, current, scale);
  object::Document out = object.document().Copy();
  ManagedFieldsFromScale(scale, kReplicas, out);
  EXPECT_EQ(object::EncodeJson(*ManagedFieldsOf(out)),
            R"([{"manager":"m","operation":"Apply","apiVersion":"apps/v1",)"
            R"("time":"1970-01-01T00:00:01Z","fieldsType":"FieldsV1",)"
            R"("fieldsV1":{"f:spec":{"f:paused":{}}}},{"manager":"scaler","operation":"Update",)"
            R"("apiVersion":"apps/v1","fieldsType":"FieldsV1",)"
            R"("fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"}])");
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/tables/table_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "apiserver/tables/partial_metadata.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

constexpr object::Timestamp kNow{1'768'046'400, 0};  // 2026-01-10T12:00:00Z

std::string Stored(std::string_view json) {
  const auto meta = object::PeekTypeMeta(json);
  const auto document = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  EXPECT_TRUE(document);
  std::string out;
  object::EncodeStorage(document->root(), &out);
  return out;
}

std::string Lease(std::string_view name) {
  return Stored(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" +
                std::string(name) +
                R"(","uid":"u","creationTimestamp":"2026-01-10T11:00:00Z"},)"
                R"("spec":{"holderIdentity":"me"}})");
}

std::shared_ptr<const TableColumns> ColumnsFor(std::string_view group, std::string_view resource) {
  auto columns = TableColumns::Make(*object::FindPreferredResource(group, resource));
  EXPECT_TRUE(columns);
  return columns ? *columns : nullptr;
}

TableWriter LeaseWriter(TableWriter::Options options = {}) {
  return TableWriter(ColumnsFor("coordination.k8s.io", "leases"), std::move(options));
}

constexpr std::string_view kDefinitions =
    R"("columnDefinitions":[{"name":"Name","type":"string","format":"name","description":)"
    R"("Name of the object, unique among those of its resource and namespace.","priority":0},)"
    R"({"name":"Holder","type":"string","format":"","description":"Who holds the lease.",)"
    R"("priority":0},{"name":"Age","type":"string","format":"",)"
    R"("description":"Time since the object was created.","priority":0}])";

std::string Row(std::string_view name, std::string_view version,
                std::string_view meta = "meta.k8s.io/v1") {
  return R"({"cells":[")" + std::string(name) +
         R"(","me","60m"],"object":{"kind":"PartialObjectMetadata","apiVersion":")" +
         std::string(meta) + R"(","metadata":{"name":")" + std::string(name) +
         R"(","uid":"u","resourceVersion":")" + std::string(version) +
         R"(","creationTimestamp":"2026-01-10T11:00:00Z"}}})";
}

TEST(TableWriterTest, WritesAListRowByRowIntoABufferThatMayBeEmptiedBetween) {
  TableWriter writer = LeaseWriter();
  ByteBuffer out;
  std::string text;
  const auto take = [&] {
    text += out.view();
    out.Clear();
  };
  writer.Begin({.revision = {90}, .continue_token = "t", .remaining_item_count = 4}, out);
  take();
  for (const auto& [name, revision] : {std::pair("a", 7), std::pair("b", 8)}) {
    const std::string bytes = Lease(name);
    ASSERT_TRUE(writer.Row({bytes, store::Revision{revision}}, kNow, out));
    take();
  }
  writer.End(out);
  take();
  EXPECT_EQ(text,
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"90",)"
            R"("continue":"t","remainingItemCount":4},)" +
                std::string(kDefinitions) + ",\"rows\":[" + Row("a", "7") + "," + Row("b", "8") +
                "]}");
}

TEST(TableWriterTest, AnEmptyListHasEmptyRowsOrNullForTheDefaultColumns) {
  ByteBuffer out;
  TableWriter leases = LeaseWriter();
  leases.Begin({.revision = {3}}, out);
  leases.End(out);
  EXPECT_TRUE(out.view().ends_with(R"(,"rows":[]})")) << out.view();
  out.Clear();
  TableWriter roles(ColumnsFor("rbac.authorization.k8s.io", "roles"), {});
  roles.Begin({.revision = {3}}, out);
  roles.End(out);
  EXPECT_TRUE(out.view().ends_with(R"("description":"When the object was created.","priority":0}],)"
                                   R"("rows":null})"))
      << out.view();
}

TEST(TableWriterTest, OnlyTheFirstTableOfAWatchDefinesTheColumns) {
  TableWriter writer = LeaseWriter({.version = MetaVersion::kV1beta1});
  const std::string bytes = Lease("a");
  ByteBuffer first, second;
  ASSERT_TRUE(writer.One({bytes, store::Revision{7}}, kNow, first));
  ASSERT_TRUE(writer.One({bytes, store::Revision{8}}, kNow, second));
  const std::string head = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1",)";
  EXPECT_EQ(first.view(), head + R"("metadata":{"resourceVersion":"7"},)" +
                              std::string(kDefinitions) + ",\"rows\":[" +
                              Row("a", "7", "meta.k8s.io/v1beta1") + "]}");
  EXPECT_EQ(second.view(), head +
                               R"("metadata":{"resourceVersion":"8"},"columnDefinitions":null,)"
                               R"("rows":[)" +
                               Row("a", "8", "meta.k8s.io/v1beta1") + "]}");
}

TEST(TableWriterTest, RowsHaveNoObjectOrTheWholeOneWhenAskedFor) {
  const std::string bytes = Lease("a");
  ByteBuffer none, whole;
  TableWriter without = LeaseWriter({.include = IncludeObject::kNone});
  ASSERT_TRUE(without.One({bytes, store::Revision{7}}, kNow, none));
  EXPECT_TRUE(none.view().ends_with(R"("rows":[{"cells":["a","me","60m"],"object":null}]})"))
      << none.view();
  TableWriter with = LeaseWriter({.include = IncludeObject::kObject});
  ASSERT_TRUE(with.One({bytes, store::Revision{7}}, kNow, whole));
  EXPECT_TRUE(whole.view().ends_with(
      R"("object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a",)"
      R"("uid":"u","resourceVersion":"7","creationTimestamp":"2026-01-10T11:00:00Z"},)"
      R"("spec":{"holderIdentity":"me"}}}]})"))
      << whole.view();
}

TEST(TableWriterTest, TheWholeObjectIsWrittenByWhoeverKnowsTheVersion) {
  TableWriter writer = LeaseWriter(
      {.include = IncludeObject::kObject, .write_object = [](const ObjectBytes&, ByteBuffer& out) {
         out.Append("{\"mine\":1}");
         return Result<void>();
       }});
  ByteBuffer out;
  ASSERT_TRUE(writer.One({Lease("a"), store::Revision{7}}, kNow, out));
  EXPECT_TRUE(out.view().ends_with(R"("object":{"mine":1}}]})")) << out.view();
}

TEST(TableWriterTest, ARowThatFailsLeavesNothingBehind) {
  TableWriter writer = LeaseWriter();
  ByteBuffer out;
  const std::string bytes = Lease("a");
  const std::string broken = bytes.substr(0, bytes.size() - 8);
  EXPECT_FALSE(writer.One({broken, store::Revision{7}}, kNow, out));
  EXPECT_EQ(out.size(), 0u);
  writer.Begin({}, out);
  const size_t start = out.size();
  EXPECT_FALSE(writer.Row({broken, store::Revision{7}}, kNow, out));
  EXPECT_EQ(out.size(), start);
  ASSERT_TRUE(writer.Row({bytes, store::Revision{7}}, kNow, out));
  writer.End(out);
  EXPECT_EQ(out.view(), R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},)" +
                            std::string(kDefinitions) + ",\"rows\":[" + Row("a", "7") + "]}");
}

TEST(TableWriterTest, ABookmarkIsTheRowOfAnEmptyObject) {
  const object::ResourceDesc* const leases =
      object::FindPreferredResource("coordination.k8s.io", "leases");
  TableWriter writer = LeaseWriter({.include = IncludeObject::kNone});
  ByteBuffer plain, last;
  ASSERT_TRUE(writer.Bookmark(*leases->kind, store::Revision{5}, false, kNow, plain));
  EXPECT_TRUE(
      plain.view().ends_with(R"("rows":[{"cells":["","","\u003cunknown\u003e"],"object":null}]})"))
      << plain.view();
  ASSERT_TRUE(writer.Bookmark(*leases->kind, store::Revision{6}, true, kNow, last));
  EXPECT_EQ(last.view(),
            R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"6"},)"
            R"("columnDefinitions":null,"rows":[{"cells":["","","\u003cunknown\u003e"],"object":)"
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"
            R"({"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"true"}}}}]})");
}

TEST(TableWriterTest, ObjectsThatRestAsJsonHaveRowsToo) {
  TableWriter writer(ColumnsFor("apiregistration.k8s.io", "apiservices"), {});
  ByteBuffer out;
  const std::string json =
      R"({"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","metadata":)"
      R"({"name":"v1.a.io","uid":"u","creationTimestamp":"2026-01-10T11:00:00Z"},)"
      R"("spec":{"service":{"namespace":"n","name":"s"}},"status":{}})";
  ASSERT_TRUE(writer.One({json, store::Revision{7}}, kNow, out));
  EXPECT_TRUE(out.view().ends_with(
      R"("rows":[{"cells":["v1.a.io","n/s","Unknown","60m"],"object":)"
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"
      R"({"name":"v1.a.io","uid":"u","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-01-10T11:00:00Z"}}}]})"))
      << out.view();
}

TEST(TableWriterTest, WhatAnOlderServerStoredInAnotherLayoutIsConverted) {
  TableWriter writer(ColumnsFor("autoscaling", "horizontalpodautoscalers"),
                     {.include = IncludeObject::kNone});
  const std::string stored =
      Stored(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":)"
             R"({"name":"h"},"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"maxReplicas":3,)"
             R"("targetCPUUtilizationPercentage":50}})");
  ByteBuffer out;
  ASSERT_TRUE(writer.One({stored, store::Revision{7}}, kNow, out));
  EXPECT_TRUE(out.view().ends_with(
      R"("rows":[{"cells":["h","D/d","cpu: \u003cunknown\u003e/50%","\u003cunset\u003e",3,0,)"
      R"("\u003cunknown\u003e"],"object":null}]})"))
      << out.view();
}

TEST(TableWriterTest, EventsOfEitherGroupAreTheSameRows) {
  const std::string stored =
      Stored(R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e"},)"
             R"("regarding":{"kind":"Pod","name":"p"},"note":"n"})");
  ByteBuffer scratch, out;
  ASSERT_TRUE(ColumnsFor("events.k8s.io", "events")->AppendCells(stored, kNow, scratch, out));
  EXPECT_NE(out.view().find("pod/p"), std::string_view::npos) << out.view();
}

TEST(TableColumnsTest, EveryResourceHasColumnsWithDescriptions) {
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      const auto columns = TableColumns::Make(resource);
      ASSERT_TRUE(columns) << resource.name << ": " << columns.error().ToString();
      EXPECT_EQ((*columns)->definitions_json().find(R"("description":"")"), std::string::npos)
          << resource.name;
    }
  }
}

}  // namespace
}  // namespace skiff::apiserver

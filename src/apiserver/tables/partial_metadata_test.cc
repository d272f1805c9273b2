#include "apiserver/tables/partial_metadata.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n","uid":"u",)"
    R"("generation":2,"creationTimestamp":"2026-01-10T11:00:00Z","labels":{"a":"1"},)"
    R"("managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1",)"
    R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},"spec":{"nodeName":"x"}})";
constexpr std::string_view kMetadata =
    R"("metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"7","generation":2,)"
    R"("creationTimestamp":"2026-01-10T11:00:00Z","labels":{"a":"1"},)"
    R"("managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1",)"
    R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]}})";

std::string Stored(std::string_view json) {
  const auto meta = object::PeekTypeMeta(json);
  const auto document = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  EXPECT_TRUE(document);
  std::string out;
  object::EncodeStorage(document->root(), &out);
  return out;
}

// What a client reads from an answer in protobuf.
std::string AsJson(std::string_view bytes) {
  const auto document = object::DecodeStorage(bytes);
  return document ? object::EncodeJson(document->root()) : document.error().ToString();
}

std::string Object(std::string_view version = "meta.k8s.io/v1") {
  return R"({"kind":"PartialObjectMetadata","apiVersion":")" + std::string(version) + "\"," +
         std::string(kMetadata);
}

TEST(PartialMetadataTest, IsTheMetadataWithTheRevision) {
  const std::string stored = Stored(kPod);
  for (const std::string_view bytes : {std::string_view(stored), kPod}) {
    ByteBuffer json, beta, protobuf;
    const ObjectBytes object{bytes, store::Revision{7}};
    ASSERT_TRUE(AppendPartialMetadata(object, MetadataEncoding::kJson, MetaVersion::kV1, json));
    EXPECT_EQ(json.view(), Object());
    ASSERT_TRUE(
        AppendPartialMetadata(object, MetadataEncoding::kJson, MetaVersion::kV1beta1, beta));
    EXPECT_EQ(beta.view(), Object("meta.k8s.io/v1beta1"));
    ASSERT_TRUE(
        AppendPartialMetadata(object, MetadataEncoding::kProtobuf, MetaVersion::kV1, protobuf));
    EXPECT_EQ(AsJson(protobuf.view()), Object());
  }
}

TEST(PartialMetadataTest, WithoutARevisionTheObjectStaysAsItIs) {
  ByteBuffer out;
  ASSERT_TRUE(
      AppendPartialMetadata({Stored(kPod)}, MetadataEncoding::kJson, MetaVersion::kV1, out));
  EXPECT_EQ(out.view().find("resourceVersion"), std::string_view::npos);
}

TEST(PartialMetadataTest, MetadataIsFoundWhereverItStands) {
  const std::string stored = Stored(kPod);
  auto envelope = object::OpenProtobufEnvelope(stored);
  ASSERT_TRUE(envelope);
  // An unknown field first, and another piece of metadata at the end.
  const std::string raw = std::string("\xa2\x06\x01x", 4) + std::string(envelope->raw) +
                          std::string("\x0a\x08\x62\x06\x0a\x01\x62\x12\x01\x32", 10);
  envelope->raw = raw;
  std::string odd;
  object::AppendProtobufEnvelope(*envelope, &odd);
  ByteBuffer out;
  const ObjectBytes object{odd, store::Revision{7}};
  ASSERT_TRUE(AppendPartialMetadata(object, MetadataEncoding::kJson, MetaVersion::kV1, out));
  EXPECT_NE(out.view().find(R"("annotations":{"b":"2"})"), std::string_view::npos) << out.view();
  EXPECT_NE(out.view().find(R"("resourceVersion":"7")"), std::string_view::npos) << out.view();
  EXPECT_NE(out.view().find(R"("labels":{"a":"1"})"), std::string_view::npos) << out.view();
}

TEST(PartialMetadataTest, AnnotationsThatStandForFieldsAreNotMetadata) {
  const auto metadata = [](std::string_view kind, std::string_view annotations) {
    ByteBuffer out;
    const std::string stored =
        Stored(R"({"kind":")" + std::string(kind) + R"(","apiVersion":"apps/v1","metadata":)" +
               R"({"name":"d","annotations":{)" + std::string(annotations) + "}}}");
    const ObjectBytes object{stored, store::Revision{7}};
    EXPECT_TRUE(AppendPartialMetadata(object, MetadataEncoding::kJson, MetaVersion::kV1, out));
    return out.ToString().substr(out.view().find("\"metadata\""));
  };
  EXPECT_EQ(metadata("DaemonSet", R"("deprecated.daemonset.template.generation":"1","z":"2")"),
            R"("metadata":{"name":"d","resourceVersion":"7","annotations":{"z":"2"}}})");
  EXPECT_EQ(metadata("Deployment", R"("deprecated.deployment.rollback.to":"1")"),
            R"("metadata":{"name":"d","resourceVersion":"7"}})");
  EXPECT_EQ(metadata("ReplicaSet", R"("deprecated.deployment.rollback.to":"1")"),
            R"("metadata":{"name":"d","resourceVersion":"7",)"
            R"("annotations":{"deprecated.deployment.rollback.to":"1"}}})");
}

std::string List(MetadataEncoding encoding, MetaVersion version, int items) {
  ByteBuffer out;
  PartialMetadataListWriter writer(encoding, version);
  const std::string stored = Stored(kPod);
  for (int i = 0; i < items && writer.measures(); ++i) {
    EXPECT_TRUE(writer.Measure({stored, store::Revision{7}}));
  }
  writer.Begin({.revision = {90}, .continue_token = "t", .remaining_item_count = 3}, out);
  for (int i = 0; i < items; ++i) EXPECT_TRUE(writer.Item({stored, store::Revision{7}}, out));
  EXPECT_FALSE(writer.Item({"k8s\1", store::Revision{7}}, out));
  writer.End(out);
  return out.ToString();
}

TEST(PartialMetadataTest, ListsOfItHaveItemsThatNameTheirKind) {
  const std::string head =
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
      R"({"resourceVersion":"90","continue":"t","remainingItemCount":3},"items":)";
  EXPECT_EQ(List(MetadataEncoding::kJson, MetaVersion::kV1, 2),
            head + "[" + Object() + "," + Object() + "]}");
  EXPECT_EQ(List(MetadataEncoding::kJson, MetaVersion::kV1, 0), head + "null}");
}

TEST(PartialMetadataTest, ListsInProtobufCanBeReadBackInBothVersions) {
  const std::string head = R"("metadata":{"resourceVersion":"90","continue":"t",)"
                           R"("remainingItemCount":3},"items":[{)" +
                           std::string(kMetadata) + "]}";
  EXPECT_EQ(AsJson(List(MetadataEncoding::kProtobuf, MetaVersion::kV1, 1)),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)" + head);
  EXPECT_EQ(AsJson(List(MetadataEncoding::kProtobuf, MetaVersion::kV1beta1, 1)),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1",)" + head);
}

TEST(PartialMetadataTest, ListsInProtobufHaveTheBytesOfTheDocument) {
  for (const MetaVersion version : {MetaVersion::kV1, MetaVersion::kV1beta1}) {
    for (const int items : {0, 1, 300}) {
      const std::string list = List(MetadataEncoding::kProtobuf, version, items);
      const Result<object::Document> document = object::DecodeStorage(list);
      ASSERT_TRUE(document) << document.error().ToString();
      std::string again;
      object::EncodeStorage(document->root(), &again);
      EXPECT_EQ(list, again) << items << " items";
    }
  }
}

}  // namespace
}  // namespace skiff::apiserver

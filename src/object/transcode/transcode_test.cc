// Both transcoders against the tree: the same bytes, the same text, the same faults.
#include <gtest/gtest.h>

#include "object/json/encode.h"
#include "object/json/text.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/protobuf/shared_fields.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/transcode/protobuf_to_json.h"

namespace skiff::object {
namespace {

struct Sample {
  const char* api_version;
  const char* kind;
  const char* json;
};

class TranscodeTest : public testing::TestWithParam<Sample> {
 protected:
  const MessageDesc& type() const { return *FindKind(GetParam().api_version, GetParam().kind); }
};

TEST_P(TranscodeTest, JsonBecomesTheBytesThatTheTreeGives) {
  auto document = DecodeJson(GetParam().json, &type());
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  std::string expected;
  EncodeProtobuf(document->root(), &expected);
  ByteBuffer bytes;
  ASSERT_TRUE(JsonToProtobuf(GetParam().json, type(), bytes).has_value());
  EXPECT_EQ(bytes.view(), expected);
}

TEST_P(TranscodeTest, ProtobufBecomesTheTextThatTheTreeGives) {
  ByteBuffer bytes, json;
  ASSERT_TRUE(JsonToProtobuf(GetParam().json, type(), bytes).has_value());
  auto document = DecodeProtobuf(bytes.view(), &type());
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  ASSERT_TRUE(ProtobufToJson(bytes.view(), type(), {}, {}, json).has_value());
  EXPECT_EQ(json.view(), EncodeJson(document->root()));
}

TEST_P(TranscodeTest, AStoredObjectBecomesWhatItsBytesWithTheVersionBecome) {
  ByteBuffer bytes;
  ASSERT_TRUE(JsonToProtobuf(GetParam().json, type(), bytes).has_value());
  for (const std::string_view version : {"", "7", "123456"}) {
    ByteBuffer with_version, expected, json;
    if (version.empty()) {
      with_version.Append(bytes.view());
    } else {
      AppendWithResourceVersion(bytes.view(), version, with_version);
    }
    ASSERT_TRUE(
        ProtobufToJson(with_version.view(), type(), "v1", "K", expected, EmbeddedKinds::kNamed));
    ASSERT_TRUE(StoredToJson(bytes.view(), version, type(), "v1", "K", json));
    EXPECT_EQ(json.view(), expected.view());
  }
}

TEST(StoredToJsonTest, TheVersionGivenTakesThePlaceOfTheOneThatIsThere) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  for (const std::string_view metadata :
       {R"({"name":"a","uid":"u","resourceVersion":"3","generation":2})", R"({})",
        R"({"resourceVersion":"3"})", R"({"generation":2,"creationTimestamp":null})",
        R"({"labels":{"a":"b"},"managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]})"}) {
    const std::string text = "{\"metadata\":" + std::string(metadata) +
                             R"(,"spec":{"nodeName":"n"},"status":{"phase":"Running"}})";
    ByteBuffer bytes, with_version, expected, json;
    ASSERT_TRUE(JsonToProtobuf(text, pod, bytes).has_value());
    AppendWithResourceVersion(bytes.view(), "11", with_version);
    ASSERT_TRUE(ProtobufToJson(with_version.view(), pod, {}, {}, expected));
    ASSERT_TRUE(StoredToJson(bytes.view(), "11", pod, {}, {}, json));
    EXPECT_EQ(json.view(), expected.view());
    EXPECT_NE(json.view().find(R"("resourceVersion":"11")"), std::string_view::npos);
  }
}

TEST(StoredToJsonTest, FieldSetsThatWereCutOutAreWhereTheyWere) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  const std::string set = "{\"f:" + std::string(kMinPieceBytes, 'a') + "\":{}}";
  const std::string text =
      R"({"metadata":{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:b":{}}},)"
      R"({"manager":"n","fieldsV1":)" +
      set + R"(}]},"spec":{"nodeName":"n"}})";
  const auto document = DecodeJson(text, &pod);
  ASSERT_TRUE(document.has_value());
  std::string stored;
  EncodeStorage(document->root(), &stored);
  ByteBuffer cut;
  std::vector<SharedBytes> pieces;
  ASSERT_TRUE(CutFieldSets(
      stored, [](std::string_view each) { return SharedBytes(each); }, cut, pieces));
  for (const std::string_view version : {"", "11"}) {
    ByteBuffer expected, json;
    ASSERT_TRUE(
        StoredToJson(OpenProtobufEnvelope(stored)->raw, version, pod, "v1", "Pod", expected));
    ASSERT_TRUE(StoredToJson(OpenProtobufEnvelope(cut.view())->raw, version, pod, "v1", "Pod", json,
                             pieces));
    EXPECT_EQ(json.view(), expected.view());
    EXPECT_NE(json.view().find(set), std::string_view::npos);
  }
}

TEST(StoredToJsonTest, BytesInAnotherOrderOrWithoutMetadataGetTheVersionToo) {
  const MessageDesc& config_map = *FindKind("v1", "ConfigMap");
  ByteBuffer metadata;
  ASSERT_TRUE(JsonToProtobuf(R"({"metadata":{"name":"a"}})", config_map, metadata));
  const std::string data("\x12\x06\x0a\x01k\x12\x01v", 8);
  for (const std::string& bytes :
       {metadata.ToString() + data, data + metadata.ToString(), data, std::string()}) {
    ByteBuffer with_version, expected, json;
    AppendWithResourceVersion(bytes, "5", with_version);
    ASSERT_TRUE(ProtobufToJson(with_version.view(), config_map, "v1", "ConfigMap", expected));
    ASSERT_TRUE(StoredToJson(bytes, "5", config_map, "v1", "ConfigMap", json));
    EXPECT_EQ(json.view(), expected.view());
  }
  ByteBuffer json;
  EXPECT_FALSE(StoredToJson("\xff\xff", "5", config_map, "v1", "ConfigMap", json));
  EXPECT_TRUE(json.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Samples, TranscodeTest,
    testing::Values(
        Sample{"v1", "Pod", "{}"}, Sample{"v1", "Pod", "null"},
        Sample{"v1", "Pod", R"({"spec":{"containers":[null,{"name":"a"}]}})"},
        Sample{"v1", "Pod", R"({"metadata":{"labels":{"b":"1","a":"2"}},"spec":{"volumes":[
            {"emptyDir":{},"name":"v"}],"nodeName":"n","terminationGracePeriodSeconds":0}})"},
        Sample{"v1", "Pod", R"({"metadata":{"name":"a<b>&\"\\\n\u00e9\u2028"}})"},
        Sample{"v1", "Pod", R"({"metadata":{"name":"a","name":"b"},"spec":{"hostIPC":true},
            "metadata":{"uid":"c"}})"},
        Sample{"v1", "Secret", R"({"data":{"z":"AAEC","a":null,"b":""},"immutable":false})"},
        Sample{"v1", "Event", R"({"eventTime":"2024-01-01T00:00:00.123456Z","count":-1})"},
        Sample{"v1", "Service", R"({"spec":{"ports":[{"port":1,"targetPort":"x"},
            {"port":2,"targetPort":2},{"port":3}]}})"},
        Sample{"v1", "List", R"({"items":[{"kind": "Pod"},null,[1, 2]]})"},
        Sample{"apps/v1", "ControllerRevision", R"({"data":{"x": "< >"},"revision":5})"},
        Sample{"audit.k8s.io/v1", "Event", R"({"requestObject":{"a": 1},"level":"x"})"},
        Sample{"authorization.k8s.io/v1", "SubjectAccessReview",
               R"({"spec":{"extra":{"b":["1","2"],"a":[],"c":null}}})"},
        Sample{"autoscaling/v2", "HorizontalPodAutoscaler",
               R"({"spec":{"metrics":[{"type":"x","resource":{"name":"cpu",
                   "target":{"type":"y","averageValue":"1500m","value":0.1}}}]}})"},
        Sample{"apiextensions.k8s.io/v1", "CustomResourceDefinition",
               R"({"spec":{"versions":[{"name":"v","schema":{"openAPIV3Schema":{"maximum":1.5,
                   "items":{"type":"a"},"additionalItems":true,"additionalProperties":{},
                   "dependencies":{"q":["a"],"p":{}},"default":null,"enum":[1,"a",null]}}}]}})"},
        Sample{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
               R"({"spec":{"matchConstraints":{"resourceRules":[{"resourceNames":["a"],
                   "operations":["CREATE"],"apiGroups":[""],"scope":"*"}]}}})"}));

TEST(JsonToProtobufTest, FaultsAreThoseOfTheDecoder) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  for (const char* bad :
       {"", "[]", "{\"spec\":n}", "{\"spec\":{\"containers\":[\n{\"name\":5}]}}", "{\"spec\":[]}",
        "{\"spec\":{\"priority\":1.5}}", "{\"metadata\":{\"labels\":{\"a\":1}}}", "{} 1",
        "{\"metadata\":{\"creationTimestamp\":\"x\"}}", "{\"x\":[1,}"}) {
    ByteBuffer bytes;
    auto direct = JsonToProtobuf(bad, pod, bytes);
    ASSERT_FALSE(direct.has_value()) << bad;
    EXPECT_EQ(direct.error().ToString(), DecodeJson(bad, &pod).error().ToString());
    EXPECT_TRUE(bytes.empty());
  }
}

TEST(JsonToProtobufTest, IssuesAreThoseOfTheDecoder) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  const char* json =
      R"({"x":1,"metadata":{"labels":{"a":"1","a":"2"},"y":{}},"spec":{},"spec":{"z":0}})";
  std::vector<FieldIssue> direct, tree;
  ByteBuffer bytes;
  ASSERT_TRUE(JsonToProtobuf(json, pod, bytes, {.issues = &direct}).has_value());
  ASSERT_TRUE(DecodeJson(json, &pod, {.issues = &tree}).has_value());
  ASSERT_EQ(direct.size(), tree.size());
  for (size_t i = 0; i < tree.size(); ++i) {
    EXPECT_EQ(direct[i].ToString(), tree[i].ToString());
    EXPECT_EQ(direct[i].position.column, tree[i].position.column);
  }
}

// Field 1 of a ConfigMap is its metadata, 2 its data.
TEST(ProtobufToJsonTest, UnusualButLegalBytesGiveTheSameText) {
  const MessageDesc& config_map = *FindKind("v1", "ConfigMap");
  const std::string name = "\x0a\x03\x0a\x01n";   // metadata {name: n}
  const std::string space = "\x0a\x03\x1a\x01s";  // metadata {namespace: s}
  const std::string a =
      "\x12\x06\x0a\x01"
      "a\x12\x01"
      "1";  // data a: 1
  const std::string b =
      "\x12\x06\x0a\x01"
      "b\x12\x01"
      "2";
  const std::string unknown = "\x98\x06\x01";  // field 99
  for (const std::string& bytes :
       {a + name, b + a, a + name + b, name + space, a + a, unknown + name, name + a + unknown}) {
    ByteBuffer json;
    ASSERT_TRUE(ProtobufToJson(bytes, config_map, "v1", "ConfigMap", json).has_value());
    auto document = DecodeProtobuf(bytes, &config_map);
    ASSERT_TRUE(document.has_value());
    document->root().Set(document->arena(), "kind", Value::String("ConfigMap"));
    document->root().Set(document->arena(), "apiVersion", Value::String("v1"));
    EXPECT_EQ(json.view(), EncodeJson(document->root()));
  }
}

TEST(ProtobufToJsonTest, PointersToNothingAreNull) {
  const MessageDesc& schema = *FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
  const std::string bytes("\x42\x00\xc2\x01\x00", 5);  // default {} items {}
  ByteBuffer json;
  ASSERT_TRUE(ProtobufToJson(bytes, schema, {}, {}, json).has_value());
  EXPECT_EQ(json.view(), R"({"default":null,"items":null})");
  EXPECT_EQ(EncodeJson(DecodeProtobuf(bytes, &schema)->root()), json.view());
  // An array without items is nothing, too.
  EXPECT_EQ(EncodeJson(DecodeJson(R"({"items":[],"dependencies":{"a":[]}})", &schema)->root()),
            R"({"items":null,"dependencies":{"a":null}})");
}

TEST(ProtobufToJsonTest, BrokenBytesAreAnErrorAndLeaveNothingBehind) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  for (const std::string& bytes :
       {std::string("\x0a"),
        std::string("\x0a\x05"
                    "ab"),
        std::string("\x0a\x02\x0a\x7f"),
        std::string("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), std::string("\x0f")}) {
    ByteBuffer json;
    json.Append("before");
    EXPECT_FALSE(ProtobufToJson(bytes, pod, "v1", "Pod", json).has_value());
    EXPECT_EQ(json.view(), "before");
  }
  EXPECT_FALSE(DecodeProtobuf("\x0f", &pod).has_value());
}

TEST(ProtobufToJsonTest, FieldNumberZeroIsRefusedInEveryOrderOfFields) {
  const MessageDesc& pod = *FindKind("v1", "Pod");
  const std::string zero("\0\0", 2);
  for (const std::string& bytes : {zero, "\x0a\x02" + zero, "\x12\x02" + zero}) {
    ByteBuffer json;
    EXPECT_FALSE(ProtobufToJson(bytes, pod, {}, {}, json).has_value());
  }
}

TEST(ProtobufToJsonTest, TextsOfEveryLengthFitIntoABufferThatGrows) {
  const MessageDesc& config_map = *FindKind("v1", "ConfigMap");
  for (const std::string_view last : {"", "<", "\n", "\xc3\xa9"}) {
    for (size_t length = 0; length < 600; ++length) {
      const std::string text = std::string(length, 'x').append(last);
      std::string json = R"({"metadata":{"name":"n"},"data":{"a":)";
      ByteBuffer quoted;
      AppendJsonString(quoted, text);
      json.append(quoted.view()).append("}}");
      ByteBuffer bytes, back;
      ASSERT_TRUE(JsonToProtobuf(json, config_map, bytes).has_value());
      ASSERT_TRUE(ProtobufToJson(bytes.view(), config_map, {}, {}, back).has_value());
      EXPECT_EQ(back.view(), EncodeJson(DecodeJson(json, &config_map)->root()));
    }
  }
}

// The claim templates of a stateful set. `bytes` may be in an order that only a tree sorts out.
std::string ClaimTemplates(std::string_view bytes, EmbeddedKinds embedded) {
  ByteBuffer json;
  EXPECT_TRUE(ProtobufToJson(bytes, *FindKind("apps/v1", "StatefulSet"), {}, {}, json, embedded));
  const Result<Document> read = DecodeJson(json.view(), nullptr);
  return EncodeJson(*read->root().FindPath({"spec", "volumeClaimTemplates"}));
}

TEST(ProtobufToJsonTest, KindsInsideOfAnObjectAreNamedIfThatIsWanted) {
  const MessageDesc& set = *FindKind("apps/v1", "StatefulSet");
  const std::string json =
      R"({"metadata":{"name":"s"},"spec":{"serviceName":"s","volumeClaimTemplates":)"
      R"([{"metadata":{"name":"a"}},{"spec":{"volumeName":"v"}}]}})";
  ByteBuffer bytes;
  ASSERT_TRUE(JsonToProtobuf(json, set, bytes));
  // The same with the status before the metadata.
  const std::string out_of_order = std::string("\x1a\0", 2) + bytes.ToString();
  for (const std::string& each : {bytes.ToString(), out_of_order}) {
    const std::string plain = ClaimTemplates(each, EmbeddedKinds::kAsTheyAre);
    EXPECT_EQ(plain.find("kind"), std::string::npos);
    const std::string named = ClaimTemplates(each, EmbeddedKinds::kNamed);
    EXPECT_TRUE(named.starts_with(
        R"([{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"})"))
        << named;
    EXPECT_NE(
        named.find(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{},"spec":)"),
        std::string::npos)
        << named;
  }
  // The items of a list are no such parts.
  ByteBuffer list, back;
  const MessageDesc& pods = *FindKind("v1", "PodList");
  ASSERT_TRUE(JsonToProtobuf(R"({"items":[{"metadata":{"name":"p"}}]})", pods, list));
  ASSERT_TRUE(ProtobufToJson(list.view(), pods, {}, {}, back, EmbeddedKinds::kNamed));
  EXPECT_EQ(back.view().find("kind"), std::string_view::npos);
}

TEST(ProtobufToJsonTest, DeepNestingIsRefusedInLinearTime) {
  // spec.versions[].schema.openAPIV3Schema, then items.schema within each other.
  const MessageDesc& crd = *FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  std::string json = R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)";
  for (int i = 0; i < 200; ++i) json += "{\"not\":";
  json += "{}";
  for (int i = 0; i < 200; ++i) json += "}";
  json += "}}]}}";
  ByteBuffer bytes, back;
  ASSERT_TRUE(JsonToProtobuf(json, crd, bytes).has_value());
  ASSERT_TRUE(ProtobufToJson(bytes.view(), crd, {}, {}, back).has_value());
  EXPECT_EQ(back.view(), EncodeJson(DecodeJson(json, &crd)->root()));
}

// A schema whose text is within `depth` others.
std::string NestedSchema(std::string_view field, int depth, std::string_view text) {
  std::string json = R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)";
  for (int i = 0; i < depth; ++i) json += "{\"" + std::string(field) + "\":";
  json += "{\"description\":\"" + std::string(text) + "\"}";
  json.append(static_cast<size_t>(depth), '}');
  return json + "}}]}}";
}

TEST(TranscodeDepthTest, WhatCanBeWrittenCanBeReadAgain) {
  const MessageDesc& crd = *FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  for (const std::string_view field : {"items", "additionalProperties", "not"}) {
    const std::string json = NestedSchema(field, 500, "x");
    ByteBuffer bytes;
    auto written = JsonToProtobuf(json, crd, bytes);
    ASSERT_TRUE(written.has_value()) << written.error().ToString();
    auto document = DecodeProtobuf(bytes.view(), &crd);
    ASSERT_TRUE(document.has_value()) << field;
    std::string expected;
    EncodeProtobuf(document->root(), &expected);
    EXPECT_EQ(bytes.view(), expected);
    ByteBuffer back;
    ASSERT_TRUE(ProtobufToJson(bytes.view(), crd, {}, {}, back).has_value()) << field;
    EXPECT_EQ(back.view(), EncodeJson(document->root()));
  }
}

}  // namespace
}  // namespace skiff::object

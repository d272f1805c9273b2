#include "object/protobuf/decode.h"

#include <gtest/gtest.h>

#include "object/protobuf/encode.h"
#include "object/protobuf/test_message.h"

namespace skiff::object {
namespace {

struct Case {
  const char* name;
  const char* path;  // of the schema file
  const char* type;
  std::string bytes;
  const char* tree;
};

constexpr const char* kCore = "core/v1";
constexpr const char* kMeta = "meta/v1";
constexpr const char* kExtensions = "apiextensions.k8s.io/v1";

void ExpectTrees(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MessageDesc* type = FindMessage(c.path, c.type);
    ASSERT_NE(type, nullptr) << c.type;
    auto document = DecodeProtobuf(c.bytes, type);
    ASSERT_TRUE(document.has_value()) << document.error().ToString();
    EXPECT_EQ(ShowTree(document->root()), c.tree);
  }
}

TEST(ProtobufDecodeTest, KeepsScalarsThatSayMoreThanTheirAbsence) {
  ExpectTrees({
      {"nothing", kCore, "ContainerPort", "", "{}"},
      {"zeros", kCore, "ContainerPort", B(1, "") + V(2, 0) + V(3, 0) + B(4, "") + B(5, ""), "{}"},
      {"values", kCore, "ContainerPort", B(1, "web") + V(2, 0) + V(3, 80),
       "{name:\"web\" containerPort:80}"},
      {"pointers", kCore, "PodSecurityContext", V(2, 0) + V(3, 0),
       "{runAsUser:0 runAsNonRoot:false}"},
      {"negative", kCore, "ContainerPort", V(3, -1), "{containerPort:-1}"},
      {"int32 drops high bits", kCore, "ContainerPort", V(3, (int64_t{1} << 32) + 5),
       "{containerPort:5}"},
      {"any varint is true", kCore, "PodSecurityContext", V(3, 7), "{runAsNonRoot:true}"},
      {"double", kExtensions, "JSONSchemaProps", D(9, 1.5) + D(11, 0),
       "{maximum:1.500000 minimum:0.000000}"},
      {"empty string pointer", "coordination.k8s.io/v1", "LeaseSpec", B(1, ""),
       "{holderIdentity:\"\"}"},
  });
}

TEST(ProtobufDecodeTest, KeepsEmptyMessagesOnlyWhereTheySaySomething) {
  ExpectTrees({
      {"field", kCore, "Pod", B(1, "") + B(2, "") + B(3, ""), "{}"},
      {"field of zeros", kCore, "Pod", B(1, B(1, "") + B(8, "")), "{}"},
      {"pointer", kCore, "Pod", B(2, B(14, "")), "{spec:{securityContext:{}}}"},
      {"items", kCore, "PodStatus", B(2, "") + B(2, ""), "{conditions:[{} {}]}"},
      {"inlined", kCore, "Volume", B(1, "v") + B(2, ""), "{name:\"v\"}"},
  });
}

TEST(ProtobufDecodeTest, CollectsListsAndMaps) {
  ExpectTrees({
      {"strings", kCore, "Container", B(3, "a") + B(3, "") + B(3, "b"),
       "{command:[\"a\" \"\" \"b\"]}"},
      {"plain numbers", kCore, "PodSecurityContext", V(4, 0) + V(4, -2),
       "{supplementalGroups:[0 -2]}"},
      {"packed numbers", kCore, "PodSecurityContext",
       B(4, VarintBytes(1) + VarintBytes(300)) + V(4, 2) + B(4, VarintBytes(3)),
       "{supplementalGroups:[1 300 2 3]}"},
      {"packed nothing", kCore, "PodSecurityContext", B(4, ""), "{}"},
      {"map", kCore, "ConfigMap", B(2, B(1, "b") + B(2, "2")) + B(2, B(1, "a") + B(2, "1")),
       "{data:{\"a\":\"1\" \"b\":\"2\"}}"},
      {"the last of equal keys", kCore, "ConfigMap",
       B(2, B(1, "b") + B(2, "1")) + B(2, B(1, "a") + B(2, "2")) + B(2, B(1, "b") + B(2, "3")),
       "{data:{\"a\":\"2\" \"b\":\"3\"}}"},
      {"entries without key or value", kCore, "ConfigMap", B(2, B(1, "a")) + B(2, B(2, "x")),
       "{data:{\"\":\"x\" \"a\":\"\"}}"},
      {"entries turned around", kCore, "ConfigMap", B(2, B(2, "x") + B(1, "a")),
       "{data:{\"a\":\"x\"}}"},
      {"bytes without a value", kCore, "Secret", B(2, B(1, "a")), "{data:{\"a\":b\"\"}}"},
      {"quantities without a value", kCore, "ResourceRequirements", B(1, B(1, "cpu")),
       "{limits:{\"cpu\":\"0\"}}"},
      {"messages without a value", kExtensions, "JSONSchemaProps",
       B(29, B(1, "a")) + B(32, B(1, "b")), "{properties:{\"a\":{}} dependencies:{\"b\":null}}"},
      {"lists of strings as values", "authentication.k8s.io/v1", "UserInfo",
       B(4, B(1, "a") + B(2, B(1, "x") + B(1, "y"))) + B(4, B(1, "b")),
       "{extra:{\"a\":[\"x\" \"y\"] \"b\":[]}}"},
      {"wrapped list", kMeta, "APIResource", B(4, B(1, "get") + B(1, "list")),
       "{verbs:[\"get\" \"list\"]}"},
      {"empty wrapped list", kMeta, "APIResource", B(4, ""), "{verbs:[]}"},
      {"bytes, even empty", kCore, "Secret", B(2, B(1, "a") + B(2, "\xff")),
       "{data:{\"a\":b\"\xff\"}}"},
      {"empty bytes", "admissionregistration.k8s.io/v1", "WebhookClientConfig", B(2, ""),
       "{caBundle:b\"\"}"},
  });
}

TEST(ProtobufDecodeTest, PutsInlinedFieldsInTheirPlace) {
  ExpectTrees({
      {"volume", kCore, "Volume", B(1, "v") + B(2, B(1, B(1, "/tmp"))),
       "{name:\"v\" hostPath:{path:\"/tmp\"}}"},
      {"probe", kCore, "Probe", B(1, B(2, B(1, "/x"))) + V(2, 5),
       "{httpGet:{path:\"/x\"} initialDelaySeconds:5}"},
      {"reference", kCore, "ConfigMapVolumeSource", B(1, B(1, "c")) + V(3, 420),
       "{name:\"c\" defaultMode:420}"},
      {"in pieces", kCore, "Volume",
       B(2, B(1, B(1, "/tmp"))) + B(1, "v") + B(2, B(1, B(2, "File"))),
       "{name:\"v\" hostPath:{path:\"/tmp\" type:\"File\"}}"},
  });
}

TEST(ProtobufDecodeTest, ReadsTimesAndDurations) {
  const std::string time = V(1, 1'700'000'000) + V(2, 123'456'789);
  ExpectTrees({
      {"whole seconds", kMeta, "ObjectMeta", B(8, time), "{creationTimestamp:1700000000s0}"},
      {"zero", kMeta, "ObjectMeta", B(8, ""), "{}"},
      {"zero spelled out", kMeta, "ObjectMeta", B(8, V(1, -62'135'596'800)), "{}"},
      {"1970", kMeta, "ObjectMeta", B(8, V(1, 0)), "{creationTimestamp:0s0}"},
      {"zero pointer", kMeta, "ObjectMeta", B(9, ""), "{deletionTimestamp:zero time}"},
      {"microseconds", "coordination.k8s.io/v1", "LeaseSpec", B(3, time),
       "{acquireTime:1700000000s123456000}"},
      {"negative fraction", "coordination.k8s.io/v1", "LeaseSpec", B(3, V(1, 10) + V(2, -1500)),
       "{acquireTime:9s999999000}"},
      {"the last one, not a merger", kMeta, "ObjectMeta", B(8, V(1, 5)) + B(8, V(2, 1)),
       "{creationTimestamp:0s0}"},
      {"duration", "metrics.k8s.io/v1beta1", "NodeMetrics", B(3, V(1, 1500)), "{window:1500ns}"},
      {"zero duration", "metrics.k8s.io/v1beta1", "NodeMetrics", B(3, V(1, 0)), "{}"},
  });
}

TEST(ProtobufDecodeTest, ReadsQuantitiesAndIntOrStrings) {
  ExpectTrees({
      {"canonical", kCore, "ResourceRequirements", B(1, B(1, "m") + B(2, B(1, "1024Mi"))),
       "{limits:{\"m\":\"1Gi\"}}"},
      {"zero", "resource.k8s.io/v1", "Counter", B(1, B(1, "0")), "{}"},
      {"zero pointer", kCore, "EmptyDirVolumeSource", B(2, B(1, "0")), "{sizeLimit:\"0\"}"},
      {"number", kCore, "ServicePort", B(4, V(1, 0) + V(2, 80) + B(3, "")), "{targetPort:80}"},
      {"string", kCore, "ServicePort", B(4, V(1, 1) + V(2, 0) + B(3, "web")),
       "{targetPort:\"web\"}"},
      {"zero number", kCore, "ServicePort", B(4, V(1, 0) + V(2, 0) + B(3, "")), "{}"},
      {"empty string", kCore, "ServicePort", B(4, V(1, 1) + V(2, 0) + B(3, "")),
       "{targetPort:\"\"}"},
      {"zero pointer", "networking.k8s.io/v1", "NetworkPolicyPort", B(2, ""), "{port:0}"},
  });
}

TEST(ProtobufDecodeTest, ReadsRawJsonAndSchemaUnions) {
  ExpectTrees({
      {"compacted", kMeta, "ManagedFieldsEntry", B(7, B(1, "{ \"f:a b\" : {\n} }")),
       "{fieldsV1:<{\"f:a b\":{}}>}"},
      {"spelling kept", kExtensions, "JSONSchemaProps", B(8, B(1, "\"<\\u0041\"")),
       "{default:<\"<\\u0041\">}"},
      {"no value", kMeta, "ManagedFieldsEntry", B(7, ""), "{fieldsV1:null}"},
      {"items", kExtensions, "JSONSchemaProps", B(20, B(1, "1")) + B(20, ""), "{enum:[<1> null]}"},
      {"schema", kExtensions, "JSONSchemaProps", B(24, B(1, B(5, "string"))),
       "{items:{type:\"string\"}}"},
      {"schemas", kExtensions, "JSONSchemaProps", B(24, B(2, B(5, "string")) + B(2, "")),
       "{items:[{type:\"string\"} {}]}"},
      {"neither", kExtensions, "JSONSchemaProps", B(24, ""), "{items:null}"},
      {"bool", kExtensions, "JSONSchemaProps", B(30, V(1, 1)) + B(33, V(1, 0)),
       "{additionalProperties:true additionalItems:false}"},
      {"schema before bool", kExtensions, "JSONSchemaProps", B(30, V(1, 1) + B(2, B(5, "x"))),
       "{additionalProperties:{type:\"x\"}}"},
      {"strings", kExtensions, "JSONSchemaProps", B(32, B(1, "a") + B(2, B(2, "p") + B(2, "q"))),
       "{dependencies:{\"a\":[\"p\" \"q\"]}}"},
      {"schema in pieces", kExtensions, "JSONSchemaProps",
       B(24, B(1, B(5, "string")) + B(1, B(4, "d"))),
       "{items:{description:\"d\" type:\"string\"}}"},
  });
}

TEST(ProtobufDecodeTest, TakesFieldsInAnyOrderAndMergesPieces) {
  ExpectTrees({
      {"backwards", kCore, "ContainerPort", B(5, "h") + B(4, "TCP") + V(3, 80) + B(1, "web"),
       "{name:\"web\" containerPort:80 protocol:\"TCP\" hostIP:\"h\"}"},
      {"the last scalar", kCore, "ContainerPort", V(3, 80) + B(1, "a") + B(1, "bc") + V(3, 81),
       "{name:\"bc\" containerPort:81}"},
      {"a last zero", kCore, "ContainerPort", V(3, 80) + V(3, 0), "{}"},
      {"merged message", kCore, "Pod",
       B(1, B(1, "a") + B(3, "x")) + B(2, B(3, "Always")) + B(1, B(1, "b") + B(4, "y")),
       "{metadata:{name:\"b\" namespace:\"x\" selfLink:\"y\"} spec:{restartPolicy:\"Always\"}}"},
      {"scattered list", kCore, "Container", B(3, "a") + B(1, "n") + B(3, "b"),
       "{name:\"n\" command:[\"a\" \"b\"]}"},
      {"scattered map", kCore, "ConfigMap",
       B(2, B(1, "b") + B(2, "1")) + V(4, 1) + B(2, B(1, "a")) + B(2, B(1, "b") + B(2, "2")),
       "{immutable:true data:{\"a\":\"\" \"b\":\"2\"}}"},
      {"merged int or string", kCore, "ServicePort", B(4, V(1, 1)) + V(3, 1) + B(4, B(3, "x")),
       "{port:1 targetPort:\"x\"}"},
      {"unknown fields among them", kCore, "ContainerPort",
       V(3, 1) + B(99, "?") + B(1, "a") + V(98, 1) + V(3, 2), "{name:\"a\" containerPort:2}"},
  });
}

TEST(ProtobufDecodeTest, ReportsUnknownFieldsWithTheirPath) {
  const std::string container = B(1, "c") + V(99, 1);
  const std::string bytes =
      B(2, B(2, "") + B(2, container) + V(77, 1)) + B(1, B(11, B(1, "a") + V(3, 1))) + V(9, 1);
  std::vector<FieldIssue> issues;
  auto document = DecodeProtobuf(bytes, FindKind("v1", "Pod"), {.issues = &issues});
  ASSERT_TRUE(document.has_value());
  std::vector<std::string> paths;
  for (const FieldIssue& issue : issues) paths.push_back(issue.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"metadata.labels.#3", "spec.containers[1].#99",
                                             "spec.#77", "#9"}));
}

TEST(ProtobufDecodeTest, ListsABoundedNumberOfUnknownFields) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += V(99, 1);
  std::vector<FieldIssue> issues;
  ASSERT_TRUE(DecodeProtobuf(bytes, FindKind("v1", "Pod"), {.issues = &issues}).has_value());
  EXPECT_EQ(issues.size(), limits::kMaxFieldIssues);
}

struct BadCase {
  const char* name;
  const char* path;
  const char* type;
  std::string bytes;
  const char* error;
};

TEST(ProtobufDecodeTest, NamesTheFieldOfMalformedInput) {
  const std::string overlong(11, '\x80');
  const BadCase cases[] = {
      {"cut key", kCore, "Pod", "\x80", "the input ends in the middle of a value"},
      {"field number 0", kCore, "Pod", std::string(2, '\0'), "a field number is out of range"},
      {"cut text", kCore, "Pod", B(1, B(1, "abc").substr(0, 4)),
       "metadata.name: a length reaches beyond the end of the message"},
      {"cut item", kCore, "Pod", B(2, B(2, "") + B(2, "\x80")),
       "spec.containers[1]: the input ends in the middle of a value"},
      {"overlong varint", kCore, "ContainerPort", "\x18" + overlong,
       "containerPort: a varint is longer than ten bytes"},
      {"wrong wire type", kCore, "Pod", B(1, V(1, 5)),
       "metadata.name: field 1 has the wrong wire type 0"},
      {"wrong wire type out of order", kCore, "Pod", B(2, "") + B(1, "") + V(2, 5),
       "field 2 has the wrong wire type 0"},
      {"end of group", kCore, "Pod", "\x0c", "metadata: field 1 has the wrong wire type 4"},
      {"unknown wire type", kCore, "Pod", "\x7f", "#15: a wire type does not exist"},
      {"invalid UTF-8", kCore, "Pod", B(1, B(1, "\xc3\x28")),
       "metadata.name: the text is not valid UTF-8"},
      {"surrogate", kCore, "Pod", B(1, B(1, "long enough \xed\xa0\x80")),
       "metadata.name: the text is not valid UTF-8"},
      {"invalid UTF-8 in a key", kCore, "Pod", B(1, B(11, B(1, "\xff"))),
       "metadata.labels: the text is not valid UTF-8"},
      {"invalid UTF-8 in a value", kCore, "Pod", B(1, B(11, B(1, "a") + B(2, "\xff"))),
       "metadata.labels.a: the text is not valid UTF-8"},
      {"value of a map", kCore, "ResourceRequirements", B(1, B(1, "cpu") + V(2, 1)),
       "limits: field 2 has the wrong wire type 0"},
      {"fields", kMeta, "ManagedFieldsEntry", B(7, B(1, "{")),
       "fieldsV1: the raw value is not valid JSON"},
      {"int or string", kCore, "ServicePort", B(4, V(1, 2)),
       "targetPort: the value is neither an integer nor a string"},
      {"cut packed list", kCore, "PodSecurityContext", B(4, "\x80"),
       "supplementalGroups: the input ends in the middle of a value"},
      {"cut double", kExtensions, "JSONSchemaProps", D(9, 1).substr(0, 5),
       "maximum: the input ends in the middle of a value"},
  };
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.name);
    auto document = DecodeProtobuf(c.bytes, FindMessage(c.path, c.type));
    ASSERT_FALSE(document.has_value());
    EXPECT_EQ(document.error().ToString(), c.error);
    EXPECT_EQ(document.error().reason(), StatusReason::kBadRequest);
  }
}

TEST(ProtobufDecodeTest, RefusesBadQuantities) {
  const std::string bytes = B(1, B(1, "cpu") + B(2, B(1, "one")));
  auto document = DecodeProtobuf(bytes, FindMessage(kCore, "ResourceRequirements"));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().field(), "limits.cpu");
}

TEST(ProtobufDecodeTest, RefusesEveryTruncationOfAMessage) {
  const std::string bytes =
      B(1, B(1, "name") + B(11, B(1, "k") + B(2, "v"))) + B(2, B(2, B(1, "c") + B(3, "cmd")));
  const MessageDesc* type = FindKind("v1", "Pod");
  ASSERT_TRUE(DecodeProtobuf(bytes, type).has_value());
  const size_t metadata_size = B(1, B(1, "name") + B(11, B(1, "k") + B(2, "v"))).size();
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeProtobuf(std::string_view(bytes).substr(0, size), type).has_value(),
              size == metadata_size)
        << size;
  }
}

std::string Nested(int levels) {
  std::string bytes;
  for (int i = 0; i < levels; ++i) bytes = B(28, bytes);  // JSONSchemaProps.not
  return bytes;
}

TEST(ProtobufDecodeTest, BoundsNesting) {
  const MessageDesc* type = FindMessage(kExtensions, "JSONSchemaProps");
  EXPECT_TRUE(DecodeProtobuf(Nested(limits::kMaxDepth - 1), type).has_value());
  auto document = DecodeProtobuf(Nested(limits::kMaxDepth), type);
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().message(), "messages are nested deeper than 512 levels");
}

TEST(ProtobufDecodeTest, BoundsTheSizeOfInput) {
  const std::string bytes = B(1, B(1, std::string(100, 'x')));
  auto document = DecodeProtobuf(bytes, FindKind("v1", "Pod"), {.max_bytes = 50});
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().reason(), StatusReason::kRequestEntityTooLarge);
}

// Every level is out of order, so each is copied, and the copies hold all levels below.
TEST(ProtobufDecodeTest, BoundsTheWorkOnDisorder) {
  std::string bytes = B(4, std::string(100'000, 'x'));
  for (int i = 0; i < 100; ++i) bytes = B(28, bytes) + B(5, "t") + B(28, "") + B(4, "d");
  auto document = DecodeProtobuf(bytes, FindMessage(kExtensions, "JSONSchemaProps"));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().message(), "too much of the object is not in the order of its fields");
}

TEST(ProtobufDecodeTest, ReadsManyScatteredItemsInLinearTime) {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += B(2, B(1, std::to_string(i))) + V(4, 1);
  auto document = DecodeProtobuf(bytes, FindKind("v1", "ConfigMap"));
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root().Find("data")->size(), 200'000u);
}

TEST(ProtobufDecodeTest, TakesKindAndApiVersionFromTheOptions) {
  auto document = DecodeProtobuf("", FindKind("v1", "Pod"), {.kind = "Pod", .api_version = "v1"});
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->kind(), "Pod");
  EXPECT_EQ(document->api_version(), "v1");
}

TEST(ProtobufDecodeTest, SchemasInManyPiecesAreJoinedInLinearTime) {
  // JSONSchemaPropsOrArray.schema, a piece of it per character of the id.
  std::string pieces;
  for (int i = 0; i < 300'000; ++i) pieces += B(1, B(1, "x"));
  const MessageDesc* type = FindMessage(kExtensions, "JSONSchemaProps");
  auto document = DecodeProtobuf(B(24, pieces), type);  // ten seconds, were it quadratic
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  EXPECT_EQ(ShowTree(document->root()), "{items:{id:\"x\"}}");
}

}  // namespace
}  // namespace skiff::object

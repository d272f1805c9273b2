#include "store/cache/object_facts.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"

namespace skiff::store {
namespace {

FactsReader ReaderOf(std::string_view group, std::string_view resource) {
  return FactsReader::Make(*object::FindPreferredResource(group, resource)->hub).value();
}

std::string Stored(std::string_view api_version, std::string_view kind, std::string_view json) {
  const object::Document object =
      object::DecodeJson(json, object::FindKind(api_version, kind)).value();
  std::string out;
  object::EncodeStorage(object.root(), &out);
  return out;
}

std::string StoredPod(std::string_view json) { return Stored("v1", "Pod", json); }

// An envelope around bytes that no encoder would write.
std::string PodEnvelope(std::string_view raw) {
  std::string out;
  object::AppendProtobufEnvelope({.api_version = "v1", .kind = "Pod", .raw = raw}, &out);
  return out;
}

using Texts = std::map<std::string, std::string>;

Texts Fields(const FactsReader& reader, std::string_view bytes) {
  ObjectFacts facts;
  const auto read = reader.Read(bytes, facts);
  EXPECT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(facts.fields.size(), reader.fields().size());
  Texts out;
  for (size_t i = 0; i < facts.fields.size(); ++i) {
    out[reader.fields()[i].label] = facts.fields[i];
  }
  return out;
}

Texts Labels(const FactsReader& reader, std::string_view bytes) {
  ObjectFacts facts;
  const auto read = reader.Read(bytes, facts);
  EXPECT_TRUE(read.has_value()) << read.error().ToString();
  Texts out;
  for (const object::LabelSet::Label& label : facts.labels) {
    EXPECT_FALSE(out.contains(std::string(label.key)));
    out[std::string(label.key)] = label.value;
  }
  return out;
}

std::string ErrorOf(const FactsReader& reader, std::string_view bytes) {
  ObjectFacts facts;
  const auto read = reader.Read(bytes, facts);
  return read ? "" : read.error().message();
}

constexpr std::string_view kPodJson = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web", "tier": "front"}},
  "spec": {"nodeName": "node-1", "restartPolicy": "Always", "schedulerName": "default-scheduler",
           "serviceAccountName": "robot", "hostNetwork": true, "containers": [{"name": "c"}]},
  "status": {"phase": "Running", "podIP": "10.0.0.1", "nominatedNodeName": "node-2",
             "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}})";

const Texts kPodFields = {{"spec.nodeName", "node-1"},
                          {"spec.restartPolicy", "Always"},
                          {"spec.schedulerName", "default-scheduler"},
                          {"spec.serviceAccountName", "robot"},
                          {"spec.hostNetwork", "true"},
                          {"status.phase", "Running"},
                          {"status.podIP", "10.0.0.1"},
                          {"status.podIPs", ""},
                          {"status.nominatedNodeName", "node-2"}};

TEST(ObjectFactsTest, PodHasItsLabelsAndFields) {
  const FactsReader pods = ReaderOf("", "pods");
  const std::string bytes = StoredPod(kPodJson);
  EXPECT_EQ(Labels(pods, bytes), (Texts{{"app", "web"}, {"tier", "front"}}));
  EXPECT_EQ(Fields(pods, bytes), kPodFields);
}

TEST(ObjectFactsTest, JsonOfTheSameObjectHasTheSameFacts) {
  const FactsReader pods = ReaderOf("", "pods");
  EXPECT_EQ(Labels(pods, kPodJson), (Texts{{"app", "web"}, {"tier", "front"}}));
  EXPECT_EQ(Fields(pods, kPodJson), kPodFields);
}

TEST(ObjectFactsTest, AbsentTextsAreEmptyAndAbsentBooleansFalse) {
  const FactsReader pods = ReaderOf("", "pods");
  for (const std::string& bytes : {StoredPod("{}"), PodEnvelope(""), std::string("{}")}) {
    EXPECT_EQ(Labels(pods, bytes), Texts());
    for (const auto& [label, text] : Fields(pods, bytes)) {
      EXPECT_EQ(text, label == "spec.hostNetwork" ? "false" : "") << label;
    }
  }
}

TEST(ObjectFactsTest, ViewsStandInTheBytes) {
  const FactsReader pods = ReaderOf("", "pods");
  const std::string bytes = StoredPod(kPodJson);
  ObjectFacts facts;
  ASSERT_TRUE(pods.Read(bytes, facts).has_value());
  const std::string_view node = facts.fields[pods.FindField("spec.nodeName").value()];
  EXPECT_EQ(node, "node-1");
  EXPECT_GE(node.data(), bytes.data());
  EXPECT_LT(node.data(), bytes.data() + bytes.size());
  EXPECT_EQ(facts.copies.BytesReserved(), 0u);
}

TEST(ObjectFactsTest, NextObjectReplacesTheOneBefore) {
  const FactsReader pods = ReaderOf("", "pods");
  ObjectFacts facts;
  ASSERT_TRUE(pods.Read(kPodJson, facts).has_value());
  ASSERT_TRUE(pods.Read(StoredPod("{}"), facts).has_value());
  EXPECT_TRUE(facts.labels.empty());
  EXPECT_EQ(facts.fields[pods.FindField("spec.nodeName").value()], "");
}

TEST(ObjectFactsTest, FieldsAreFoundByLabelOrAlias) {
  const FactsReader pods = ReaderOf("", "pods");
  const size_t node = pods.FindField("spec.nodeName").value();
  EXPECT_TRUE(pods.fields()[node].trigger);
  EXPECT_TRUE(pods.fields()[node].indexed);
  EXPECT_EQ(pods.FindField("spec.host"), node);
  EXPECT_FALSE(pods.fields()[pods.FindField("status.phase").value()].trigger);
  EXPECT_EQ(pods.FindField("spec.replicas"), std::nullopt);
  // The key tells them.
  EXPECT_EQ(pods.FindField("metadata.name"), std::nullopt);
  EXPECT_EQ(pods.FindField("metadata.namespace"), std::nullopt);
}

TEST(ObjectFactsTest, NumbersAreDecimal) {
  const FactsReader jobs = ReaderOf("batch", "jobs");
  EXPECT_EQ(Fields(jobs, Stored("batch/v1", "Job", R"({"status":{"succeeded":42}})")),
            (Texts{{"status.successful", "42"}}));
  EXPECT_EQ(Fields(jobs, Stored("batch/v1", "Job", R"({"status":{"succeeded":-7}})")),
            (Texts{{"status.successful", "-7"}}));
  EXPECT_EQ(Fields(jobs, Stored("batch/v1", "Job", "{}")), (Texts{{"status.successful", "0"}}));
  EXPECT_EQ(Fields(jobs, R"({"status":{"succeeded":42}})"), (Texts{{"status.successful", "42"}}));
}

TEST(ObjectFactsTest, SourceOfAnEventFallsBackToItsReporter) {
  const FactsReader events = ReaderOf("", "events");
  const auto facts = [&](std::string_view json) {
    return Fields(events, Stored("v1", "Event", json));
  };
  EXPECT_EQ(facts(R"({"source":{"component":"kubelet"},"reportingComponent":"r"})")["source"],
            "kubelet");
  EXPECT_EQ(facts(R"({"source":{"host":"h"},"reportingComponent":"r"})")["source"], "r");
  EXPECT_EQ(facts(R"({"reportingComponent":"r"})")["reportingComponent"], "r");
  EXPECT_EQ(facts(R"({"involvedObject":{"kind":"Pod","uid":"1"}})")["involvedObject.uid"], "1");
}

TEST(ObjectFactsTest, EventsOfTheOtherGroupReadTheSameBytes) {
  const FactsReader events = ReaderOf("events.k8s.io", "events");
  Texts facts = Fields(events, Stored("v1", "Event", R"({"involvedObject":{"name":"web"},
                                                         "reportingComponent":"r"})"));
  EXPECT_EQ(facts["regarding.name"], "web");
  EXPECT_EQ(facts["reportingController"], "r");
}

TEST(ObjectFactsTest, OtherVersionsOfTheGroupMayBeAtRest) {
  const FactsReader slices = ReaderOf("resource.k8s.io", "resourceslices");
  for (const char* version :
       {"resource.k8s.io/v1", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}) {
    const std::string bytes =
        Stored(version, "ResourceSlice", R"({"spec":{"nodeName":"n","driver":"d"}})");
    EXPECT_EQ(Fields(slices, bytes), (Texts{{"spec.nodeName", "n"}, {"spec.driver", "d"}}));
  }
}

TEST(ObjectFactsTest, EveryStoredResourceHasAReader) {
  size_t readers = 0;
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      if (resource.hub->storage == nullptr) continue;
      const auto reader = FactsReader::Make(*resource.hub);
      EXPECT_TRUE(reader.has_value()) << resource.name << ": " << reader.error().ToString();
      ++readers;
    }
  }
  EXPECT_GT(readers, 50u);
}

// --- bytes that only others write

TEST(ObjectFactsTest, PiecesOfAMessageMerge) {
  const FactsReader pods = ReaderOf("", "pods");
  std::string raw;
  for (const char* json : {R"({"metadata":{"labels":{"a":"1","b":"1"}},"spec":{"nodeName":"x"},
            "status":{"podIPs":[{"ip":"1.1.1.1"}]}})",
                           R"({"metadata":{"labels":{"a":"2"}},"spec":{"nodeName":"y"},
            "status":{"podIPs":[{"ip":"2.2.2.2"}]}})"}) {
    object::EncodeProtobuf(object::DecodeJson(json, object::FindKind("v1", "Pod")).value().root(),
                           &raw);
  }
  const std::string bytes = PodEnvelope(raw);
  EXPECT_EQ(Labels(pods, bytes), (Texts{{"a", "2"}, {"b", "1"}}));
  Texts fields = Fields(pods, bytes);
  EXPECT_EQ(fields["spec.nodeName"], "y");
  EXPECT_EQ(fields["status.podIP"], "1.1.1.1");
}

TEST(ObjectFactsTest, LastOfManyEqualLabelsStays) {
  const FactsReader pods = ReaderOf("", "pods");
  std::string json = R"({"metadata":{"labels":{)";
  Texts expected;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) {
      const std::string key = "k" + std::to_string(i);
      expected[key] = std::to_string(round);
      json += (json.back() == '{' ? "\"" : ",\"") + key + "\":\"" + std::to_string(round) + "\"";
    }
  }
  EXPECT_EQ(Labels(pods, json + "}}}"), expected);
}

TEST(ObjectFactsTest, EscapedJsonStringsAreUnescaped) {
  const FactsReader pods = ReaderOf("", "pods");
  constexpr std::string_view kJson =
      R"( { "metadata" : { "labels" : { "\u0061" : "x\ty" , "n" : 1 } } ,
            "spec" : { "nodeName" : "n\u00f6de" } } )";
  EXPECT_EQ(Labels(pods, kJson), (Texts{{"a", "x\ty"}}));
  EXPECT_EQ(Fields(pods, kJson)["spec.nodeName"], "n\u00f6de");
}

TEST(ObjectFactsTest, ValuesOfOtherTypesCountAsAbsent) {
  const FactsReader pods = ReaderOf("", "pods");
  Texts fields = Fields(pods, R"({"metadata":null,"spec":{"nodeName":{"a":1},"hostNetwork":null},
                                  "status":{"phase":["x"],"podIPs":{"a":1}}})");
  EXPECT_EQ(fields["spec.nodeName"], "");
  EXPECT_EQ(fields["spec.hostNetwork"], "false");
  EXPECT_EQ(fields["status.phase"], "");
  EXPECT_EQ(fields["status.podIP"], "");
  EXPECT_EQ(Labels(pods, R"({"metadata":{"labels":[1,2]}})"), Texts());
}

TEST(ObjectFactsTest, CustomResourceHasTheFieldsThatItsDefinitionNames) {
  std::vector<object::SelectableField> selectable;
  for (const char* label : {"metadata.name", "spec.color", "spec.size", "spec.on"}) {
    selectable.emplace_back().label = label;
  }
  object::ResourceDesc resource{};
  resource.name = "shirts";
  object::StorageDesc storage{};
  storage.media = object::StorageMedia::kJson;
  object::ResourceHub hub{};
  hub.resource = &resource;
  hub.storage = &storage;
  hub.selectable = selectable;
  const FactsReader shirts = FactsReader::Make(hub).value();
  constexpr std::string_view kShirt =
      R"({"apiVersion":"example.com/v1","kind":"Shirt","metadata":{"labels":{"a":"b"}},
          "spec":{"color":"blue","size":12,"on":true,"other":{"color":"red"}}})";
  EXPECT_EQ(Fields(shirts, kShirt),
            (Texts{{"spec.color", "blue"}, {"spec.size", "12"}, {"spec.on", "true"}}));
  EXPECT_EQ(Labels(shirts, kShirt), (Texts{{"a", "b"}}));
  EXPECT_EQ(Fields(shirts, "{}"), (Texts{{"spec.color", ""}, {"spec.size", ""}, {"spec.on", ""}}));
}

// --- damage

TEST(ObjectFactsTest, EnvelopeWithoutKindOrObjectIsRefused) {
  const FactsReader pods = ReaderOf("", "pods");
  std::string without_kind;
  object::AppendProtobufEnvelope({.raw = "\x0a\0"}, &without_kind);
  EXPECT_EQ(ErrorOf(pods, without_kind), R"(stored object: "" of version "" is no kind of pods)");
  EXPECT_EQ(ErrorOf(pods, PodEnvelope("").substr(0, 4 + 2 + 2 + 2 + 2 + 3)),
            "stored object: the envelope holds none");
}

TEST(ObjectFactsTest, ForeignKindIsRefused) {
  EXPECT_EQ(ErrorOf(ReaderOf("", "pods"), Stored("v1", "Secret", "{}")),
            R"(stored object: "Secret" of version "v1" is no kind of pods)");
}

TEST(ObjectFactsTest, TruncatedBytesAreAnError) {
  const FactsReader pods = ReaderOf("", "pods");
  const std::string bytes = StoredPod(kPodJson);
  ObjectFacts facts;
  for (size_t size = 0; size < bytes.size() - 4; ++size) {
    // Behind the object there are two empty strings that may be missing.
    EXPECT_FALSE(pods.Read(bytes.substr(0, size), facts).has_value()) << size;
  }
  const std::string_view json = kPodJson;
  for (size_t size = 0; size < json.size(); ++size) {
    EXPECT_FALSE(pods.Read(json.substr(0, size), facts).has_value()) << size;
  }
}

TEST(ObjectFactsTest, DamageIsToldWithItsPlace) {
  const FactsReader pods = ReaderOf("", "pods");
  // spec (2): nodeName (10) is a varint; metadata (1): labels (11) reach beyond the end.
  EXPECT_EQ(ErrorOf(pods, PodEnvelope("\x12\x02\x50\x01")),
            "stored object: spec: a wire type does not exist");
  EXPECT_EQ(ErrorOf(pods, PodEnvelope("\x0a\x02\x5a\x09")),
            "stored object: metadata: a length reaches beyond the end of the message");
  EXPECT_EQ(ErrorOf(pods, PodEnvelope("\x0a\x09")),
            "stored object: Pod: a length reaches beyond the end of the message");
  EXPECT_EQ(ErrorOf(pods, PodEnvelope("\x12\x04\x52\x02\xff\xfe")),
            "stored object: a label or a field is not UTF-8");
  EXPECT_EQ(ErrorOf(pods, "nonsense"),
            "stored object: it begins neither like protobuf nor like a JSON object");
  EXPECT_EQ(ErrorOf(pods, R"({"metadata":{"labels":{"a":"b"})"),
            "stored object: JSON, at byte 31: expected ',' or '}' in an object");
  EXPECT_EQ(ErrorOf(pods, "{} x"), "stored object: JSON, at byte 3: something follows the object");
}

}  // namespace
}  // namespace skiff::store

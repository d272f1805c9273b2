#include "object/protobuf/wire_path.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/encode.h"

namespace skiff::object {
namespace {

using Answer = WirePath::Answer;

const MessageDesc& Kind(std::string_view api_version, std::string_view kind) {
  return *FindKind(api_version, kind);
}

std::string Bytes(const MessageDesc& type, std::string_view json) {
  const Result<Document> document = DecodeJson(json, &type);
  EXPECT_TRUE(document) << document.error().ToString();
  std::string out;
  EncodeProtobuf(document->root(), &out);
  return out;
}

Answer IsSet(const MessageDesc& type, std::string_view path, std::string_view json) {
  return WirePath::Of(&type, path).IsSet(Bytes(type, json));
}

TEST(WirePathTest, VisitsEveryItemOfListsAndMaps) {
  const MessageDesc& pod = Kind("v1", "Pod");
  const std::string bytes = Bytes(pod, R"({"spec":{"containers":[
      {"name":"a","image":"one","resources":{"limits":{"cpu":"1","memory":"2"}}},
      {"name":"b","image":"two"}]}})");
  std::string seen;
  EXPECT_TRUE(WirePath::Of(&pod, "spec.containers[*].image")
                  .ForEach(bytes, [&](const WirePath::Found& found) {
                    seen += std::string(found.bytes) + " ";
                    return true;
                  }));
  EXPECT_EQ(seen, "one two ");
  int amounts = 0;
  EXPECT_TRUE(WirePath::Of(&pod, "spec.containers[*].resources.limits[*]")
                  .ForEach(bytes, [&](const WirePath::Found&) { return ++amounts > 0; }));
  EXPECT_EQ(amounts, 2);
}

TEST(WirePathTest, StepsIntoInlinedMessages) {
  const MessageDesc& pod = Kind("v1", "Pod");
  EXPECT_EQ(IsSet(pod, "spec.volumes[*].emptyDir",
                  R"({"spec":{"volumes":[{"name":"a","emptyDir":{}}]}})"),
            Answer::kYes);
  EXPECT_EQ(IsSet(pod, "spec.volumes[*].emptyDir",
                  R"({"spec":{"volumes":[{"name":"a","emptyDir":{}},{"name":"b"}]}})"),
            Answer::kNo);
}

TEST(WirePathTest, ZeroIsSetOnlyWhereTheFieldIsAPointer) {
  const MessageDesc& deployment = Kind("apps/v1", "Deployment");
  EXPECT_EQ(IsSet(deployment, "spec.replicas", R"({"spec":{"replicas":0}})"), Answer::kYes);
  EXPECT_EQ(IsSet(deployment, "spec.replicas", R"({"spec":{}})"), Answer::kNo);
  EXPECT_EQ(IsSet(deployment, "spec.strategy.type", R"({"spec":{"strategy":{}}})"), Answer::kNo);
  EXPECT_EQ(IsSet(deployment, "spec.strategy.type", R"({"spec":{"strategy":{"type":"x"}}})"),
            Answer::kYes);
  const MessageDesc& driver = Kind("storage.k8s.io/v1", "CSIDriver");
  EXPECT_EQ(IsSet(driver, "spec.volumeLifecycleModes", R"({"spec":{}})"), Answer::kNo);
  EXPECT_EQ(
      IsSet(driver, "spec.volumeLifecycleModes", R"({"spec":{"volumeLifecycleModes":["a"]}})"),
      Answer::kYes);
}

TEST(WirePathTest, EmptyListsLackNothingInTheirItems) {
  const MessageDesc& endpoints = Kind("v1", "Endpoints");
  EXPECT_EQ(IsSet(endpoints, "subsets[*].ports[*].protocol", "{}"), Answer::kYes);
  EXPECT_EQ(
      IsSet(endpoints, "subsets[*].ports[*].protocol", R"({"subsets":[{"ports":[{"port":1}]}]})"),
      Answer::kNo);
}

TEST(WirePathTest, DamagedBytesAndMessagesInPiecesAreOdd) {
  const MessageDesc& deployment = Kind("apps/v1", "Deployment");
  const WirePath replicas = WirePath::Of(&deployment, "spec.replicas");
  const std::string bytes = Bytes(deployment, R"({"spec":{"replicas":1}})");
  EXPECT_EQ(replicas.IsSet(bytes + bytes), Answer::kOdd);
  EXPECT_EQ(replicas.IsSet(std::string_view(bytes).substr(0, bytes.size() - 1)), Answer::kOdd);
  bool odd = false;
  EXPECT_FALSE(replicas.Find(bytes + bytes, odd));
  EXPECT_TRUE(odd);
}

TEST(WirePathTest, UnknownNamesAreRefused) {
  EXPECT_FALSE(WirePath::Resolve(Kind("v1", "Pod"), "spec.nothing"));
  EXPECT_FALSE(WirePath::Resolve(Kind("v1", "Pod"), "spec.nodeName.more"));
}

}  // namespace
}  // namespace skiff::object

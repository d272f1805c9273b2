#include "apiserver/tables/field_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"

namespace skiff::apiserver {
namespace {

std::string Message(std::string_view json, const object::MessageDesc* type) {
  const auto document = object::DecodeJson(json, type);
  EXPECT_TRUE(document);
  std::string out;
  object::EncodeProtobuf(document->root(), &out);
  return out;
}

// What is left of the object, as JSON.
std::string Filtered(const object::MessageDesc* type, std::initializer_list<std::string_view> paths,
                     std::string_view json) {
  FieldFilter filter(type);
  for (const std::string_view path : paths) {
    const auto kept = filter.Keep(path);
    EXPECT_TRUE(kept) << path;
  }
  ByteBuffer out;
  if (!filter.Apply(Message(json, type), out)) return "broken";
  const auto document = object::DecodeProtobuf(out.view(), type);
  return document ? object::EncodeJson(document->root()) : document.error().ToString();
}

const object::MessageDesc* Pod() { return object::FindKind("v1", "Pod"); }

TEST(FieldFilterTest, KeepsFieldsOfItemsOfLists) {
  EXPECT_EQ(
      Filtered(Pod(), {".metadata.name", ".spec.initContainers.name"},
               R"({"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n","initContainers":)"
               R"([{"name":"a","image":"x"},{"name":"b"}]},"status":{"phase":"Running"}})"),
      R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"a","resources":{}},)"
      R"({"name":"b","resources":{}}],"containers":null},"status":{}})");
}

TEST(FieldFilterTest, KeepsHowManyThereAreOfWhatIsOnlyCounted) {
  EXPECT_EQ(Filtered(Pod(), {".spec.containers#", ".status.containerStatuses.state.running#"},
                     R"({"spec":{"containers":[{"name":"a","image":"x"},{"name":"b"}]},"status":)"
                     R"({"containerStatuses":[{"name":"a","state":{"running":{"startedAt":)"
                     R"("2026-01-10T11:00:00Z"}}}]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}},{"name":"",)"
            R"("resources":{}}]},"status":{"containerStatuses":[{"name":"","state":{"running":)"
            R"({"startedAt":null}},"lastState":{},"ready":false,"restartCount":0,"image":"",)"
            R"("imageID":""}]}})");
}

TEST(FieldFilterTest, CountsTheKeysOfMaps) {
  EXPECT_EQ(Filtered(object::FindKind("v1", "ConfigMap"), {".data#", ".metadata.labels"},
                     R"({"metadata":{"name":"x","labels":{"a":"1"}},"data":{"k":"v","l":"w"}})"),
            R"({"metadata":{"labels":{"a":"1"}},"data":{"k":"","l":""}})");
}

TEST(FieldFilterTest, FindsFieldsOfInlinedMessages) {
  EXPECT_EQ(Filtered(Pod(), {".spec.volumes.configMap.name", ".spec.volumes.name"},
                     R"({"spec":{"containers":null,"volumes":[{"name":"v","configMap":)"
                     R"({"name":"c","optional":true}}]}})"),
            R"({"metadata":{},"spec":{"volumes":[{"name":"v","configMap":{"name":"c"}}],)"
            R"("containers":null},"status":{}})");
}

TEST(FieldFilterTest, MessagesOfMoreThan127BytesKeepTheirLength) {
  std::string containers;
  for (int i = 0; i < 200; ++i) {
    containers += (i == 0 ? "" : ",") + std::string(R"({"name":"a-container","resources":{}})");
  }
  const std::string kept =
      R"({"metadata":{},"spec":{"containers":[)" + containers + R"(]},"status":{}})";
  EXPECT_EQ(Filtered(Pod(), {".spec.containers.name"}, kept), kept);
}

TEST(FieldFilterTest, RefusesPathsThatDoNotExistAndBytesThatAreBroken) {
  FieldFilter filter(Pod());
  EXPECT_FALSE(filter.Keep(".spec.container"));
  EXPECT_FALSE(filter.Keep("spec"));
  ASSERT_TRUE(filter.Keep(".spec.nodeName"));
  const std::string message = Message(R"({"spec":{"nodeName":"n"}})", Pod());
  ByteBuffer out;
  for (size_t size = 1; size < message.size(); ++size) {
    (void)filter.Apply(message.substr(0, size), out);  // must not read beyond the end
  }
  EXPECT_FALSE(filter.Apply(message.substr(0, message.size() - 1), out));
}

}  // namespace
}  // namespace skiff::apiserver

#include "load/objects.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::load {
namespace {

TEST(LoadObjectsTest, ObjectsAreJsonOfAboutTheWantedSize) {
  for (const LoadKind kind : {LoadKind::kConfigMap, LoadKind::kPod}) {
    for (const size_t bytes : {size_t{1}, size_t{4000}, size_t{16'000}, size_t{100'000}}) {
      const LoadObjects objects(kind, "ns", "run", bytes);
      const std::string json = objects.Json(7, 3);
      const auto document = object::DecodeJson(json, nullptr);
      ASSERT_TRUE(document) << document.error().message() << json;
      if (bytes >= 4000) {
        EXPECT_LE(json.size(), bytes + bytes / 50);
        EXPECT_GT(json.size(), bytes * 9 / 10);
      }
      uint64_t number = 0;
      EXPECT_TRUE(FindLoadNumber(json, number));
      EXPECT_EQ(number, 7u);
    }
  }
}

TEST(LoadObjectsTest, PathsNameTheNamespaceAndTheObject) {
  const LoadObjects objects(LoadKind::kPod, "ns", "run", 1);
  EXPECT_EQ(objects.Path(42), "/api/v1/namespaces/ns/pods/bench-0000000042");
  uint64_t number = 0;
  EXPECT_FALSE(FindLoadNumber(R"({"name":"kube-root-ca.crt"})", number));
}

TEST(LoadObjectsTest, ATemplateIsFilledIn) {
  const auto objects = LoadObjects::OfTemplate(
      CollectionPath("example.com/v1/widgets", "ns"), "ns", "r1",
      R"({"metadata":{"name":"${name}","namespace":"${namespace}","labels":{"a":"${run}"}},)"
      R"("data":{"g":"${generation}"}})");
  ASSERT_TRUE(objects) << objects.error().message();
  EXPECT_EQ(objects->Json(1, 2),
            R"({"metadata":{"name":"bench-0000000001","namespace":"ns","labels":{"a":"r1"}},)"
            R"("data":{"g":"g2"}})");
  EXPECT_EQ(objects->Path(1), "/apis/example.com/v1/namespaces/ns/widgets/bench-0000000001");
}

TEST(LoadObjectsTest, ATemplateMustBeOneThatCanBeFoundAgain) {
  for (const char* text : {"", "${name} ${namespace}", "${name} ${namespace} ${run} ${other}",
                           "${name} ${namespace} ${run} ${"})
    EXPECT_FALSE(LoadObjects::OfTemplate("/api/v1/namespaces/ns/pods", "ns", "r", text)) << text;
}

TEST(LoadObjectsTest, AResourceIsNamedByGroupVersionAndName) {
  for (const char* text : {"", "widgets", "v1/widgets", "/a/b/c", "a/v1/b?c", "a/v1/B", "a/b/c/d"})
    EXPECT_EQ(CollectionPath(text, "ns"), "") << text;
}

}  // namespace
}  // namespace skiff::load

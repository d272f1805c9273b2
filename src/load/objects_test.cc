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
      LoadKind::kConfigMap, "ns", "r1",
      R"({"metadata":{"name":"${name}","namespace":"${namespace}","labels":{"a":"${run}"}},)"
      R"("data":{"g":"${generation}"}})");
  ASSERT_TRUE(objects) << objects.error().message();
  EXPECT_EQ(objects->Json(1, 2),
            R"({"metadata":{"name":"bench-0000000001","namespace":"ns","labels":{"a":"r1"}},)"
            R"("data":{"g":"g2"}})");
}

TEST(LoadObjectsTest, ATemplateMustBeOneThatCanBeFoundAgain) {
  for (const char* text : {"", "${name} ${namespace}", "${name} ${namespace} ${run} ${other}",
                           "${name} ${namespace} ${run} ${"})
    EXPECT_FALSE(LoadObjects::OfTemplate(LoadKind::kPod, "ns", "r", text)) << text;
}

}  // namespace
}  // namespace skiff::load

#include "apiserver/extensions/json_path.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kObject = R"({
  "metadata": {"labels": {"app.kubernetes.io/name": "web"}},
  "spec": {"size": 3, "ports": [{"n": "a", "p": 1}, {"n": "b", "p": 2}, {"n": "c", "p": 3}]},
  "status": {"conditions": [{"type": "Ready", "status": "True", "count": 2},
                            {"type": "Synced", "status": "False"}]}})";

// The first value as JSON, "none", or what is wrong with the path.
std::string First(std::string_view path) {
  const Result<JsonPath> parsed = JsonPath::Parse(path);
  if (!parsed) return parsed.error().message();
  const Result<object::Document> object = object::DecodeJson(kObject, nullptr);
  const object::Value* found = parsed->First(object->root());
  return found != nullptr ? object::EncodeJson(*found) : "none";
}

TEST(JsonPathTest, FollowsFieldsAndNamesOfAnyForm) {
  EXPECT_EQ(First(".spec.size"), "3");
  EXPECT_EQ(First(".spec.none"), "none");
  EXPECT_EQ(First(".spec.size.deeper"), "none");
  EXPECT_EQ(First(R"(.metadata.labels.app\.kubernetes\.io/name)"), R"("web")");
  EXPECT_EQ(First(".metadata.labels['app.kubernetes.io/name']"), R"("web")");
  EXPECT_EQ(First(".spec['none','size']"), "3");
  EXPECT_EQ(First("..count"), "2");
}

TEST(JsonPathTest, TakesItemsByPlace) {
  EXPECT_EQ(First(".spec.ports[0].n"), R"("a")");
  EXPECT_EQ(First(".spec.ports[-1].n"), R"("c")");
  EXPECT_EQ(First(".spec.ports[7].n"), "none");
  EXPECT_EQ(First(".spec.ports[5,1].n"), R"("b")");
  EXPECT_EQ(First(".spec.ports[1:].n"), R"("b")");
  EXPECT_EQ(First(".spec.ports[:2].p"), "1");
  EXPECT_EQ(First(".spec.ports[*].p"), "1");
  EXPECT_EQ(First(".spec.size[0]"), "none");
}

TEST(JsonPathTest, FiltersItemsByWhatTheyHold) {
  EXPECT_EQ(First(R"(.status.conditions[?(@.type=="Ready")].status)"), R"("True")");
  EXPECT_EQ(First(R"(.status.conditions[?(@.type == 'Synced')].status)"), R"("False")");
  EXPECT_EQ(First(R"(.status.conditions[?(@.type!="Ready")].type)"), R"("Synced")");
  EXPECT_EQ(First(R"(.status.conditions[?(@.count)].type)"), R"("Ready")");
  EXPECT_EQ(First(R"(.status.conditions[?(@.type=="Gone")].status)"), "none");
  EXPECT_EQ(First(".spec.ports[?(@.p>1)].n"), R"("b")");
  EXPECT_EQ(First(".spec.ports[?(@.p>=3)].n"), R"("c")");
  EXPECT_EQ(First(".spec.ports[?(@.p<1)].n"), "none");
}

TEST(JsonPathTest, RefusesWhatItDoesNotUnderstand) {
  for (const std::string_view path :
       {"spec", ".", ".a[", ".a[b]", ".a[?(@.b]", ".a[?(@.b==)]", ".a['b]", ".a[1:2:0]"}) {
    EXPECT_FALSE(JsonPath::Parse(path)) << path;
  }
  EXPECT_FALSE(JsonPath::Parse("." + std::string(100'000, '.') + "a"));
}

}  // namespace
}  // namespace skiff::apiserver

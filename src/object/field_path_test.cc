#include "object/field_path.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "object/diff.h"
#include "object/testing.h"

namespace skiff::object {
namespace {

using Missing = FieldPath::Missing;
using testing::Workload;

std::string Canonical(std::string_view text) {
  auto path = FieldPath::Parse(text);
  return path ? path->ToString() : "error: " + path.error().message();
}

std::string Get(const Document& document, std::string_view path) {
  auto found = FieldPath::Parse(path).value().Get(document.root());
  if (!found) return "error: " + found.error().message();
  return *found == nullptr ? "absent" : ShortJson(**found);
}

// The document afterwards, or the error.
std::string Set(Document document, std::string_view path, Value value,
                Missing missing = Missing::kCreate) {
  const std::string before = ShortJson(document.root());
  auto set = FieldPath::Parse(path).value().Set(document, value, missing);
  if (set) return ShortJson(document.root());
  EXPECT_EQ(ShortJson(document.root()), before) << "a failed Set changed the document";
  return "error: " + set.error().message();
}

std::string Delete(Document document, std::string_view path) {
  auto deleted = FieldPath::Parse(path).value().Delete(document);
  if (!deleted) return "error: " + deleted.error().message();
  return (*deleted ? "" : "nothing: ") + ShortJson(document.root());
}

TEST(FieldPathTest, ReadsAndWritesEveryKindOfStep) {
  EXPECT_EQ(Canonical(""), "");
  EXPECT_EQ(Canonical("spec.containers[0].env[name=X].value"),
            "spec.containers[0].env[name=X].value");
  EXPECT_EQ(Canonical(".spec"), "spec");
  EXPECT_EQ(Canonical("metadata.labels['app.kubernetes.io/name']"),
            "metadata.labels['app.kubernetes.io/name']");
  EXPECT_EQ(Canonical("a[\"b\"]['c']"), "a.b.c");
  EXPECT_EQ(Canonical("a['it\\'s']"), "a['it\\'s']");
  EXPECT_EQ(Canonical("a[b='x,y',c=]"), "a[b='x,y',c=]");
  EXPECT_EQ(Canonical("['x.y'].z"), "['x.y'].z");
  EXPECT_EQ(Canonical("a['0x'=1][1]"), "a['0x'=1][1]");
  EXPECT_EQ(Canonical("a['']"), "a['']");
}

TEST(FieldPathTest, SaysWhereAPathIsWrong) {
  EXPECT_EQ(Canonical("a..b"), "error: invalid field path \"a..b\": expected a name at column 3");
  for (std::string_view bad :
       {".", "a.", "a[", "a[]", "a[b]", "a['b", "a[1", "a[1x]", "a[b=c", "a]", "a[0]b", "a.[0]",
        "a['b'x]", "a[99999999999]", "a'b'", "a[b=c,]"}) {
    EXPECT_FALSE(FieldPath::Parse(bad).has_value()) << bad;
  }
}

TEST(FieldPathTest, BoundsItsLength) {
  std::string path = "a";
  for (size_t i = 1; i < limits::kMaxFieldPathSteps; ++i) path += ".a";
  EXPECT_TRUE(FieldPath::Parse(path).has_value());
  EXPECT_FALSE(FieldPath::Parse(path + ".a").has_value());
}

TEST(FieldPathTest, GetsValues) {
  const Document document = Workload({{"metadata.labels['example.com/a']", Value::String("x")},
                                      {"spec.containers[name=web].image", Value::String("i")},
                                      {"spec.nodes[0]", Value::String("n")},
                                      {"spec.extra.deep[0].er", Value::Int(5)},
                                      {"spec.rules.r[0]", Value::String("s")}});
  EXPECT_EQ(Get(document, "metadata.labels['example.com/a']"), "\"x\"");
  EXPECT_EQ(Get(document, "spec.containers[0].image"), "\"i\"");
  EXPECT_EQ(Get(document, "spec.containers[name=web].name"), "\"web\"");
  EXPECT_EQ(Get(document, "spec.nodes[0]"), "\"n\"");
  EXPECT_EQ(Get(document, "spec.extra.deep[0].er"), "5");
  EXPECT_EQ(Get(document, "spec.rules.r[0]"), "\"s\"");
  EXPECT_EQ(Get(document, "metadata.labels.none"), "absent");
  EXPECT_EQ(Get(document, "spec.containers[7].image"), "absent");
  EXPECT_EQ(Get(document, "spec.containers[name=db].ports[0].host"), "absent");
  EXPECT_EQ(Get(document, "spec.extra.none.none"), "absent");
}

TEST(FieldPathTest, ChecksPathsAgainstTheTypeEvenWhereNothingIsSet) {
  const Document document = Workload({});
  EXPECT_EQ(Get(document, "spec.containers[0].imagee"),
            "error: spec.containers[0] has no field \"imagee\": it is a Container");
  EXPECT_EQ(Get(document, "spec[0]"), "error: spec is an object and has no item [0]");
  EXPECT_EQ(Get(document, "spec.nodes.x"), "error: spec.nodes is a list and has no member x");
  EXPECT_EQ(Get(document, "metadata.labels[0]"),
            "error: metadata.labels is a map and has no item [0]");
  EXPECT_EQ(Get(document, "spec.replicas.x"),
            "error: spec.replicas is a single value and has no member x");
  EXPECT_EQ(Get(document, "x"), "error: the document has no field \"x\": it is a Workload");
  auto error = FieldPath::Parse("spec.x").value().Get(document.root());
  EXPECT_EQ(error.error().field(), "spec");
}

TEST(FieldPathTest, SetsValuesAndMakesWhatIsMissing) {
  EXPECT_EQ(Set(Workload({}), "spec.replicas", Value::Int(3)), R"({"spec":{"replicas":3}})");
  EXPECT_EQ(Set(Workload({}), "metadata.labels['a.b']", Value::String("c")),
            R"({"metadata":{"labels":{"a.b":"c"}}})");
  EXPECT_EQ(Set(Workload({}), "spec.containers[0].image", Value::String("i")),
            R"({"spec":{"containers":[{"image":"i"}]}})");
  EXPECT_EQ(Set(Workload({}), "spec.containers[name=web].ports[port=80,protocol=TCP].host",
                Value::Int(1)),
            R"({"spec":{"containers":[{"name":"web","ports":)"
            R"([{"port":80,"protocol":"TCP","host":1}]}]}})");
  EXPECT_EQ(Set(Workload({}), "spec.extra.a[0].b", Value::Bool(true)),
            R"({"spec":{"extra":{"a":[{"b":true}]}}})");
  EXPECT_EQ(Set(Workload({}), "children[0].children[0].kind", Value::String("k")),
            R"({"children":[{"children":[{"kind":"k"}]}]})");
}

TEST(FieldPathTest, ReplacesWhatIsThere) {
  EXPECT_EQ(Set(Workload({{"spec.nodes[0]", Value::String("a")}}), "spec.nodes[0]",
                Value::String("b"), Missing::kFail),
            R"({"spec":{"nodes":["b"]}})");
  EXPECT_EQ(Set(Workload({{"spec.replicas", Value::Int(1)}}), "spec.replicas", Value::Int(2),
                Missing::kFail),
            R"({"spec":{"replicas":2}})");
}

TEST(FieldPathTest, MakesNothingUnlessAsked) {
  EXPECT_EQ(Set(Workload({}), "spec.replicas", Value::Int(1), Missing::kFail),
            "error: spec is not set");
  EXPECT_EQ(Set(Workload({{"spec.nodes", Value::EmptyList()}}), "spec.nodes[0]", Value::String("a"),
                Missing::kFail),
            "error: spec.nodes[0] is not set");
}

TEST(FieldPathTest, AFailedSetChangesNothing) {
  EXPECT_EQ(Set(Workload({}), "spec.nodes[1]", Value::String("a")),
            "error: spec.nodes has 0 items, so [1] cannot be added");
  EXPECT_EQ(Set(Workload({}), "spec.containers[nam=a].image", Value::String("a")),
            "error: spec.containers has items without a field \"nam\"");
  EXPECT_EQ(Set(Workload({}), "spec.containers[name=a].ports[port=x].host", Value::Int(1)),
            "error: spec.containers[name=a].ports cannot get such an item: the key \"x\" must be "
            "an integer");
  EXPECT_EQ(Set(Workload({}), "spec.nodes[name=a]", Value::String("a")),
            "error: spec.nodes has items without keys");
}

TEST(FieldPathTest, ChecksTheTypeOfWhatIsSet) {
  EXPECT_EQ(Set(Workload({}), "spec.replicas", Value::String("1")),
            "error: spec.replicas must be a 32-bit integer");
  EXPECT_EQ(Set(Workload({}), "spec.replicas", Value::Int(int64_t{1} << 40)),
            "error: spec.replicas must be a 32-bit integer");
  EXPECT_EQ(Set(Workload({}), "spec.nodes", Value::EmptyMap()), "error: spec.nodes must be a list");
  EXPECT_EQ(Set(Workload({}), "spec", Value::EmptyMap()), "error: spec must be a Spec");
  EXPECT_EQ(Set(Workload({}), "spec.limits.cpu", Value::String("much")),
            "error: spec.limits.cpu must be a quantity");
  EXPECT_EQ(Set(Workload({}), "spec.limits.cpu", Value::String("1000m")),
            R"({"spec":{"limits":{"cpu":"1"}}})");
  EXPECT_EQ(Set(Workload({}), "spec.ratio", Value::Int(2)), R"({"spec":{"ratio":2}})");
  EXPECT_EQ(Set(Workload({}), "spec.port", Value::String("http")), R"({"spec":{"port":"http"}})");
}

TEST(FieldPathTest, SettingNullTakesATypedFieldAway) {
  EXPECT_EQ(Set(Workload({{"spec.replicas", Value::Int(1)}}), "spec.replicas", Value()),
            R"({"spec":{}})");
  EXPECT_EQ(Set(Workload({}), "spec.extra.a", Value()), R"({"spec":{"extra":{"a":null}}})");
}

TEST(FieldPathTest, DeletesMembersEntriesAndItems) {
  EXPECT_EQ(Delete(Workload({{"spec.replicas", Value::Int(1)}}), "spec.replicas"),
            R"({"spec":{}})");
  EXPECT_EQ(Delete(Workload({{"metadata.labels.a", Value::String("b")}}), "metadata.labels.a"),
            R"({"metadata":{"labels":{}}})");
  EXPECT_EQ(Delete(Workload({{"spec.containers[name=a].image", Value::String("x")},
                             {"spec.containers[name=b].image", Value::String("y")}}),
                   "spec.containers[name=a]"),
            R"({"spec":{"containers":[{"name":"b","image":"y"}]}})");
  EXPECT_EQ(Delete(Workload({}), "spec.containers[3].image"), "nothing: {}");
  EXPECT_EQ(Delete(Workload({}), "spec.nope"), "error: spec has no field \"nope\": it is a Spec");
  EXPECT_EQ(Delete(Workload({}), ""), "error: the empty path cannot be deleted");
}

TEST(FieldPathTest, WorksOnUntypedDocuments) {
  Document document;
  document.root() = Value::EmptyMap();
  ASSERT_TRUE(FieldPath::Parse("spec.items[name=a].value")
                  .value()
                  .Set(document, Value::Int(1), Missing::kCreate));
  EXPECT_EQ(ShortJson(document.root()), R"({"spec":{"items":[{"name":"a","value":1}]}})");
  EXPECT_EQ(Get(document, "spec.items[name=a].value"), "1");
  EXPECT_EQ(Get(document, "spec.items.x"), "error: spec.items is a list and has no member x");
}

}  // namespace
}  // namespace skiff::object

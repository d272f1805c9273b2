#include "object/fields/new_fields.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "object/fields/compare.h"
#include "object/fields/testing.h"

namespace skiff::object {
namespace {

constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"p","labels":{"b":"1","a\"\\\n":"2"},"annotations":{},
    "ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u2"},
                       {"apiVersion":"v1","kind":"Node","name":"m","uid":"u1"}],
    "finalizers":["z.io/z","a.io/a"]},
  "spec":{"restartPolicy":"Always","nodeSelector":{"disk":"fast"},"hostNetwork":false,
    "terminationGracePeriodSeconds":0,"securityContext":{},
    "containers":[
      {"name":"web","image":"nginx","ports":[{"containerPort":443,"protocol":"TCP"},
        {"containerPort":80,"protocol":"TCP","name":"http"},{"containerPort":53,"protocol":"UDP"}],
       "env":[{"name":"B","value":"1"},{"name":"A"}],
       "resources":{"limits":{"cpu":"1","memory":"1Gi"}},
       "livenessProbe":{"httpGet":{"path":"/","port":"http"}}},
      {"name":"log","command":["a","b"],"securityContext":{"capabilities":{"drop":["ALL"]}}}],
    "tolerations":[{"key":"x","operator":"Exists"}],
    "volumes":[{"name":"v","emptyDir":{}},{"name":"c","configMap":{"name":"cm"}}]},
  "status":{"phase":"Pending","conditions":[{"type":"Ready","status":"True"}]}})";

class NewFieldsTest : public ::testing::Test {
 protected:
  // What comparing the object with an empty one gives.
  std::string Compared(const Document& object) {
    const FieldChanges changes =
        CompareFields(arena_, FieldShape::OfMessage(object.type()),
                      Document::OfType(object.type()).root(), object.root());
    const FieldSet set =
        Difference(arena_, Union(arena_, changes.added, changes.modified), exceptions_.unowned);
    return TextOf(RecursiveDifference(arena_, set, exceptions_.reset));
  }
  // "unusual" if it is left to the comparison.
  std::string Written(const Document& object) {
    ByteBuffer out;
    if (!AppendFieldsOfNew(arena_, out, object.root(), exceptions_)) return "unusual";
    return std::string(out.view());
  }

  Arena arena_;
  FieldExceptions exceptions_;
};

TEST_F(NewFieldsTest, WritesWhatAComparisonWithAnEmptyObjectFinds) {
  const Document pod = Typed("v1", "Pod", kPod);
  EXPECT_EQ(Written(pod), Compared(pod));
}

TEST_F(NewFieldsTest, LeavesOutWhatNobodyOwns) {
  exceptions_.unowned = SetOf(
      arena_, R"({"f:apiVersion":{},"f:kind":{},"f:metadata":{".":{},"f:name":{},"f:labels":{}}})");
  exceptions_.reset = SetOf(arena_, R"({"f:status":{},"f:spec":{"f:containers":{}}})");
  const Document pod = Typed("v1", "Pod", kPod);
  EXPECT_EQ(Written(pod), Compared(pod));
  const Document bare = Typed("v1", "Pod", R"({"metadata":{"name":"p"},"status":{"phase":"X"}})");
  EXPECT_EQ(Written(bare), "{}");
}

TEST_F(NewFieldsTest, AStepWhoseContentIsAllExceptedIsAMemberAlone) {
  exceptions_.reset = SetOf(arena_, R"({"f:spec":{"f:nodeSelector":{"f:disk":{}}}})");
  const Document pod = Typed("v1", "Pod", R"({"spec":{"nodeSelector":{"disk":"fast"}}})");
  EXPECT_EQ(Written(pod), R"({"f:spec":{"f:nodeSelector":{}}})");
}

TEST_F(NewFieldsTest, AtomicStructsAreOwnedAsOne) {
  const Document scaler = Typed("autoscaling/v1", "HorizontalPodAutoscaler",
                                R"({"spec":{"scaleTargetRef":{"kind":"D","name":"d"}}})");
  EXPECT_EQ(Written(scaler), R"({"f:spec":{"f:scaleTargetRef":{}}})");
}

TEST_F(NewFieldsTest, ItemsThatCannotBeToldApartAreLeftToTheComparison) {
  EXPECT_EQ(Written(Typed("v1", "Pod", R"({"spec":{"containers":[{"name":"a"},{"name":"a"}]}})")),
            "unusual");
  EXPECT_EQ(Written(Typed("v1", "Pod", R"({"metadata":{"finalizers":["b","a","b"]}})")), "unusual");
}

// Takes random members and items out of a value.
void Thin(Value& value, Random& random) {
  if (value.is_object()) {
    for (size_t i = value.members().size(); i-- > 0;) {
      if (random.Next() % 5 == 0) {
        value.EraseMember(value.members()[i].field());
      } else {
        Thin(value.members()[i], random);
      }
    }
  } else if (value.is_list()) {
    for (size_t i = value.size(); i-- > 0;) {
      if (random.Next() % 5 == 0) {
        value.EraseItem(i);
      } else {
        Thin(value.items()[i], random);
      }
    }
  }
}

TEST_F(NewFieldsTest, AgreesWithTheComparisonOnRandomParts) {
  SeededRandom random(1);
  int usual = 0;
  for (int round = 0; round < 500; ++round) {
    Document pod = Typed("v1", "Pod", kPod);
    Thin(pod.root(), random);
    const std::string written = Written(pod);
    if (written == "unusual") continue;
    ++usual;
    ASSERT_EQ(written, Compared(pod)) << round;
  }
  EXPECT_GT(usual, 100);
}

}  // namespace
}  // namespace skiff::object

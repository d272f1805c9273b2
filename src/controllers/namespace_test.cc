#include "controllers/namespace.h"

#include "controllers/deletion_testing.h"
#include "object/json/encode.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const client::ApiResource& Namespaces() { return client::BuiltIn("", "v1", "namespaces"); }
const client::ApiResource& Pods() { return client::BuiltIn("", "v1", "pods"); }

class NamespaceControllerTest : public DeletionTest {
 protected:
  NamespaceControllerTest() {
    api_.objects().AddCustom(Widgets());
    api_.objects().Put(Namespaces(), R"({"metadata":{"name":"ns"},
        "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})");
  }
  void Start() { Run(MakeNamespaceController); }
  void DeleteNamespace() { ASSERT_TRUE(Delete(Namespaces(), "ns")); }
  client::ObjectPtr Namespace() { return Find(Namespaces(), "ns"); }

  void PutPod(const std::string& name, int grace_seconds, const std::string& finalizer = {}) {
    std::string metadata = R"("name":")" + name + R"(","namespace":"ns")";
    if (!finalizer.empty()) metadata += R"(,"finalizers":[")" + finalizer + "\"]";
    api_.objects().Put(Pods(), "{\"metadata\":{" + metadata +
                                   R"(},"spec":{"nodeName":"n","terminationGracePeriodSeconds":)" +
                                   std::to_string(grace_seconds) +
                                   R"(},"status":{"phase":"Running"}})");
  }
  // "True SomeResourcesRemain Some resources …", or "" when there is no such condition.
  std::string Condition(std::string_view type) {
    const client::ObjectPtr object = Namespace();
    if (object == nullptr) return "no namespace";
    const views::core_v1::Namespace view(*object);
    for (const views::core_v1::NamespaceCondition each : view.status().conditions()) {
      if (each.type() != type) continue;
      return std::string(each.status()) + " " + std::string(each.reason()) + " " +
             std::string(each.message());
    }
    return "";
  }
};

TEST_F(NamespaceControllerTest, LeavesNamespacesAloneThatAreNotDeleted) {
  Put(ConfigMaps(), {.name_space = "ns", .name = "a"});
  Start();
  Pass(minutes(30));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDeleteCollection), 0U);
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kUpdate), 0U);
  EXPECT_NE(Find(ConfigMaps(), "a", "ns"), nullptr);
}

TEST_F(NamespaceControllerTest, DeletesAllContentsAndThenTheNamespace) {
  for (int i = 0; i < 3000; ++i) {
    Put(ConfigMaps(), {.name_space = "ns", .name = "c" + std::to_string(i)});
  }
  Put(Widgets(), {.name_space = "ns", .name = "w"});
  Put(ConfigMaps(), {.name_space = "other", .name = "stays"});
  Start();
  DeleteNamespace();
  Pass(seconds(4));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDeleteCollection), 0U) << "others may not know yet";
  Pass(seconds(6));
  EXPECT_EQ(Namespace(), nullptr);
  EXPECT_EQ(api_.objects().All(ConfigMaps(), "ns").size(), 0U);
  EXPECT_EQ(Find(Widgets(), "w", "ns"), nullptr);
  EXPECT_NE(Find(ConfigMaps(), "stays", "other"), nullptr);
  EXPECT_TRUE(controller_->idle());
}

TEST_F(NamespaceControllerTest, SeesToNamespacesThatWereDeletedBeforeItBegan) {
  DeleteNamespace();
  Start();
  Pass(seconds(10));
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, PodsGoFirstAndTheRestWaitsForThem) {
  PutPod("p", 60, "example.com/hold");
  Put(ConfigMaps(), {.name_space = "ns", .name = "needed"});
  Start();
  DeleteNamespace();
  Pass(seconds(20));
  ASSERT_NE(Find(Pods(), "p", "ns"), nullptr);
  EXPECT_TRUE(client::IsDeleting(*Find(Pods(), "p", "ns")));
  EXPECT_NE(Find(ConfigMaps(), "needed", "ns"), nullptr);
  EXPECT_EQ(Condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain Some resources are remaining: pods. has 1 resource "
            "instances");
  EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain Some content in the namespace has finalizers remaining: "
            "example.com/hold in 1 resource instances");

  api_.objects().Remove(Pods(), {.name_space = "ns", .name = "p"});
  Pass(minutes(2));
  EXPECT_EQ(Namespace(), nullptr);
  EXPECT_EQ(Find(ConfigMaps(), "needed", "ns"), nullptr);
}

TEST_F(NamespaceControllerTest, ComesBackAfterHalfTheGraceOfPods) {
  PutPod("p", 60);
  Start();
  DeleteNamespace();
  Pass(seconds(12));  // the status that was written brings it back once more
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDeleteCollection, "pods"), 2U);
  api_.ForgetCalls();
  Pass(seconds(28));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDeleteCollection, "pods"), 0U);
  Pass(seconds(2));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDeleteCollection, "pods"), 1U);
}

TEST_F(NamespaceControllerTest, PodsThatOutstayTheirGraceAreAFailure) {
  PutPod("p", 30);
  Start();
  DeleteNamespace();
  Pass(minutes(3));
  EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed Failed to delete all resource types, 1 remaining: "
            "unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods");
}

TEST_F(NamespaceControllerTest, SaysWhichFinalizersItWaitsFor) {
  Put(ConfigMaps(), {.name_space = "ns", .name = "a", .finalizer = "example.com/x"});
  Put(ConfigMaps(), {.name_space = "ns", .name = "b", .finalizer = "example.com/y"});
  Put(Widgets(), {.name_space = "ns", .name = "w", .finalizer = "example.com/x"});
  Start();
  DeleteNamespace();
  Pass(minutes(1));
  EXPECT_EQ(Condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain Some resources are remaining: configmaps. has 2 resource "
            "instances, widgets.example.com has 1 resource instances");
  EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain Some content in the namespace has finalizers remaining: "
            "example.com/x in 2 resource instances, example.com/y in 1 resource instances");
  EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
            "False ContentDeleted All content successfully deleted, may be waiting on "
            "finalization");
  EXPECT_EQ(Condition("NamespaceDeletionDiscoveryFailure"),
            "False ResourcesDiscovered All resources successfully discovered");
  EXPECT_EQ(Condition("NamespaceDeletionGroupVersionParsingFailure"),
            "False ParsedGroupVersions All legacy kube types successfully parsed");
  for (const char* name : {"a", "b"}) {
    api_.objects().Remove(ConfigMaps(), {.name_space = "ns", .name = name});
  }
  api_.objects().Remove(Widgets(), {.name_space = "ns", .name = "w"});
  Pass(seconds(20));
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, AGroupThatDoesNotAnswerKeepsTheNamespaceAndIsNamed) {
  Put(ConfigMaps(), {.name_space = "ns", .name = "a"});
  api_.objects().SetUnavailable({"metrics.k8s.io/v1beta1"});
  Start();
  DeleteNamespace();
  Pass(minutes(5));
  EXPECT_EQ(Find(ConfigMaps(), "a", "ns"), nullptr);
  EXPECT_EQ(Condition("NamespaceDeletionDiscoveryFailure"),
            "True DiscoveryFailed Discovery failed for some groups, 1 failing: unable to retrieve "
            "the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion "
            "discovery: metrics.k8s.io/v1beta1");
  api_.objects().SetUnavailable({});
  Pass(minutes(2));
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, ResourcesThatCannotBeDeletedAreNamedAndTheOthersGo) {
  Put(ConfigMaps(), {.name_space = "ns", .name = "a"});
  Put(Secrets(), {.name_space = "ns", .name = "s"});
  api_.Fail({.verb = client::ClientVerb::kDeleteCollection,
             .resource = "configmaps",
             .times = -1,
             .status = Status(StatusReason::kForbidden, "not you")});
  Start();
  DeleteNamespace();
  Pass(minutes(1));
  EXPECT_EQ(Find(Secrets(), "s", "ns"), nullptr);
  EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed Failed to delete all resource types, 1 remaining: not you");
  api_.StopFailing();
  Pass(minutes(2));
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, WithoutDeleteCollectionEachObjectIsDeleted) {
  for (int i = 0; i < 1500; ++i) {
    Put(ConfigMaps(), {.name_space = "ns", .name = "c" + std::to_string(i)});
  }
  api_.Fail({.verb = client::ClientVerb::kDeleteCollection,
             .resource = "configmaps",
             .times = -1,
             .status = Status(StatusReason::kMethodNotAllowed, "no such verb")});
  Start();
  api_.SetDelay(std::chrono::milliseconds(10));
  DeleteNamespace();
  Pass(seconds(10));
  EXPECT_EQ(api_.CountOf(client::ClientVerb::kDelete, "configmaps"), 1500U);
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, OthersWhoWriteTheNamespaceMeanwhileAreNoHindrance) {
  Start();
  api_.Fail({.verb = client::ClientVerb::kUpdate,
             .resource = "namespaces",
             .times = 4,
             .status = Status(StatusReason::kConflict, "somebody was faster")});
  DeleteNamespace();
  Pass(seconds(10));
  EXPECT_EQ(Namespace(), nullptr);
}

TEST_F(NamespaceControllerTest, OtherFinalizersOfTheNamespaceStay) {
  api_.objects().Put(Namespaces(), R"({"metadata":{"name":"ns"},
      "spec":{"finalizers":["z.example.com/z","kubernetes","a.example.com/a"]},
      "status":{"phase":"Active"}})");
  Start();
  DeleteNamespace();
  Pass(minutes(1));
  ASSERT_NE(Namespace(), nullptr);
  const object::Value* finalizers = Namespace()->root().FindPath({"spec", "finalizers"});
  ASSERT_NE(finalizers, nullptr);
  EXPECT_EQ(object::EncodeJson(*finalizers), R"(["a.example.com/a","z.example.com/z"])");
}

TEST_F(NamespaceControllerTest, ManyNamespacesGoTogetherThroughFailures) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = "many" + std::to_string(i);
    api_.objects().Put(Namespaces(), R"({"metadata":{"name":")" + name +
                                         R"("},"spec":{"finalizers":["kubernetes"]}})");
    for (int object = 0; object < 20; ++object) {
      Put(ConfigMaps(), {.name_space = name, .name = "c" + std::to_string(object)});
    }
  }
  Start();
  api_.Fail({.times = 200, .status = Status(StatusReason::kServerTimeout, "lost")});
  api_.SetDelay(std::chrono::milliseconds(1));
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Delete(Namespaces(), "many" + std::to_string(i)));
  }
  Pass(minutes(10));
  EXPECT_EQ(api_.objects().All(Namespaces()).size(), 1U);
  EXPECT_EQ(api_.objects().All(ConfigMaps()).size(), 0U);
}

}  // namespace
}  // namespace skiff::controllers

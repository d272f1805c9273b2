#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"

namespace skiff::apiserver {
namespace {

using testing::Asked;

class NamespacePluginsTest : public testing::PluginTest {
 protected:
  void SetUp() override {
    PluginTest::SetUp();
    Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"going"},
            "status":{"phase":"Terminating"}})");
  }
  static Asked ConfigMap(AdmissionOperation operation, const std::string& name_space) {
    Asked out{.operation = operation, .resource = "configmaps", .name_space = name_space};
    const std::string object = R"({"metadata":{"name":"x"}})";
    if (operation != AdmissionOperation::kDelete) out.object = object;
    if (operation != AdmissionOperation::kCreate) out.old = object;
    return out;
  }
  static Asked DeletionOf(const std::string& name) {
    return {.operation = AdmissionOperation::kDelete,
            .resource = "namespaces",
            .name_space = name,
            .name = name,
            .old = R"({"metadata":{}})"};
  }
};

TEST_F(NamespacePluginsTest, LifecycleAllowsWritesInNamespacesThatAreThere) {
  Make(MakeNamespaceLifecycle);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kUpdate, "ns")), "");
  EXPECT_EQ(Ask({.resource = "nodes", .name_space = "", .object = R"({"metadata":{}})"}), "");
}

TEST_F(NamespacePluginsTest, LifecycleMissesANamespaceAndSaysWhatToWaitFor) {
  Make(MakeNamespaceLifecycle);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "none")), "namespaces \"none\" not found");
  EXPECT_EQ(status_->reason(), StatusReason::kNotFound);
  EXPECT_EQ(awaited_.name, "none");
  EXPECT_NE(awaited_.storage, nullptr);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kUpdate, "none")), "namespaces \"none\" not found");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kDelete, "none")), "");
}

TEST_F(NamespacePluginsTest, LifecycleLetsNothingNewIntoANamespaceThatGoes) {
  Make(MakeNamespaceLifecycle);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "going")),
            "configmaps \"x\" is forbidden: unable to create new content in namespace going "
            "because it is being terminated");
  ASSERT_EQ(status_->causes().size(), 1U);
  EXPECT_EQ(status_->causes()[0].reason, "NamespaceTerminating");
  EXPECT_EQ(status_->causes()[0].field, "metadata.namespace");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kUpdate, "going")), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kDelete, "going")), "");
  EXPECT_EQ(Ask({.resource = "authorization.k8s.io/localsubjectaccessreviews",
                 .name_space = "going",
                 .object = R"({"metadata":{}})"}),
            "");
}

TEST_F(NamespacePluginsTest, LifecycleLooksOnceMoreAtANamespaceWhoseDeletionTheCacheMayNotKnow) {
  Make(MakeNamespaceLifecycle);
  Asked tried = DeletionOf("ns");
  tried.dry_run = true;
  ASSERT_EQ(Ask(tried), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
  ASSERT_EQ(Ask(DeletionOf("ns")), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kUpdate, "ns")), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "other")), "namespaces \"other\" not found");
  EXPECT_NE(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
  EXPECT_EQ(awaited_.name, "ns");
  // The store had nothing newer: the deletion came to nothing.
  has_retried_ = true;
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
}

TEST_F(NamespacePluginsTest, LifecycleNeedNotLookWhenTheNamespaceHasChangedSinceItsDeletion) {
  Make(MakeNamespaceLifecycle);
  ASSERT_EQ(Ask(DeletionOf("ns")), "");
  Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
}

TEST_F(NamespacePluginsTest, LifecycleKeepsTheNamespacesThatEveryClusterNeeds) {
  Make(MakeNamespaceLifecycle);
  for (const std::string name : {"default", "kube-system", "kube-public"}) {
    EXPECT_EQ(Ask(DeletionOf(name)),
              "namespaces \"" + name + "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_EQ(Ask(DeletionOf("ns")), "");
}

TEST_F(NamespacePluginsTest, AutoProvisionMakesTheNamespaceWithTheObject) {
  Make(MakeNamespaceAutoProvision);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "ns")), "");
  EXPECT_TRUE(transaction_.writes.empty());
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "fresh")), "");
  ASSERT_EQ(transaction_.writes.size(), 1U);
  EXPECT_EQ(transaction_.writes[0].key, "/registry/namespaces/fresh");
  ASSERT_EQ(transaction_.conditions.size(), 1U);
  Asked dry = ConfigMap(AdmissionOperation::kCreate, "fresh");
  dry.dry_run = true;
  EXPECT_EQ(Ask(dry), "");
  EXPECT_TRUE(transaction_.writes.empty());
}

TEST_F(NamespacePluginsTest, ExistsOnlyAsksWhetherItIsThere) {
  Make(MakeNamespaceExists);
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kCreate, "going")), "");
  EXPECT_EQ(Ask(ConfigMap(AdmissionOperation::kDelete, "none")), "namespaces \"none\" not found");
}

}  // namespace
}  // namespace skiff::apiserver

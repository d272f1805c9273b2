#include "apiserver/authz/node_authorizer.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

object::Document Parse(const std::string& json) {
  const auto meta = object::PeekTypeMeta(json);
  auto made = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  EXPECT_TRUE(made) << made.error().ToString();
  return std::move(*made);
}

class NodeAuthorizerTest : public ::testing::Test {
 protected:
  NodeAuthorizerTest() { PutPod("p", "n1", kSpec); }

  void PutPod(const std::string& name, const std::string& node, const std::string& spec,
              const std::string& annotations = "{}") {
    graph_.Put(NodeThing::kPod,
               Parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":")" +
                     name + R"(","annotations":)" + annotations + R"(},"spec":{"nodeName":")" +
                     node + "\"," + spec + R"(},"status":{"resourceClaimStatuses":
                       [{"name":"made","resourceClaimName":"made-for-p"}]}})"));
  }
  void PutVolume(const std::string& claim) {
    graph_.Put(NodeThing::kVolume,
               Parse(R"({"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"v"},
                         "spec":{"claimRef":{"namespace":"ns","name":")" +
                     claim + R"("},"csi":{"driver":"d","volumeHandle":"h",
                         "nodePublishSecretRef":{"namespace":"vault","name":"node"},
                         "controllerPublishSecretRef":{"namespace":"vault","name":"other"}}}})"));
  }

  serving::AuthorizationResult Ask(std::string_view verb, std::string_view group,
                                   std::string_view resource, std::string_view name = "",
                                   std::string_view name_space = "ns",
                                   const std::vector<serving::SelectedBy>& fields = {}) {
    serving::UserInfo user{.name = user_, .uid = {}, .groups = {"system:nodes"}, .extra = {}};
    serving::AccessAttributes asked;
    asked.user = &user;
    asked.verb = verb;
    asked.is_resource = true;
    asked.group = group;
    asked.version = "v1";
    const size_t slash = resource.find('/');
    asked.resource = resource.substr(0, slash);
    if (slash != resource.npos) asked.subresource = resource.substr(slash + 1);
    asked.name_space = name_space;
    asked.name = name;
    asked.field_requirements = fields;
    serving::AuthorizationResult out;
    authorizer_.Authorize(asked,
                          [&](serving::AuthorizationResult answer) { out = std::move(answer); });
    return out;
  }
  bool May(std::string_view verb, std::string_view group, std::string_view resource,
           std::string_view name = "", std::string_view name_space = "ns") {
    return Ask(verb, group, resource, name, name_space).decision == serving::Decision::kAllow;
  }

  static constexpr char kSpec[] =
      R"("serviceAccountName":"sa","imagePullSecrets":[{"name":"pull"}],
         "containers":[{"name":"c","env":[{"name":"E","valueFrom":{"configMapKeyRef":
           {"name":"env","key":"k"}}}],"envFrom":[{"secretRef":{"name":"all"}}]}],
         "volumes":[{"name":"a","secret":{"secretName":"file"}},
           {"name":"b","projected":{"sources":[{"configMap":{"name":"part"}}]}},
           {"name":"c","persistentVolumeClaim":{"claimName":"data"}},
           {"name":"scratch","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}],
         "resourceClaims":[{"name":"given","resourceClaimName":"gpu"},
           {"name":"made","resourceClaimTemplateName":"t"}])";

  std::string user_ = "system:node:n1";
  NodeGraph graph_;
  NodeAuthorizer authorizer_{graph_, {.service_accounts = true, .pod_certificates = true}};
};

TEST_F(NodeAuthorizerTest, ANodeReadsWhatItsPodsName) {
  for (const char* secret : {"pull", "all", "file"}) EXPECT_TRUE(May("get", "", "secrets", secret));
  for (const char* map : {"env", "part"}) EXPECT_TRUE(May("watch", "", "configmaps", map));
  for (const char* claim : {"data", "p-scratch"}) {
    EXPECT_TRUE(May("get", "", "persistentvolumeclaims", claim)) << claim;
    EXPECT_TRUE(May("patch", "", "persistentvolumeclaims/status", claim)) << claim;
  }
  for (const char* claim : {"gpu", "made-for-p"}) {
    EXPECT_TRUE(May("get", "resource.k8s.io", "resourceclaims", claim)) << claim;
  }
  EXPECT_TRUE(May("create", "", "serviceaccounts/token", "sa"));
  EXPECT_TRUE(May("get", "", "serviceaccounts", "sa"));
  EXPECT_TRUE(May("get", "", "pods", "p"));
  user_ = "system:node:n2";
  EXPECT_EQ(Ask("get", "", "secrets", "file").reason,
            "no relationship found between node 'n2' and this object");
  EXPECT_FALSE(May("create", "", "serviceaccounts/token", "sa"));
  EXPECT_FALSE(May("get", "", "pods", "p"));
}

TEST_F(NodeAuthorizerTest, AndNothingMoreOfThoseResources) {
  EXPECT_FALSE(May("get", "", "secrets", "other"));
  EXPECT_FALSE(May("get", "", "secrets", "file", "elsewhere"));
  EXPECT_FALSE(May("update", "", "secrets", "file"));
  EXPECT_EQ(Ask("list", "", "secrets").reason, "No Object name found");
  EXPECT_EQ(Ask("list", "", "secrets", "file", "").reason,
            "can only read namespaced object of this type");
  EXPECT_FALSE(May("list", "", "persistentvolumeclaims", "data"));
  EXPECT_FALSE(May("update", "", "persistentvolumeclaims", "data"));
  EXPECT_FALSE(May("create", "", "serviceaccounts", ""));
  EXPECT_FALSE(May("get", "", "pods/log", "p"));
}

TEST_F(NodeAuthorizerTest, RightsGoWithThePod) {
  PutPod("q", "n1", R"("containers":[{"name":"c","envFrom":[{"secretRef":{"name":"all"}}]}])");
  graph_.Remove(NodeThing::kPod, "ns", "p");
  EXPECT_FALSE(May("get", "", "secrets", "file"));
  EXPECT_TRUE(May("get", "", "secrets", "all"));  // another pod names it too
  graph_.Remove(NodeThing::kPod, "ns", "q");
  EXPECT_FALSE(May("get", "", "secrets", "all"));
}

TEST_F(NodeAuthorizerTest, AMirrorPodGivesNoRights) {
  PutPod("m", "n1", R"("containers":[{"name":"c","envFrom":[{"secretRef":{"name":"stolen"}}]}])",
         R"({"kubernetes.io/config.mirror":"x"})");
  EXPECT_TRUE(May("get", "", "pods", "m"));
  EXPECT_FALSE(May("get", "", "secrets", "stolen"));
}

TEST_F(NodeAuthorizerTest, AVolumeAndItsSecretsBelongToWhoUsesItsClaim) {
  PutVolume("data");
  EXPECT_TRUE(May("get", "", "persistentvolumes", "v", ""));
  EXPECT_TRUE(May("get", "", "secrets", "node", "vault"));
  EXPECT_FALSE(May("get", "", "secrets", "other", "vault"));
  PutVolume("of-somebody-else");
  EXPECT_FALSE(May("get", "", "persistentvolumes", "v", ""));
  EXPECT_FALSE(May("get", "", "secrets", "node", "vault"));
}

TEST_F(NodeAuthorizerTest, PodsAreListedByNode) {
  const auto list = [&](const std::string& field, const std::string& op, const std::string& value) {
    return Ask("list", "", "pods", "", "", {{field, op, {value}}});
  };
  EXPECT_EQ(list("spec.nodeName", "=", "n1").decision, serving::Decision::kAllow);
  EXPECT_EQ(list("spec.nodeName", "=", "n2").reason,
            "can only list/watch pods with spec.nodeName field selector");
  EXPECT_NE(list("spec.nodeName", "!=", "n1").decision, serving::Decision::kAllow);
  EXPECT_NE(list("metadata.name", "=", "n1").decision, serving::Decision::kAllow);
  EXPECT_TRUE(May("create", "", "pods"));
  EXPECT_TRUE(May("patch", "", "pods/status", "any"));
  EXPECT_TRUE(May("create", "", "pods/eviction", "any"));
  EXPECT_FALSE(May("update", "", "pods", "p"));
}

TEST_F(NodeAuthorizerTest, WhatNamesItsNodeIsThatNodes) {
  graph_.Put(NodeThing::kVolumeAttachment,
             Parse(R"({"kind":"VolumeAttachment","apiVersion":"storage.k8s.io/v1",
                       "metadata":{"name":"va"},"spec":{"nodeName":"n1"}})"));
  graph_.Put(NodeThing::kResourceSlice,
             Parse(R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1",
                       "metadata":{"name":"slice"},"spec":{"nodeName":"n1"}})"));
  EXPECT_TRUE(May("get", "storage.k8s.io", "volumeattachments", "va", ""));
  EXPECT_FALSE(May("list", "storage.k8s.io", "volumeattachments", "", ""));
  EXPECT_TRUE(May("delete", "resource.k8s.io", "resourceslices", "slice", ""));
  EXPECT_FALSE(May("list", "resource.k8s.io", "resourceslices", "", ""));
  user_ = "system:node:n2";
  EXPECT_FALSE(May("get", "storage.k8s.io", "volumeattachments", "va", ""));
  EXPECT_FALSE(May("delete", "resource.k8s.io", "resourceslices", "slice", ""));
}

TEST_F(NodeAuthorizerTest, ANodeHasItsOwnNodeLeaseAndCsiNode) {
  EXPECT_TRUE(May("get", "", "nodes", "n1", ""));
  EXPECT_TRUE(May("patch", "", "nodes/status", "n1", ""));
  EXPECT_EQ(Ask("get", "", "nodes", "n2", "").reason,
            "node 'n1' cannot read 'n2', only its own Node object");
  EXPECT_FALSE(May("list", "", "nodes", "", ""));
  EXPECT_FALSE(May("delete", "", "nodes", "n1", ""));
  EXPECT_TRUE(May("update", "coordination.k8s.io", "leases", "n1", "kube-node-lease"));
  EXPECT_FALSE(May("update", "coordination.k8s.io", "leases", "n2", "kube-node-lease"));
  EXPECT_FALSE(May("update", "coordination.k8s.io", "leases", "n1", "kube-system"));
  EXPECT_TRUE(May("get", "storage.k8s.io", "csinodes", "n1", ""));
  EXPECT_FALSE(May("get", "storage.k8s.io", "csinodes", "n2", ""));
}

TEST_F(NodeAuthorizerTest, OfOtherResourcesTheRulesOfNodesHold) {
  EXPECT_TRUE(May("create", "", "events"));
  EXPECT_TRUE(May("list", "", "services", "", ""));
  EXPECT_TRUE(May("create", "authentication.k8s.io", "tokenreviews", "", ""));
  EXPECT_FALSE(May("delete", "", "services", "s"));
  EXPECT_FALSE(May("list", "", "namespaces", "", ""));
}

TEST_F(NodeAuthorizerTest, RulesDoNotTellAllThatANodeMay) {
  const serving::UserInfo node{.name = user_, .uid = {}, .groups = {"system:nodes"}, .extra = {}};
  EXPECT_TRUE(authorizer_.RulesFor(node, "ns").incomplete);
  EXPECT_FALSE(
      authorizer_.RulesFor({.name = "ann", .uid = {}, .groups = {}, .extra = {}}, "ns").incomplete);
}

TEST_F(NodeAuthorizerTest, OnlyNodesAreNodes) {
  user_ = "ann";
  EXPECT_FALSE(May("get", "", "secrets", "file"));
  user_ = "system:node:";
  EXPECT_EQ(Ask("get", "", "secrets", "file").reason, "unknown node for user \"system:node:\"");
}

}  // namespace
}  // namespace skiff::apiserver

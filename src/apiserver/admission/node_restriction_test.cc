#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"
#include "apiserver/admission/testing_csrs.h"

namespace skiff::apiserver {
namespace {

using testing::Asked;
constexpr auto kCreate = AdmissionOperation::kCreate;
constexpr auto kUpdate = AdmissionOperation::kUpdate;
constexpr auto kDelete = AdmissionOperation::kDelete;

class NodeRestrictionTest : public testing::PluginTest {
 protected:
  void SetUp() override {
    PluginTest::SetUp();
    Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"node-uid"}})");
    Add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"mine","namespace":"ns",
            "uid":"pod-uid"},"spec":{"nodeName":"n1","serviceAccountName":"sa","volumes":[
            {"name":"t","projected":{"sources":[{"serviceAccountToken":{"audience":"vault"}}]}},
            {"name":"c","csi":{"driver":"csi.example.com"}},
            {"name":"p","persistentVolumeClaim":{"claimName":"claim"}}]}})");
    Add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"other","namespace":"ns",
            "uid":"other-uid"},"spec":{"nodeName":"n2"}})");
    Add(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":
            {"name":"csi.example.com"},"spec":{"tokenRequests":[{"audience":"csi"}]}})");
    Add(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":
            {"name":"ebs.csi.aws.com"},"spec":{"tokenRequests":[{"audience":"ebs"}]}})");
    Add(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"claim",
            "namespace":"ns"},"spec":{"volumeName":"pv"}})");
    Add(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},
            "spec":{"awsElasticBlockStore":{"volumeID":"v"}}})");
    gates_ = {"ServiceAccountNodeAudienceRestriction", "RecoverVolumeExpansionFailure"};
    Make(MakeNodeRestriction);
  }
  static serving::UserInfo Kubelet(const std::string& name = "system:node:n1") {
    serving::UserInfo out;
    out.name = name;
    out.groups = {"system:nodes"};
    return out;
  }
  std::string AsNode(Asked asked) {
    asked.user = Kubelet();
    return Ask(asked);
  }
  // What follows `RESOURCE "NAME" is forbidden: `.
  std::string Why(Asked asked) {
    const std::string message = AsNode(std::move(asked));
    const size_t at = message.find("is forbidden: ");
    return at == std::string::npos ? message : message.substr(at + 14);
  }
};

TEST_F(NodeRestrictionTest, OnlyNodesAreRestricted) {
  const Asked asked{.resource = "nodes", .name_space = "", .name = "n2", .object = "{}"};
  EXPECT_EQ(Ask(asked), "");
  Asked without_group = asked;
  without_group.user.name = "system:node:n1";
  EXPECT_EQ(Ask(without_group), "");
  Asked nameless = asked;
  nameless.user = Kubelet("system:node:");
  EXPECT_EQ(Ask(nameless),
            "nodes \"n2\" is forbidden: could not determine node from user \"system:node:\"");
}

TEST_F(NodeRestrictionTest, NodesCreateMirrorPodsOfTheirOwn) {
  const auto pod = [](const std::string& owner, const std::string& spec = {},
                      const std::string& annotation = "kubernetes.io/config.mirror") {
    return R"({"metadata":{"name":"x","annotations":{")" + annotation +
           R"(":"h"},"ownerReferences":[)" + owner + R"(]},"spec":{"nodeName":"n1")" + spec + "}}";
  };
  const auto owner = [](const std::string& name, const std::string& uid,
                        const std::string& rest = R"(,"controller":true)") {
    return R"({"apiVersion":"v1","kind":"Node","name":")" + name + R"(","uid":")" + uid + "\"" +
           rest + "}";
  };
  const std::string own = owner("n1", "node-uid");
  const std::string can = "node \"n1\" can only create pods with ";
  const struct {
    std::string object;
    std::string says;
  } cases[] = {
      {pod(own), ""},
      {pod(own, R"(,"volumes":[{"name":"v","hostPath":{"path":"/"}}])"), ""},
      {pod(own, "", "other"),
       "pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only create "
       "mirror pods"},
      {R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":"h"}},
          "spec":{"nodeName":"n2"}})",
       can + "spec.nodeName set to itself"},
      {pod(""), can + "an owner reference set to itself"},
      {pod(own + "," + own), can + "a single owner reference set to itself"},
      {pod(owner("n2", "node-uid")), can + "an owner reference set to itself"},
      {pod(owner("n1", "node-uid", "")), can + "a controller owner reference set to itself"},
      {pod(owner("n1", "node-uid", R"(,"controller":true,"blockOwnerDeletion":true)")),
       "node \"n1\" must not set blockOwnerDeletion on an owner reference"},
      {pod(owner("n1", "old")), "node n1 UID mismatch: expected old got node-uid"},
      {pod(own, R"(,"serviceAccountName":"a")"),
       "node \"n1\" can not create pods that reference serviceaccounts"},
      {pod(own, R"(,"volumes":[{"name":"v","configMap":{"name":"c"}}])"),
       "node \"n1\" can not create pods that reference configmaps"},
      {pod(own, R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])"),
       "node \"n1\" can not create pods that reference persistentvolumeclaims"},
      {pod(own, R"(,"volumes":[{"name":"v","projected":{"sources":[{"clusterTrustBundle":
          {"path":"p"}}]}}])"),
       "node \"n1\" can not create pods that reference clustertrustbundles"},
      {pod(own, R"(,"volumes":[{"name":"v"}])"),
       "error checking mirror pod for API references: unknown volume type for volume \"v\""},
  };
  for (const auto& each : cases) EXPECT_EQ(Why({.object = each.object}), each.says);
}

TEST_F(NodeRestrictionTest, NodesTouchThePodsThatRunOnThem) {
  EXPECT_EQ(Why({.operation = kDelete, .name = "mine", .old = "{}"}), "");
  EXPECT_EQ(Why({.operation = kDelete, .name = "other", .old = "{}"}),
            "node \"n1\" can only delete pods with spec.nodeName set to itself");
  EXPECT_EQ(Why({.operation = kDelete, .name = "none", .old = "{}"}), "pods \"none\" not found");
  EXPECT_EQ(Why({.operation = kUpdate, .object = "{}", .old = "{}"}),
            "unexpected operation \"UPDATE\", node \"n1\" can only create and delete mirror pods");
  EXPECT_EQ(Why({.operation = kUpdate, .subresource = "resize", .object = "{}", .old = "{}"}),
            "unexpected pod subresource \"resize\", only 'status' and 'eviction' are allowed");
  const auto evict = [&](const std::string& name) {
    return Why({.subresource = "eviction", .name = name, .object = "{}"});
  };
  EXPECT_EQ(evict("mine"), "");
  EXPECT_EQ(evict("other"), "node n1 can only evict pods with spec.nodeName set to itself");
}

TEST_F(NodeRestrictionTest, NodesReportTheStatusOfTheirPodsAndNothingElse) {
  const auto update = [&](const std::string& old, const std::string& object) {
    return Why({.operation = kUpdate, .subresource = "status", .object = object, .old = old});
  };
  const std::string mine = R"("spec":{"nodeName":"n1"})";
  EXPECT_EQ(update("{" + mine + "}", "{" + mine + R"(,"status":{"phase":"Running"}})"), "");
  EXPECT_EQ(update(R"({"spec":{"nodeName":"n2"}})", "{}"),
            "node \"n1\" can only update pod status for pods with spec.nodeName set to itself");
  EXPECT_EQ(update("{" + mine + "}", "{" + mine + R"(,"metadata":{"labels":{"a":"b"}}})"),
            "node \"n1\" cannot update labels through pod status");
  EXPECT_EQ(update("{" + mine + "}",
                   "{" + mine + R"(,"status":{"resourceClaimStatuses":[{"name":"c"}]}})"),
            "node \"n1\" cannot update resource claim statues");
}

TEST_F(NodeRestrictionTest, ANodeDescribesItselfWithItsOwnLabels) {
  const auto create = [&](const std::string& name, const std::string& labels) {
    return Why({.resource = "nodes",
                .name_space = "",
                .name = name,
                .object = R"({"metadata":{"labels":{)" + labels + "}}}"});
  };
  EXPECT_EQ(create("n1", R"("kubernetes.io/hostname":"n1","node.kubernetes.io/a":"b",
      "x.kubelet.kubernetes.io/a":"b","example.com/a":"b","plain":"b")"),
            "");
  EXPECT_EQ(create("n2", ""), "node \"n1\" is not allowed to modify node \"n2\"");
  EXPECT_EQ(create("n1", R"("node-restriction.kubernetes.io/a":"b","foo.k8s.io/a":"b")"),
            "node \"n1\" is not allowed to set the following labels: foo.k8s.io/a, "
            "node-restriction.kubernetes.io/a");
  const auto update = [&](const std::string& old, const std::string& object) {
    return Why({.operation = kUpdate,
                .resource = "nodes",
                .name_space = "",
                .name = "n1",
                .object = object,
                .old = old});
  };
  EXPECT_EQ(update("{}", R"({"status":{"phase":"Running"}})"), "");
  EXPECT_EQ(update("{}", R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}})"),
            "node \"n1\" is not allowed to modify taints");
  EXPECT_EQ(update("{}", R"({"metadata":{"ownerReferences":[{"name":"a","uid":"u"}]}})"),
            "node \"n1\" is not allowed to modify ownerReferences");
  EXPECT_EQ(update(R"({"metadata":{"labels":{"a.kubernetes.io/b":"c"}}})", "{}"),
            "is not allowed to modify labels: a.kubernetes.io/b");
}

TEST_F(NodeRestrictionTest, LeasesAndStorageOfANodeHaveItsName) {
  const auto lease = [&](const std::string& name_space, const std::string& name) {
    return Why({.resource = "coordination.k8s.io/leases",
                .name_space = name_space,
                .object = R"({"metadata":{"name":")" + name + "\"}}"});
  };
  EXPECT_EQ(lease("kube-node-lease", "n1"), "");
  EXPECT_EQ(lease("ns", "n1"),
            "can only access leases in the \"kube-node-lease\" system namespace");
  EXPECT_EQ(lease("kube-node-lease", "n2"),
            "can only access node lease with the same name as the requesting node");
  EXPECT_EQ(Why({.operation = kDelete,
                 .resource = "storage.k8s.io/csinodes",
                 .name_space = "",
                 .name = "n2",
                 .old = "{}"}),
            "can only access CSINode with the same name as the requesting node");
  const auto slice = [&](AdmissionOperation operation, const std::string& node) {
    const std::string object = R"({"spec":{"nodeName":")" + node + "\"}}";
    return Why({.operation = operation,
                .resource = "resource.k8s.io/resourceslices",
                .name_space = "",
                .object = operation == kCreate ? object : "",
                .old = operation == kCreate ? "" : object});
  };
  EXPECT_EQ(slice(kCreate, "n1"), "");
  EXPECT_EQ(slice(kCreate, "n2"),
            "can only create ResourceSlice with the same NodeName as the requesting node");
  EXPECT_EQ(slice(kDelete, "n2"),
            "can only delete ResourceSlice with the same NodeName as the requesting node");
}

TEST_F(NodeRestrictionTest, OfClaimsNodesChangeWhatTheyHaveResized) {
  const auto update = [&](const std::string& object, const std::string& subresource = "status") {
    return Why({.operation = kUpdate,
                .resource = "persistentvolumeclaims",
                .subresource = subresource,
                .object = object,
                .old = R"({"metadata":{"resourceVersion":"1"},"spec":{"volumeName":"v"}})"});
  };
  EXPECT_EQ(update(R"({"spec":{"volumeName":"v"},"status":{"capacity":{"storage":"1Gi"},
      "conditions":[{"type":"Resizing","status":"True"}]}})"),
            "");
  EXPECT_EQ(update(R"({"metadata":{"labels":{"a":"b"}},"spec":{"volumeName":"v"}})"),
            "node \"n1\" is not allowed to update fields other than status.quantity and "
            "status.conditions");
  EXPECT_EQ(update("{}", ""), "may only update PVC status");
}

TEST_F(NodeRestrictionTest, TokensAreForPodsOfTheNodeAndForWhomTheyUse) {
  const auto ask = [&](const std::string& ref, const std::string& audiences) {
    return Why({.resource = "serviceaccounts",
                .subresource = "token",
                .name = "sa",
                .object = R"({"spec":{"audiences":[)" + audiences + "]" + ref + "}}"});
  };
  const auto bound = [](const std::string& name, const std::string& uid) {
    return R"(,"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":")" + name + R"(","uid":")" +
           uid + "\"}";
  };
  const std::string mine = bound("mine", "pod-uid");
  const struct {
    std::string ref;
    std::string audiences;
    std::string says;
  } cases[] = {
      {mine, R"("vault")", ""},
      {mine, R"("csi")", ""},
      {mine, R"("ebs")", ""},
      {"", "", "node requested token not bound to a pod"},
      {bound("mine", ""), "", "node requested token with a pod binding without a uid"},
      {bound("none", "u"), "", "pods \"none\" not found"},
      {bound("mine", "u"), "",
       "the UID in the bound object reference (u) does not match the UID in record. The object "
       "might have been deleted and then recreated"},
      {bound("other", "other-uid"), "",
       "node requested token bound to a pod scheduled on a different node"},
      {mine, R"("a","b")", "node may only request 0 or 1 audiences"},
      {mine, R"("elsewhere")",
       "audience \"elsewhere\" not found in pod spec volume, system:node:n1 is not authorized to "
       "request tokens for this audience"},
  };
  for (const auto& each : cases) EXPECT_EQ(ask(each.ref, each.audiences), each.says);
  authorizer_.allowed = {"request-serviceaccounts-token-audience /elsewhere/ ns/sa"};
  EXPECT_EQ(ask(mine, R"("elsewhere")"), "");
}

TEST_F(NodeRestrictionTest, CertificatesAreForTheNodeItself) {
  const auto ask = [&](const std::string& signer, std::string_view request) {
    return Why({.resource = "certificates.k8s.io/certificatesigningrequests",
                .name_space = "",
                .object = R"({"spec":{"signerName":")" + signer + R"(","request":")" +
                          std::string(request) + R"("}})"});
  };
  EXPECT_EQ(ask("kubernetes.io/kubelet-serving", testing::kNodeCsr), "");
  EXPECT_EQ(ask("kubernetes.io/kubelet-serving", testing::kMastersCsr),
            "can only create a node CSR with CN=system:node:n1");
  EXPECT_EQ(ask("kubernetes.io/kube-apiserver-client-kubelet", "YQ=="),
            "unable to parse csr: PEM block type must be CERTIFICATE REQUEST");
  EXPECT_EQ(ask("example.com/other", testing::kMastersCsr), "");
  EXPECT_EQ(Why({.resource = "certificates.k8s.io/podcertificaterequests", .object = "{}"}),
            "PodCertificateRequest feature gate is disabled");
}

}  // namespace
}  // namespace skiff::apiserver

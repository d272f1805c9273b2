#include <gtest/gtest.h>

#include "apiserver/admission/testing.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

class ServiceAccountPluginTest : public testing::PluginTest {
 protected:
  void SetUp() override {
    PluginTest::SetUp();
    Make(MakeServiceAccount);
  }
  void AddAccount(const std::string& name, const std::string& rest = {},
                  const std::string& metadata = {}) {
    Add(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"namespace":"ns","name":")" +
        name + "\"" + metadata + "}" + rest + "}");
  }
};

TEST_F(ServiceAccountPluginTest, APodGetsTheDefaultAccountAndAVolumeWithItsToken) {
  AddAccount("default", R"(,"imagePullSecrets":[{"name":"pull"}])");
  EXPECT_EQ(AskPod(R"({"initContainers":[{"name":"i"}],"containers":[{"name":"c"}]})"), "");
  EXPECT_TRUE(Has(R"("serviceAccountName":"default","serviceAccount":"default")")) << object_;
  EXPECT_TRUE(Has(R"("imagePullSecrets":[{"name":"pull"}])"));
  EXPECT_TRUE(
      Has(R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,)"
          R"("path":"token"}},)"
          R"({"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},)"
          R"({"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1",)"
          R"("fieldPath":"metadata.namespace"}}]}}],"defaultMode":420})"))
      << object_;
  size_t mounts = 0;
  const std::string path =
      R"("readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount")";
  for (size_t at = object_.find(path); at != std::string::npos; at = object_.find(path, at + 1)) {
    ++mounts;
  }
  EXPECT_EQ(mounts, 2U);
}

TEST_F(ServiceAccountPluginTest, PodThenAccountSayWhetherTheTokenIsMounted) {
  const std::string containers = R"("containers":[{"name":"c"}])";
  AddAccount("default", R"(,"automountServiceAccountToken":false)");
  EXPECT_EQ(AskPod("{" + containers + "}"), "");
  EXPECT_FALSE(Has("kube-api-access-"));
  EXPECT_EQ(AskPod(R"({"automountServiceAccountToken":true,)" + containers + "}"), "");
  EXPECT_TRUE(Has("kube-api-access-"));
  // The account as it is now, not as it was when it was first asked for.
  AddAccount("default");
  EXPECT_EQ(AskPod("{" + containers + "}"), "");
  EXPECT_TRUE(Has("kube-api-access-"));
  EXPECT_EQ(AskPod(R"({"automountServiceAccountToken":false,)" + containers + "}"), "");
  EXPECT_FALSE(Has("kube-api-access-"));
}

TEST_F(ServiceAccountPluginTest, WhatIsThereAlreadyIsKept) {
  AddAccount("default", R"(,"imagePullSecrets":[{"name":"pull"}])");
  EXPECT_EQ(AskPod(R"({"imagePullSecrets":[{"name":"mine"}],"containers":[{"name":"c",
      "volumeMounts":[{"name":"v",
      "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]})"),
            "");
  EXPECT_FALSE(Has("kube-api-access-"));
  EXPECT_FALSE(Has("\"pull\""));
  EXPECT_EQ(AskPod(R"({"volumes":[{"name":"kube-api-access-abcde"}],"containers":[{"name":"c"}]})"),
            "");
  EXPECT_FALSE(Has("serviceAccountToken\""));
  EXPECT_TRUE(Has(R"("volumeMounts":[{"name":"kube-api-access-abcde")")) << object_;
}

TEST_F(ServiceAccountPluginTest, AMissingAccountIsAwaitedAndTheDefaultOneLonger) {
  EXPECT_EQ(AskPod(R"({"containers":[]})"),
            "pods \"x\" is forbidden: error looking up service account ns/default: "
            "serviceaccount \"default\" not found");
  EXPECT_EQ(awaited_.name, "default");
  EXPECT_EQ(awaited_.name_space, "ns");
  EXPECT_EQ(awaited_.attempts, limits::kDefaultServiceAccountRetries);
  EXPECT_NE(AskPod(R"({"serviceAccountName":"other","containers":[]})"), "");
  EXPECT_EQ(awaited_.attempts, 1);
}

TEST_F(ServiceAccountPluginTest, MirrorPodsHaveNoAccountAndNoSecrets) {
  const std::string mirror = R"("name":"x","annotations":{"kubernetes.io/config.mirror":"h"})";
  EXPECT_EQ(AskPod(R"({"containers":[{"name":"c"}]})", mirror), "");
  EXPECT_FALSE(Has("serviceAccount"));
  const struct {
    std::string spec;
    std::string says;
  } cases[] = {
      {R"({"serviceAccountName":"a"})", "a mirror pod may not reference service accounts"},
      {R"({"volumes":[{"name":"v","secret":{"secretName":"s"}}]})",
       "a mirror pod may not reference secrets"},
      {R"({"containers":[{"name":"c","envFrom":[{"secretRef":{"name":"s"}}]}]})",
       "a mirror pod may not reference secrets"},
      {R"({"imagePullSecrets":[{"name":"s"}]})", "a mirror pod may not reference secrets"},
      {R"({"volumes":[{"name":"v","projected":{"sources":
          [{"serviceAccountToken":{"path":"t"}}]}}]})",
       "a mirror pod may not use ServiceAccountToken volume projections"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(AskPod(each.spec, mirror), "pods \"x\" is forbidden: " + each.says);
  }
}

TEST_F(ServiceAccountPluginTest, AnAccountMayLimitTheSecretsOfItsPods) {
  AddAccount("default", R"(,"secrets":[{"name":"mine"}],"imagePullSecrets":[{"name":"pull"}])",
             R"(,"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"})");
  EXPECT_EQ(AskPod(R"({"volumes":[{"name":"v","secret":{"secretName":"mine"}}]})"), "");
  const std::string not_allowed =
      " is not allowed because service account default does not reference that ";
  const struct {
    std::string spec;
    std::string says;
  } cases[] = {
      {R"({"volumes":[{"name":"v","secret":{"secretName":"s"}}]})",
       R"(volume with secret.secretName="s")" + not_allowed + "secret"},
      {R"({"containers":[{"name":"c","env":[{"name":"E","valueFrom":{"secretKeyRef":
          {"name":"s","key":"k"}}}]}]})",
       R"(container c with envVar E referencing secret.secretName="s")" + not_allowed + "secret"},
      {R"({"initContainers":[{"name":"c","envFrom":[{"secretRef":{"name":"s"}}]}]})",
       R"(init container c with envFrom referencing secret.secretName="s")" + not_allowed +
           "secret"},
      {R"({"imagePullSecrets":[{"name":"s"}]})",
       R"(imagePullSecrets[0].name="s")" + not_allowed + "imagePullSecret"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(AskPod(each.spec), "pods \"x\" is forbidden: " + each.says);
  }
}

TEST_F(ServiceAccountPluginTest, EphemeralContainersAreHeldToTheSameSecrets) {
  AddAccount("default", "", R"(,"annotations":{"kubernetes.io/enforce-mountable-secrets":"true"})");
  const std::string pod = Pod(R"({"serviceAccountName":"default","ephemeralContainers":
      [{"name":"e","envFrom":[{"secretRef":{"name":"s"}}]}]})");
  EXPECT_EQ(Ask({.operation = AdmissionOperation::kUpdate,
                 .subresource = "ephemeralcontainers",
                 .object = pod,
                 .old = pod}),
            "pods \"x\" is forbidden: ephemeral container e with envFrom referencing "
            "secret.secretName=\"s\" is not allowed because service account default does not "
            "reference that secret");
  EXPECT_EQ(Ask({.operation = AdmissionOperation::kUpdate, .object = pod, .old = pod}), "");
}

}  // namespace
}  // namespace skiff::apiserver

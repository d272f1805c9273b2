#include "apiserver/admission/pod_security.h"

#include <string>

#include <gtest/gtest.h>

#include "apiserver/admission/pod_security_config.h"
#include "apiserver/admission/small_cluster_testing.h"

namespace skiff::apiserver {
namespace {

constexpr char kPlainPod[] = R"({"spec":{"containers":[{"name":"a","image":"x"}]}})";
constexpr char kHostPod[] =
    R"({"spec":{"hostNetwork":true,"containers":[{"name":"a","image":"x"}]}})";

std::string NamespaceWith(const std::string& labels) {
  return R"({"metadata":{"labels":{)" + labels + "}}}";
}

std::string Label(const std::string& mode, const std::string& value) {
  return R"("pod-security.kubernetes.io/)" + mode + R"(":")" + value + '"';
}

class PodSecurityTest : public ::testing::Test {
 protected:
  void Namespace(const std::string& labels) {
    cluster_.Put("namespaces", "ns", NamespaceWith(labels));
  }
  TestOutcome CreatePod(const std::string& name, const std::string& json) {
    return cluster_.Write(*plugin_, {.resource = "pods", .name = name, .object = json});
  }
  TestOutcome UpdatePod(const std::string& name, const std::string& json,
                        const std::string& subresource = {}) {
    return cluster_.Write(*plugin_, {.resource = "pods",
                                     .name = name,
                                     .object = json,
                                     .subresource = subresource,
                                     .update = true});
  }
  TestOutcome UpdateNamespace(const std::string& labels) {
    return cluster_.Write(
        *plugin_,
        {.resource = "namespaces", .name = "ns", .object = NamespaceWith(labels), .update = true});
  }

  SmallCluster cluster_;
  std::unique_ptr<AdmissionPlugin> plugin_ = cluster_.Make(MakePodSecurity);
};

TEST_F(PodSecurityTest, RefusesWhatTheNamespaceDoesNotAllow) {
  Namespace(Label("enforce", "baseline"));
  const TestOutcome refused = CreatePod("p", kHostPod);
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.error,
            "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces "
            "(hostNetwork=true)");
  EXPECT_EQ(refused.audit.at("pod-security.kubernetes.io/enforce-policy"), "baseline:latest");
  EXPECT_EQ(CreatePod("q", kPlainPod).error, "");
}

TEST_F(PodSecurityTest, WarnsAndNotesWithoutRefusing) {
  Namespace(Label("warn", "baseline") + "," + Label("warn-version", "v1.30") + "," +
            Label("audit", "baseline"));
  const TestOutcome written = CreatePod("p", kHostPod);
  EXPECT_EQ(written.error, "");
  EXPECT_EQ(written.warnings,
            (std::vector<std::string>{"would violate PodSecurity \"baseline:v1.30\": host "
                                      "namespaces (hostNetwork=true)"}));
  EXPECT_EQ(written.audit.at("pod-security.kubernetes.io/audit-violations"),
            "would violate PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)");
}

TEST_F(PodSecurityTest, TemplatesAreWarnedAboutOnly) {
  Namespace(Label("enforce", "baseline"));
  const TestOutcome deployment =
      cluster_.Write(*plugin_, {.group = "apps",
                                .resource = "deployments",
                                .name = "d",
                                .object = R"({"spec":{"template":{"spec":{"hostPID":true}}}})"});
  EXPECT_EQ(deployment.error, "");
  ASSERT_EQ(deployment.warnings.size(), 1u);
  EXPECT_EQ(deployment.warnings[0],
            "would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true)");
  const TestOutcome job = cluster_.Write(
      *plugin_,
      {.group = "batch",
       .resource = "cronjobs",
       .name = "c",
       .object = R"({"spec":{"jobTemplate":{"spec":{"template":{"spec":{"hostIPC":true}}}}}})"});
  EXPECT_EQ(job.warnings.size(), 1u);
}

TEST_F(PodSecurityTest, OnlyUpdatesThatMatterAreJudged) {
  cluster_.Put("pods", "p", kHostPod);
  Namespace(Label("enforce", "baseline"));
  EXPECT_EQ(UpdatePod("p", R"({"metadata":{"labels":{"a":"b"}},
                              "spec":{"hostNetwork":true,
                              "containers":[{"name":"a","image":"x"}]}})")
                .error,
            "");
  const std::string other_image =
      R"({"spec":{"hostNetwork":true,"containers":[{"name":"a","image":"y"}]}})";
  EXPECT_NE(UpdatePod("p", other_image).error, "");
  EXPECT_EQ(UpdatePod("p", other_image, "status").error, "");
  EXPECT_NE(UpdatePod("p",
                      R"({"spec":{"hostNetwork":true,"containers":[{"name":"a","image":"y"}],
                          "ephemeralContainers":[{"name":"e","image":"z"}]}})",
                      "ephemeralcontainers")
                .error,
            "");
}

TEST_F(PodSecurityTest, ChangedSeccompAnnotationsAreJudged) {
  const auto pod = [](const std::string& annotations) {
    return R"({"metadata":{"annotations":{)" + annotations +
           R"(}},"spec":{"containers":[{"name":"a","image":"x"}]}})";
  };
  const std::string of_container =
      R"("container.seccomp.security.alpha.kubernetes.io/a":"unconfined")";
  cluster_.Put("pods", "p", pod(of_container));
  Namespace(Label("enforce", "baseline") + "," + Label("enforce-version", "v1.18"));
  EXPECT_EQ(UpdatePod("p", pod(of_container + R"(,"b":"c")")).error, "");
  EXPECT_EQ(UpdatePod("p", pod("")).error, "");
  EXPECT_NE(UpdatePod("p", pod(R"("seccomp.security.alpha.kubernetes.io/pod":"unconfined")")).error,
            "");
  EXPECT_NE(
      UpdatePod("p", pod(R"("container.seccomp.security.alpha.kubernetes.io/a":"other")")).error,
      "");
}

TEST_F(PodSecurityTest, LabelsOfNamespacesMustBeKnown) {
  const TestOutcome refused = cluster_.Write(
      *plugin_,
      {.resource = "namespaces",
       .name = "ns",
       .object = NamespaceWith(Label("enforce", "high") + "," + Label("warn-version", "1.2"))});
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(
      refused.error,
      "Namespace \"ns\" is invalid: "
      "[metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"high\": must be "
      "one of privileged, baseline, restricted, "
      "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"1.2\": must "
      "be \"latest\" or \"v1.x\"]");
}

TEST_F(PodSecurityTest, LabelsThatWereWrongMayStayWrong) {
  Namespace(Label("enforce", "high"));
  EXPECT_EQ(UpdateNamespace(Label("enforce", "high") + R"(,"a":"b")").error, "");
  EXPECT_NE(UpdateNamespace(Label("enforce", "higher")).error, "");
  // Until it is right, the strictest level holds.
  EXPECT_NE(CreatePod("p", kPlainPod).error, "");
}

TEST_F(PodSecurityTest, EnforcingMoreNamesThePodsThatWouldNotBeAdmitted) {
  Namespace("");
  cluster_.Put("pods", "b", kHostPod);
  cluster_.Put("pods", "a", kHostPod);
  cluster_.Put("pods", "c", R"({"spec":{"hostPID":true,"containers":[{"name":"a","securityContext":
                                {"privileged":true}}]}})");
  cluster_.Put("pods", "d", kPlainPod);
  const std::string owned = R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",
      "kind":"ReplicaSet","name":"r","uid":"1","controller":true}]},"spec":{"hostIPC":true}})";
  cluster_.Put("pods", "e", owned);
  cluster_.Put("pods", "f", owned);
  const TestOutcome changed = UpdateNamespace(Label("enforce", "baseline"));
  EXPECT_EQ(changed.error, "");
  EXPECT_EQ(changed.warnings,
            (std::vector<std::string>{
                "existing pods in namespace \"ns\" violate the new PodSecurity enforce level "
                "\"baseline:latest\"",
                "a (and 3 other pods): host namespaces", "c: host namespaces, privileged"}));
  EXPECT_TRUE(UpdateNamespace(Label("enforce", "baseline") + R"(,"a":"b")").warnings.empty());
  EXPECT_TRUE(UpdateNamespace(Label("enforce", "privileged")).warnings.empty());
}

TEST_F(PodSecurityTest, ChecksThreeThousandPodsAtMost) {
  Namespace("");
  for (int i = 0; i < 3005; ++i) {
    cluster_.Put("pods", "p" + std::to_string(i), R"({"spec":{"hostIPC":true}})");
  }
  const TestOutcome changed = UpdateNamespace(Label("enforce", "baseline"));
  ASSERT_EQ(changed.warnings.size(), 3u);
  // A slow machine stops earlier, because of the time.
  EXPECT_TRUE(changed.warnings[0].starts_with(
      "new PodSecurity enforce level only checked against the first "));
  EXPECT_TRUE(changed.warnings[0].ends_with(" of 3005 existing pods"));
}

TEST_F(PodSecurityTest, DefaultsAndExemptionsComeFromTheConfiguration) {
  plugin_ = cluster_.Make(MakePodSecurity,
                          R"({"apiVersion":"pod-security.admission.config.k8s.io/v1",
      "kind":"PodSecurityConfiguration","defaults":{"enforce":"baseline","enforce-version":"v1.20"},
      "exemptions":{"usernames":["root"],"namespaces":["other"],"runtimeClasses":["vm"]}})");
  Namespace("");
  EXPECT_NE(CreatePod("p", kHostPod).error, "");
  const TestOutcome by_root = cluster_.Write(
      *plugin_, {.resource = "pods", .name = "p", .object = kHostPod, .user = "root"});
  EXPECT_EQ(by_root.error, "");
  EXPECT_EQ(by_root.audit.at("pod-security.kubernetes.io/exempt"), "user");
  const TestOutcome in_vm =
      CreatePod("q", R"({"spec":{"hostNetwork":true,"runtimeClassName":"vm"}})");
  EXPECT_EQ(in_vm.error, "");
  EXPECT_EQ(in_vm.audit.at("pod-security.kubernetes.io/exempt"), "runtimeClass");
  const TestOutcome exempt =
      cluster_.Write(*plugin_, {.resource = "namespaces",
                                .name = "other",
                                .object = NamespaceWith(Label("enforce", "restricted"))});
  EXPECT_EQ(exempt.warnings,
            (std::vector<std::string>{"namespace \"other\" is exempt from Pod Security, and the "
                                      "policy (enforce=restricted:v1.20) will be ignored"}));
}

TEST(PodSecurityConfigTest, NamesEverythingThatIsWrong) {
  const auto parsed = PodSecurityConfig::Parse(
      R"({"apiVersion":"pod-security.admission.config.k8s.io/v1","kind":"PodSecurityConfiguration",
      "defaults":{"enforce":"x","audit-version":"y"},
      "exemptions":{"usernames":["",""],"namespaces":["a","a","_"]}})");
  ASSERT_FALSE(parsed);
  std::vector<std::string> fields;
  for (const StatusCause& cause : parsed.error().causes()) fields.push_back(cause.field);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"defaults.enforce", "defaults.audit-version",
                                      "exemptions.namespaces[1]", "exemptions.namespaces[2]",
                                      "exemptions.usernames[0]", "exemptions.usernames[1]"}));
  EXPECT_FALSE(PodSecurityConfig::Parse(R"({"apiVersion":"v1","kind":"Pod"})"));
  EXPECT_FALSE(PodSecurityConfig::Parse(
      R"({"apiVersion":"pod-security.admission.config.k8s.io/v1","kind":"PodSecurityConfiguration",
          "default":{}})"));
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/admission/pod_security/evaluate.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "views/meta/v1.h"

namespace skiff::apiserver::pod_security {
namespace {

namespace core = views::core_v1;

std::string Violations(const LevelVersion& policy, const std::string& pod_json) {
  const Result<object::Document> document = object::DecodeJson(pod_json, core::Pod::Type());
  if (!document) return "cannot decode: " + document.error().ToString();
  const core::Pod pod(*document);
  return Describe(Evaluate(policy, pod.metadata().annotations(), pod.spec()));
}

struct Case {
  const char* what;
  Level level;
  int minor;
  const char* spec;
  const char* violations;
  const char* annotations = "{}";
};

constexpr int kLatest = PolicyVersion::kLatest;

std::string ViolationsOf(const Case& c) {
  return Violations({c.level, {c.minor}}, std::string(R"({"metadata":{"annotations":)") +
                                              c.annotations + R"(},"spec":)" + c.spec + "}");
}

// Every check of baseline refuses something; "" as violations is what it lets pass.
const Case kBaselineCases[] = {
    {"nothing special", Level::kBaseline, kLatest, R"({"containers":[{"name":"a"}]})", ""},
    {"host namespaces", Level::kBaseline, kLatest,
     R"({"hostNetwork":true,"hostPID":true,"hostIPC":true})",
     "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"},
    {"privileged containers of each kind", Level::kBaseline, kLatest,
     R"({"containers":[{"name":"a","securityContext":{"privileged":true}}],
         "initContainers":[{"name":"i","securityContext":{"privileged":true}}],
         "ephemeralContainers":[{"name":"e","securityContext":{"privileged":true}},{"name":"f"}]})",
     R"(privileged (containers "i", "a", "e" must not set securityContext.privileged=true))"},
    {"added capabilities", Level::kBaseline, kLatest,
     R"({"containers":[{"name":"a","securityContext":{"capabilities":{"add":["SYS_TIME","CHOWN"]}}},
         {"name":"b","securityContext":{"capabilities":{"add":["NET_RAW"]}}}]})",
     R"(non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_TIME" in )"
     R"(securityContext.capabilities.add))"},
    {"one host path", Level::kBaseline, kLatest,
     R"({"volumes":[{"name":"v","hostPath":{"path":"/"}},{"name":"w","emptyDir":{}}]})",
     R"(hostPath volumes (volume "v"))"},
    {"host ports in the order of their text", Level::kBaseline, kLatest,
     R"({"containers":[{"name":"a","ports":[{"containerPort":1,"hostPort":9},
         {"containerPort":2,"hostPort":10},{"containerPort":3}]}]})",
     R"(hostPort (container "a" uses hostPorts 10, 9))"},
    {"host ports of several containers", Level::kBaseline, kLatest,
     R"({"containers":[{"name":"a","ports":[{"hostPort":9}]},
         {"name":"b","ports":[{"hostPort":9}]}]})",
     R"(hostPort (containers "a", "b" use hostPort 9))"},
    {"hosts of probes", Level::kBaseline, 34,
     R"({"containers":[{"name":"a","livenessProbe":{"httpGet":{"host":"h","port":1}},
         "lifecycle":{"preStop":{"tcpSocket":{"host":"g","port":1}}}}]})",
     R"(probe or lifecycle host (container "a" uses probe or lifecycle hosts "g", "h"))"},
    {"hosts of probes before 1.34", Level::kBaseline, 33,
     R"({"containers":[{"name":"a","livenessProbe":{"httpGet":{"host":"h","port":1}}}]})", ""},
    {"proc mounts", Level::kBaseline, kLatest,
     R"({"containers":[{"name":"a","securityContext":{"procMount":"Unmasked"}}]})",
     R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"))"},
    {"proc mounts with user namespaces", Level::kBaseline, kLatest,
     R"({"hostUsers":false,
         "containers":[{"name":"a","securityContext":{"procMount":"Unmasked"}}]})",
     ""},
    {"proc mounts with user namespaces before 1.35", Level::kBaseline, 34,
     R"({"hostUsers":false,
         "containers":[{"name":"a","securityContext":{"procMount":"Unmasked"}}]})",
     R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"))"},
    {"SELinux", Level::kBaseline, kLatest,
     R"({"securityContext":{"seLinuxOptions":{"type":"x","user":"u"}},
         "containers":[{"name":"a",
         "securityContext":{"seLinuxOptions":{"type":"y","role":"r"}}}]})",
     R"(seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: )"
     R"(types "x", "y"; user may not be set; role may not be set))"},
    {"the engine's SELinux type", Level::kBaseline, 31,
     R"({"securityContext":{"seLinuxOptions":{"type":"container_engine_t"}}})", ""},
    {"the engine's SELinux type before 1.31", Level::kBaseline, 30,
     R"({"securityContext":{"seLinuxOptions":{"type":"container_engine_t"}}})",
     R"(seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type )"
     R"("container_engine_t"))"},
    {"seccomp", Level::kBaseline, kLatest,
     R"({"securityContext":{"seccompProfile":{"type":"Unconfined"}},
         "containers":[{"name":"a","securityContext":{"seccompProfile":{"type":"Localhost"}}}]})",
     R"(seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"))"},
    {"seccomp by annotations, before 1.19", Level::kBaseline, 18,
     R"({"containers":[{"name":"a"}],"securityContext":{"seccompProfile":{"type":"Unconfined"}}})",
     "seccompProfile (forbidden annotations "
     "container.seccomp.security.alpha.kubernetes.io/a=\"x\", "
     "seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")",
     R"({"seccomp.security.alpha.kubernetes.io/pod":"unconfined",
         "container.seccomp.security.alpha.kubernetes.io/a":"x",
         "container.seccomp.security.alpha.kubernetes.io/other":"x"})"},
    {"sysctls", Level::kBaseline, kLatest,
     R"({"securityContext":{"sysctls":[{"name":"net.ipv4.tcp_wmem"},{"name":"b"},{"name":"a"}]}})",
     "forbidden sysctls (b, a)"},
    {"sysctls of 1.27", Level::kBaseline, 27,
     R"({"securityContext":{"sysctls":[{"name":"net.ipv4.ip_local_reserved_ports"},
         {"name":"net.ipv4.tcp_fin_timeout"}]}})",
     "forbidden sysctls (net.ipv4.tcp_fin_timeout)"},
    {"sysctls of 1.29", Level::kBaseline, 31,
     R"({"securityContext":{"sysctls":[{"name":"net.ipv4.tcp_keepalive_time"},
         {"name":"net.ipv4.tcp_rmem"}]}})",
     "forbidden sysctls (net.ipv4.tcp_rmem)"},
    {"Windows host processes", Level::kBaseline, kLatest,
     R"({"securityContext":{"windowsOptions":{"hostProcess":true}},
         "containers":[{"name":"a","securityContext":{"windowsOptions":{"hostProcess":true}}}]})",
     R"(hostProcess (pod and container "a" must not set )"
     R"(securityContext.windowsOptions.hostProcess=true))"},
    {"AppArmor", Level::kBaseline, kLatest,
     R"({"securityContext":{"appArmorProfile":{"type":"Unconfined"}},
         "containers":[{"name":"a","securityContext":{"appArmorProfile":{"type":"Unconfined"}}}]})",
     "forbidden AppArmor profiles (pod and container \"a\" and annotation must not set AppArmor "
     "profile type to \"Unconfined\", "
     "\"container.apparmor.security.beta.kubernetes.io/a=\"unconfined\"\")",
     R"({"container.apparmor.security.beta.kubernetes.io/a":"unconfined",
         "container.apparmor.security.beta.kubernetes.io/b":"localhost/x",
         "container.apparmor.security.beta.kubernetes.io/c":""})"},
};

TEST(PodSecurityEvaluateTest, BaselineChecksAsInKubernetes) {
  for (const Case& c : kBaselineCases) EXPECT_EQ(ViolationsOf(c), c.violations) << c.what;
}

constexpr char kRestrictedPod[] =
    R"({"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
        "containers":[{"name":"a","securityContext":{"allowPrivilegeEscalation":false,
        "capabilities":{"drop":["ALL"],"add":["NET_BIND_SERVICE"]}}}],
        "volumes":[{"name":"v","image":{}},{"name":"w","projected":{}}]})";

const Case kRestrictedCases[] = {
    {"a good pod", Level::kRestricted, kLatest, kRestrictedPod, ""},
    {"an ordinary pod", Level::kRestricted, kLatest,
     R"({"containers":[{"name":"a"},{"name":"b"}]})",
     R"(allowPrivilegeEscalation != false (containers "a", "b" must set )"
     R"(securityContext.allowPrivilegeEscalation=false), )"
     R"(unrestricted capabilities (containers "a", "b" must set )"
     R"(securityContext.capabilities.drop=["ALL"]), )"
     R"(runAsNonRoot != true (pod or containers "a", "b" must set )"
     R"(securityContext.runAsNonRoot=true), )"
     R"(seccompProfile (pod or containers "a", "b" must set )"
     R"(securityContext.seccompProfile.type to )"
     R"("RuntimeDefault" or "Localhost"))"},
    {"the same in 1.7", Level::kRestricted, 7, R"({"containers":[{"name":"a"}]})",
     R"(runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true))"},
    {"before 1.22 capabilities are those of baseline", Level::kRestricted, 21,
     R"({"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
         "containers":[{"name":"a","securityContext":{"allowPrivilegeEscalation":false,
         "capabilities":{"add":["NET_RAW"]}}}]})",
     R"(non-default capabilities (container "a" must not include "NET_RAW" in )"
     R"(securityContext.capabilities.add))"},
    {"capabilities", Level::kRestricted, 22,
     R"({"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
         "containers":[{"name":"a","securityContext":{"allowPrivilegeEscalation":false,
         "capabilities":{"drop":["NET_RAW"],"add":["CHOWN"]}}}]})",
     R"(unrestricted capabilities (container "a" must set )"
     R"(securityContext.capabilities.drop=["ALL"]; )"
     R"(container "a" must not include "CHOWN" in securityContext.capabilities.add))"},
    {"Windows has none of that since 1.25", Level::kRestricted, 25,
     R"({"os":{"name":"windows"},"securityContext":{"runAsNonRoot":true},
         "containers":[{"name":"a"}]})",
     ""},
    {"volumes", Level::kRestricted, kLatest,
     R"({"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
         "volumes":[{"name":"h","hostPath":{"path":"/"}},{"name":"n","nfs":{}},{"name":"x"}]})",
     R"(restricted volume types (volumes "h", "n", "x" use restricted volume types )"
     R"("hostPath", "nfs", )"
     R"("unknown"))"},
    {"root", Level::kRestricted, kLatest,
     R"({"securityContext":{"runAsNonRoot":false,"runAsUser":0,
         "seccompProfile":{"type":"Localhost"}},
         "containers":[{"name":"a","securityContext":{"runAsNonRoot":false,"runAsUser":0,
         "allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]})",
     R"(runAsNonRoot != true (pod and container "a" must not set )"
     R"(securityContext.runAsNonRoot=false), )"
     R"(runAsUser=0 (pod and container "a" must not set runAsUser=0))"},
    {"root in a user namespace", Level::kRestricted, kLatest,
     R"({"hostUsers":false,"securityContext":{"runAsUser":0,"seccompProfile":{"type":"Localhost"}},
         "containers":[{"name":"a","securityContext":{
         "allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]})",
     ""},
    {"the user was not looked at before 1.23", Level::kRestricted, 18,
     R"({"securityContext":{"runAsNonRoot":true,"runAsUser":0}})", ""},
    {"proc mounts even with user namespaces", Level::kRestricted, kLatest,
     R"({"hostUsers":false,"securityContext":{"seccompProfile":{"type":"Localhost"}},
         "containers":[{"name":"a","securityContext":{"procMount":"Unmasked",
         "allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]})",
     R"(procMount (container "a" must not set securityContext.procMount to "Unmasked"))"},
    {"seccomp of a container", Level::kRestricted, kLatest,
     R"({"securityContext":{"runAsNonRoot":true},
         "containers":[{"name":"a","securityContext":{"seccompProfile":{"type":"Unconfined"},
         "allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]})",
     R"(seccompProfile (container "a" must not set securityContext.seccompProfile.type to )"
     R"("Unconfined"))"},
};

TEST(PodSecurityEvaluateTest, RestrictedChecksAsInKubernetes) {
  for (const Case& c : kRestrictedCases) EXPECT_EQ(ViolationsOf(c), c.violations) << c.what;
}

TEST(PodSecurityEvaluateTest, PrivilegedAllowsEverything) {
  EXPECT_EQ(Violations({}, R"({"spec":{"hostNetwork":true}})"), "");
}

}  // namespace
}  // namespace skiff::apiserver::pod_security

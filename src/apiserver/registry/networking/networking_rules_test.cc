#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

constexpr std::string_view kVersion = "networking.k8s.io/v1";

RulesTester Ingresses() {
  return {kVersion, "Ingress",
          R"({"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}},
              "rules": [{"host": "a.example.com", "http": {"paths": [{"path": "/x",
                "pathType": "Prefix",
                "backend": {"service": {"name": "s", "port": {"name": "http"}}}}]}}],
              "tls": [{"hosts": ["a.example.com"], "secretName": "t"}],
              "ingressClassName": "c"}})"};
}

TEST(NetworkingRulesTest, AnIngressLeadsToBackends) {
  constexpr std::string_view kBackend = "spec.defaultBackend";
  const std::string at(kBackend);
  Ingresses().ExpectNew({
      {"spec.rules= & spec.defaultBackend=", "spec Invalid"},
      {at + "={}", at + " Invalid"},
      {at + ".resource={\"kind\":\"K\",\"name\":\"n\"}", at + " Invalid"},
      {at + "={\"resource\":{\"kind\":\"K\",\"name\":\"n\"}}", ""},
      {at + "={\"resource\":{\"apiGroup\":\"A\"}}", at + ".resource.apiGroup Invalid; " + at +
                                                        ".resource.kind Required; " + at +
                                                        ".resource.name Required"},
      {at + ".service.name=", at + ".service.name Required"},
      {at + ".service.name=1a", ""},
      {at + ".service.name=a.b", at + ".service.name Invalid"},
      {at + ".service.port.number=65536", at + ".service.port.number Invalid"},
      {at + ".service.port.name=http", at + " Invalid"},
      {at + ".service.port={\"name\":\"_\"}",
       at + ".service.port.name Invalid; " + at + ".service.port.name Invalid"},
      {at + ".service.port=", at + " Required"},
  });
}

TEST(NetworkingRulesTest, RulesOfAnIngressHaveHostsAndPaths) {
  constexpr std::string_view kPath = "spec.rules[0].http.paths[0].";
  const std::string at(kPath);
  Ingresses().ExpectNew({
      {"spec.rules[0].host=10.0.0.1", "spec.rules[0].host Invalid"},
      {"spec.rules[0].host=*.example.com", ""},
      {"spec.rules[0].host=a.*.com", "spec.rules[0].host Invalid"},
      {"spec.rules[0].host=A", "spec.rules[0].host Invalid"},
      {"spec.rules[0].http.paths=", "spec.rules[0].http.paths Required"},
      {at + "pathType=", at + "pathType Required"},
      {at + "pathType=Regex", at + "pathType NotSupported"},
      {at + "path=x", at + "path Invalid"},
      {at + "path=/a//b", at + "path Invalid"},
      {at + "path=/a/..", at + "path Invalid"},
      {at + "pathType=ImplementationSpecific & " + at + "path=", ""},
      {at + "pathType=ImplementationSpecific & " + at + "path=x", at + "path Invalid"},
      {"spec.tls[0].hosts[0]=A", "spec.tls[0].hosts[0] Invalid"},
      {"spec.tls[0].secretName=A", "spec.tls[0].secretName Invalid"},
      {"spec.ingressClassName=A", "spec.ingressClassName Invalid"},
      {"metadata.annotations={\"kubernetes.io/ingress.class\":\"other\"}",
       "annotations.kubernetes.io/ingress.class Invalid"},
      {"metadata.annotations={\"kubernetes.io/ingress.class\":\"c\"}", ""},
  });
}

TEST(NetworkingRulesTest, AnUpdateOfAnIngressKeepsWhatWasWrong) {
  Ingresses().ExpectChanged({
      {"spec.tls[0].secretName=A", "spec.ingressClassName=d", ""},
      {"spec.rules[0].host=*.example.com & spec.rules[0].http.paths[0].path=x",
       "spec.ingressClassName=d", ""},
      {"spec.rules[0].http.paths[0].path=x", "spec.ingressClassName=d",
       "spec.rules[0].http.paths[0].path Invalid"},
  });
  Ingresses().ExpectChanged(
      {
          {"", "status.loadBalancer.ingress[0].ip=10.0.0.1", ""},
          {"", "status.loadBalancer.ingress[0].ip=10.0.0.01",
           "status.loadBalancer.ingress[0].ip Invalid"},
          {"status.loadBalancer.ingress[0].ip=10.0.0.01",
           "status.loadBalancer.ingress[0].hostname=a", ""},
          {"", "status.loadBalancer.ingress[0].hostname=10.0.0.1",
           "status.loadBalancer.ingress[0].hostname Invalid"},
      },
      "status");
}

TEST(NetworkingRulesTest, TheOldAnnotationOfAClassIsWarnedAbout) {
  EXPECT_EQ(Ingresses()
                .Warnings("spec.ingressClassName= & "
                          "metadata.annotations={\"kubernetes.io/ingress.class\":\"c\"}")
                .size(),
            1u);
  EXPECT_EQ(Ingresses().Warnings("").size(), 0u);
}

TEST(NetworkingRulesTest, AClassNamesItsControllerForGood) {
  const RulesTester classes(kVersion, "IngressClass",
                            R"({"spec": {"controller": "example.com/c",
                                "parameters": {"kind": "K", "name": "n", "scope": "Cluster"}}})");
  classes.ExpectNew({
      {"spec.controller=", "spec.controller Required"},
      {"spec.controller=x", "spec.controller Invalid"},
      {"spec.controller=example.com/" + std::string(250, 'a'), "spec.controller TooLong"},
      {"spec.parameters.apiGroup=A", "spec.parameters.apiGroup Invalid"},
      {"spec.parameters.kind=", "spec.parameters.kind Required"},
      {"spec.parameters.name=a/b", "spec.parameters.name Invalid"},
      {"spec.parameters.scope=", "spec.parameters.scope Required"},
      {"spec.parameters.scope=World", "spec.parameters.scope NotSupported"},
      {"spec.parameters.scope=Namespace", "spec.parameters.namespace Required"},
      {"spec.parameters.scope=Namespace & spec.parameters.namespace=n", ""},
      {"spec.parameters.namespace=n", "spec.parameters.namespace Forbidden"},
  });
  classes.ExpectChanged({{"", "spec.controller=example.com/d", "spec.controller Invalid"}});
}

TEST(NetworkingRulesTest, PoliciesSelectPeersAndPorts) {
  const RulesTester policies(kVersion, "NetworkPolicy",
                             R"({"spec": {"podSelector": {}, "policyTypes": ["Ingress"],
          "ingress": [{"ports": [{"protocol": "TCP", "port": 80}],
                       "from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}],
          "egress": [{"to": [{"podSelector": {}}]}]}})");
  const std::string port = "spec.ingress[0].ports[0].";
  const std::string peer = "spec.ingress[0].from[0]";
  policies.ExpectNew({
      {"spec.podSelector.matchLabels={\"a b\":\"c\"}", "spec.podSelector.matchLabels Invalid"},
      {port + "protocol=ICMP", port + "protocol NotSupported"},
      {port + "port=0", port + "port Invalid"},
      {port + "port=http", ""},
      {port + "port=_", port + "port Invalid; " + port + "port Invalid"},
      {port + "endPort=79", port + "endPort Invalid"},
      {port + "endPort=90", ""},
      {port + "port=http & " + port + "endPort=90", port + "endPort Invalid"},
      {port + "port= & " + port + "endPort=90", port + "endPort Invalid"},
      {peer + "={}", peer + " Required"},
      {peer + ".podSelector={}", peer + " Forbidden"},
      {peer + ".ipBlock.cidr=", peer + ".ipBlock.cidr Required"},
      {peer + ".ipBlock.cidr=10.0.0.1/8", peer + ".ipBlock.cidr Invalid"},
      {peer + ".ipBlock.except[0]=11.0.0.0/16", peer + ".ipBlock.except[0] Invalid"},
      {peer + ".ipBlock.except[0]=10.0.0.0/8", peer + ".ipBlock.except[0] Invalid"},
      {"spec.egress[0].to[0]={}", "spec.egress[0].to[0] Required"},
      {"spec.policyTypes[0]=Both", "spec.policyTypes[0] NotSupported"},
      {"spec.policyTypes=[\"Ingress\",\"Ingress\",\"Egress\"]", "spec.policyTypes Invalid"},
  });
  policies.ExpectChanged({
      {peer + ".ipBlock.cidr=10.0.0.1/8", "spec.policyTypes=", ""},
      {"", peer + ".ipBlock.cidr=10.0.0.1/8", peer + ".ipBlock.cidr Invalid"},
  });
  EXPECT_EQ(policies.Warnings(peer + ".ipBlock.cidr=10.0.0.1/8").size(), 1u);
}

TEST(NetworkingRulesTest, AnAddressBelongsToSomething) {
  const RulesTester addresses(kVersion, "IPAddress",
                              R"({"metadata": {"name": "10.0.0.1"}, "spec": {"parentRef":
                                  {"resource": "services", "name": "s", "namespace": "n"}}})");
  addresses.ExpectNew({
      {"spec.parentRef=", "spec.parentRef Required"},
      {"spec.parentRef.group=A", "spec.parentRef.group Invalid"},
      {"spec.parentRef.resource=", "spec.parentRef.resource Required"},
      {"spec.parentRef.name=a/b", "spec.parentRef.name Invalid"},
      {"spec.parentRef.namespace=a/b", "spec.parentRef.namespace Invalid"},
  });
  addresses.ExpectChanged({{"", "spec.parentRef.name=t", "spec.parentRef Invalid"}});
}

TEST(NetworkingRulesTest, ARangeOfServicesMayGetASecondFamilyOnly) {
  const RulesTester ranges(kVersion, "ServiceCIDR", R"({"spec": {"cidrs": ["10.0.0.0/24"]}})");
  ranges.ExpectNew({
      {"spec.cidrs=", "spec.cidrs Required"},
      {"spec.cidrs=[\"a\",\"b\",\"c\"]", "spec.cidrs Invalid"},
      {"spec.cidrs[0]=10.0.0.1/24", "spec.cidrs[0] Invalid"},
      {"spec.cidrs[1]=2001:db8::/112", ""},
      {"spec.cidrs[1]=10.1.0.0/24", "spec.cidrs Invalid"},
  });
  ranges.ExpectChanged({
      {"", "spec.cidrs[0]=10.1.0.0/24", "spec.cidrs[0] Invalid"},
      {"", "spec.cidrs[1]=2001:db8::/112", ""},
      {"", "spec.cidrs[1]=10.1.0.0/24", "spec.cidrs Invalid"},
      {"", "spec.cidrs=", "spec.cidrs Invalid"},
  });
}

}  // namespace
}  // namespace skiff::apiserver

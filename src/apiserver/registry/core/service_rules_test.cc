#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

RulesTester Services() {
  return {"v1", "Service",
          R"({"spec": {"type": "ClusterIP", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"],
              "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None",
              "internalTrafficPolicy": "Cluster", "selector": {"a": "b"},
              "ports": [{"name": "http", "protocol": "TCP", "port": 80, "targetPort": 80}]}})"};
}

constexpr std::string_view kBalanced =
    "spec.type=LoadBalancer & spec.externalTrafficPolicy=Cluster & "
    "spec.allocateLoadBalancerNodePorts=true";

TEST(ServiceRulesTest, PortsAreNumberedNamedAndUnique) {
  const std::string port = "spec.ports[0].";
  const std::string second = R"(spec.ports[1]={"name":"b","protocol":"TCP","port":81,)"
                             R"("targetPort":81})";
  Services().ExpectNew({
      {"spec.ports=", "spec.ports Required"},
      {port + "port=0", port + "port Invalid"},
      {port + "protocol=", port + "protocol Required"},
      {port + "protocol=ICMP", port + "protocol NotSupported"},
      {port + "targetPort=0", port + "targetPort Invalid"},
      {port + "targetPort=_", port + "targetPort Invalid; " + port + "targetPort Invalid"},
      {port + "targetPort=http", ""},
      {port + "appProtocol=a b", port + "appProtocol Invalid"},
      {port + "name=A", port + "name Invalid"},
      {port + "name=", ""},
      {second, ""},
      {port + "name= & " + second, port + "name Required"},
      {second + " & spec.ports[1].name=http", "spec.ports[1].name Duplicate"},
      {second + " & spec.ports[1].port=80", "spec.ports[1] Duplicate"},
      {port + "nodePort=30000", port + "nodePort Forbidden"},
      {second + " & spec.type=NodePort & spec.externalTrafficPolicy=Cluster & "
                "spec.ports[0].nodePort=30000 & spec.ports[1].nodePort=30000",
       "spec.ports[1].nodePort Duplicate"},
  });
}

TEST(ServiceRulesTest, TypesHaveFieldsOfTheirOwn) {
  const std::string balanced(kBalanced);
  Services().ExpectNew({
      {"spec.type=", "spec.type Required"},
      {"spec.type=Other", "spec.type NotSupported"},
      {balanced, ""},
      {"spec.type=NodePort & spec.externalTrafficPolicy=Cluster & spec.clusterIP=None & "
       "spec.clusterIPs=[\"None\"]",
       "spec.clusterIPs[0] Invalid"},
      {"spec.type=ExternalName & spec.externalName=a.b & spec.internalTrafficPolicy=",
       "spec.clusterIPs Forbidden; spec.ipFamilies Forbidden; spec.ipFamilyPolicy Forbidden"},
      {"spec={\"type\":\"ExternalName\",\"sessionAffinity\":\"None\"}",
       "spec.externalName Required"},
      {"spec={\"type\":\"ExternalName\",\"sessionAffinity\":\"None\",\"externalName\":\"A\"}",
       "spec.externalName Invalid"},
      {"spec={\"type\":\"ExternalName\",\"sessionAffinity\":\"None\",\"externalName\":\"a.b.\"}",
       ""},
      {"spec.allocateLoadBalancerNodePorts=true", "spec.allocateLoadBalancerNodePorts Forbidden"},
      {balanced + " & spec.allocateLoadBalancerNodePorts=",
       "allocateLoadBalancerNodePorts Required"},
      {"spec.loadBalancerClass=a/b", "spec.loadBalancerClass Forbidden"},
      {balanced + " & spec.loadBalancerClass=a b", "spec.loadBalancerClass Invalid"},
      {"spec.loadBalancerSourceRanges=[\"10.0.0.0/8\"]", "spec.LoadBalancerSourceRanges Forbidden"},
      {balanced + " & spec.loadBalancerSourceRanges=[\"10.0.0.0\"]",
       "spec.LoadBalancerSourceRanges[0] Invalid"},
      {balanced + " & spec.loadBalancerSourceRanges=[\" 10.0.0.0/8 \"]", ""},
      {balanced + " & metadata.annotations={\"service.beta.kubernetes.io/"
                  "load-balancer-source-ranges\":\"10.0.0.0/8, x\"}",
       "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges] Invalid"},
  });
}

TEST(ServiceRulesTest, TrafficIsDirectedWhereThereIsAny) {
  const std::string balanced(kBalanced);
  Services().ExpectNew({
      {"spec.externalTrafficPolicy=Local", "spec.externalTrafficPolicy Invalid"},
      {balanced + " & spec.externalTrafficPolicy=", "spec.externalTrafficPolicy Required"},
      {balanced + " & spec.externalTrafficPolicy=Near", "spec.externalTrafficPolicy NotSupported"},
      {balanced + " & spec.externalTrafficPolicy=Local", "spec.healthCheckNodePort Required"},
      {balanced + " & spec.healthCheckNodePort=30000", "spec.healthCheckNodePort Invalid"},
      {"spec.internalTrafficPolicy=", "spec.internalTrafficPolicy Required"},
      {"spec.internalTrafficPolicy=Near", "spec.internalTrafficPolicy NotSupported"},
      {"spec.trafficDistribution=PreferSameNode", ""},
      {"spec.trafficDistribution=PreferFar", "spec.trafficDistribution NotSupported"},
      {"spec.selector={\"a b\":\"c\"}", "spec.selector Invalid"},
      {"spec.sessionAffinity=", "spec.sessionAffinity Required"},
      {"spec.sessionAffinity=Sticky", "spec.sessionAffinity NotSupported"},
      {"spec.sessionAffinity=ClientIP", "spec.sessionAffinityConfig Required"},
      {"spec.sessionAffinity=ClientIP & spec.sessionAffinityConfig={}",
       "spec.sessionAffinityConfig.clientIP Required"},
      {"spec.sessionAffinity=ClientIP & spec.sessionAffinityConfig.clientIP.timeoutSeconds=86401",
       "spec.sessionAffinityConfig.clientIP.timeoutSeconds Invalid"},
      {"spec.sessionAffinityConfig={}", "spec.sessionAffinityConfig Forbidden"},
      {"metadata.annotations={\"service.kubernetes.io/topology-aware-hints\":\"a\","
       "\"service.kubernetes.io/topology-mode\":\"b\"}",
       "metadata.annotations[service.kubernetes.io/topology-mode] Invalid"},
  });
}

TEST(ServiceRulesTest, AddressesAreOfTheFamiliesThatAreNamed) {
  Services().ExpectNew({
      {"spec.clusterIPs=", "spec.clusterIPs Required"},
      {"spec.clusterIP=10.0.0.2", "spec.clusterIPs Invalid"},
      {"spec.clusterIP=", "spec.clusterIPs Invalid"},
      {"spec.ipFamilies=[\"IPv5\"]", "spec.ipFamilies[0] NotSupported"},
      {"spec.ipFamilies=[\"IPv4\",\"IPv4\"]", "spec.ipFamilies[1] Duplicate"},
      {"spec.ipFamilyPolicy=Both", "spec.ipFamilyPolicy NotSupported"},
      {"spec.clusterIP=x & spec.clusterIPs=[\"x\"]", "spec.clusterIPs[0] Invalid"},
      {"spec.clusterIPs=[\"10.0.0.1\",\"10.0.0.2\"]", "spec.clusterIPs Invalid"},
      {"spec.clusterIPs=[\"10.0.0.1\",\"2001:db8::1\"] & spec.ipFamilies=[\"IPv4\",\"IPv6\"]", ""},
      {"spec.ipFamilies=[\"IPv6\"]", "spec.clusterIPs[0] Invalid"},
      {"spec.clusterIP=None & spec.clusterIPs=[\"None\"]", ""},
      {"spec.clusterIP=None & spec.clusterIPs=[\"None\",\"10.0.0.1\"]", "spec.clusterIPs Invalid"},
      {"spec.externalIPs=[\"x\"] & spec.externalTrafficPolicy=Cluster",
       "spec.externalIPs[0] Invalid"},
      {"spec.externalIPs=[\"127.0.0.1\"] & spec.externalTrafficPolicy=Cluster",
       "spec.externalIPs[0] Invalid"},
  });
}

TEST(ServiceRulesTest, TheFirstAddressStaysAndASecondComesAndGoes) {
  const std::string both =
      "spec.clusterIPs=[\"10.0.0.1\",\"2001:db8::1\"] & spec.ipFamilies=[\"IPv4\",\"IPv6\"] & "
      "spec.ipFamilyPolicy=RequireDualStack";
  const std::string single = "spec.clusterIPs=[\"10.0.0.1\"] & spec.ipFamilies=[\"IPv4\"]";
  const std::string balanced(kBalanced);
  Services().ExpectChanged({
      {"", "spec.clusterIP=10.0.0.2 & spec.clusterIPs=[\"10.0.0.2\"]",
       "spec.clusterIPs[0] Invalid"},
      {"", "spec.clusterIP= & spec.clusterIPs=", "spec.clusterIPs[0] Invalid"},
      {"", both, ""},
      {both, single + " & spec.ipFamilyPolicy=SingleStack", ""},
      {both, single, "spec.ipFamilyPolicy Invalid; spec.ipFamilyPolicy Invalid"},
      {both, "spec.ipFamilies=[\"IPv6\",\"IPv4\"]",
       "spec.ipFamilies[0] Invalid; spec.ipFamilies[0] Invalid; spec.clusterIPs[0] Invalid; "
       "spec.clusterIPs[1] Invalid"},
      {balanced + " & spec.loadBalancerClass=a/b", "spec.loadBalancerClass=a/c",
       "spec.loadBalancerClass Invalid"},
      {balanced + " & spec.externalTrafficPolicy=Local & spec.healthCheckNodePort=30000",
       "spec.healthCheckNodePort=30001", "spec.healthCheckNodePort Forbidden"},
      {"spec.externalIPs=[\"010.0.0.1\"] & spec.externalTrafficPolicy=Cluster",
       "spec.selector=", ""},
  });
}

TEST(ServiceRulesTest, OnlyLoadBalancersHaveAStatus) {
  const std::string point = "status.loadBalancer.ingress[0]";
  const std::string balanced(kBalanced);
  Services().ExpectChanged(
      {
          {"", point + ".ip=10.0.0.1", "status.loadBalancer.ingress Forbidden"},
          {balanced, point + "={\"ip\":\"10.0.0.1\",\"ipMode\":\"VIP\"}", ""},
          {balanced, point + ".ip=10.0.0.1", point + ".ipMode Required"},
          {balanced, point + "={\"ip\":\"x\",\"ipMode\":\"VIP\"}", point + ".ip Invalid"},
          {balanced, point + "={\"ip\":\"10.0.0.1\",\"ipMode\":\"No\"}",
           point + ".ipMode NotSupported"},
          {balanced, point + "={\"hostname\":\"a.b\",\"ipMode\":\"VIP\"}",
           point + ".ipMode Forbidden"},
          {balanced, point + ".hostname=10.0.0.1", point + ".hostname Invalid"},
      },
      "status");
}

TEST(ServiceRulesTest, WhatIsIgnoredOrOldIsWarnedAbout) {
  EXPECT_EQ(Services().Warnings("").size(), 0u);
  EXPECT_EQ(Services().Warnings("spec.externalIPs=[\"10.0.0.1\"]").size(), 1u);
  EXPECT_EQ(Services().Warnings("spec.trafficDistribution=PreferClose").size(), 1u);
  EXPECT_EQ(Services().Warnings("spec.externalName=a").size(), 1u);
  EXPECT_EQ(Services()
                .Warnings("spec.clusterIP=None & spec.clusterIPs=[\"None\"] & "
                          "spec.sessionAffinity=ClientIP & spec.loadBalancerIP=10.0.0.1")
                .size(),
            2u);
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/registry/core/event.h"
#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

TEST(CoreRulesTest, ConfigMapsAreSmallAndMayBeSealed) {
  const RulesTester maps("v1", "ConfigMap", R"({"data": {"a": "b"}, "binaryData": {"c": "AAAA"}})");
  maps.ExpectNew({
      {"data={\"a/b\":\"c\"}", "data[a/b] Invalid"},
      {"data={\"c\":\"d\"}", "data[c] Invalid"},
      {"binaryData={\"a/b\":\"AAAA\"}", "binaryData[a/b] Invalid"},
      {"data={\"a\":\"" + std::string((1 << 20) + 1, 'x') + "\"}", "[] TooLong"},
  });
  maps.ExpectChanged({
      {"", "data={} & immutable=true", ""},
      {"immutable=true", "immutable=false", "immutable Forbidden"},
      {"immutable=true", "data={\"a\":\"c\"}", "data Forbidden"},
      {"immutable=true", "binaryData={\"c\":\"BBBB\"}", "binaryData Forbidden"},
  });
}

TEST(CoreRulesTest, SecretsHaveWhatTheirTypeNeeds) {
  const RulesTester secrets("v1", "Secret", R"({"type": "Opaque", "data": {"a": "AAAA"}})");
  secrets.ExpectNew({
      {"data={\"a/b\":\"AAAA\"}", "data[a/b] Invalid"},
      {"type=kubernetes.io/service-account-token",
       "metadata.annotations[kubernetes.io/service-account.name] Required"},
      {"type=kubernetes.io/dockercfg", "data[.dockercfg] Required"},
      {"type=kubernetes.io/dockercfg & data={\".dockercfg\":\"e30=\"}", ""},
      {"type=kubernetes.io/dockerconfigjson & data={\".dockerconfigjson\":\"AAAA\"}",
       "data[.dockerconfigjson] Invalid"},
      {"type=kubernetes.io/basic-auth", "data[username] Required; data[password] Required"},
      {"type=kubernetes.io/basic-auth & data={\"username\":\"AAAA\"}", ""},
      {"type=kubernetes.io/ssh-auth", "data[ssh-privatekey] Required"},
      {"type=kubernetes.io/tls", "data[tls.crt] Required; data[tls.key] Required"},
      {"type=example.com/mine", ""},
  });
  secrets.ExpectChanged({
      {"", "type=example.com/mine", "type Invalid"},
      {"immutable=true", "immutable=", "immutable Forbidden"},
      {"immutable=true", "data={\"a\":\"BBBB\"}", "data Forbidden"},
  });
}

TEST(CoreRulesTest, NamespacesAreActiveUntilTheyAreDeleted) {
  const RulesTester spaces("v1", "Namespace",
                           R"({"spec": {"finalizers": ["kubernetes"]},
                               "status": {"phase": "Active"}})");
  spaces.ExpectNew({
      {"spec.finalizers[0]=mine", "spec.finalizers Invalid"},
      {"spec.finalizers[0]=example.com/mine", ""},
      {"spec.finalizers[0]=a b/c", "spec.finalizers Invalid"},
  });
  spaces.ExpectChanged({{"", "spec.finalizers[0]=mine", "spec.finalizers Invalid"}});
  spaces.ExpectChanged({{"", "spec.finalizers[0]=mine", "spec.finalizers[0] Invalid"}}, "finalize");
  spaces.ExpectChanged(
      {{"", "status.phase=Terminating", "status.Phase Invalid"},
       {"", "status.phase=Terminating & metadata.deletionTimestamp=2026-01-01T00:00:00Z", ""},
       {"", "metadata.deletionTimestamp=2026-01-01T00:00:00Z", "status.Phase Invalid"}},
      "status");
}

TEST(CoreRulesTest, LimitsAreInOrder) {
  const RulesTester ranges("v1", "LimitRange",
                           R"({"spec": {"limits": [{"type": "Container",
                               "min": {"cpu": "1"}, "max": {"cpu": "4"}, "default": {"cpu": "3"},
                               "defaultRequest": {"cpu": "2"}}]}})");
  const std::string at = "spec.limits[0].";
  ranges.ExpectNew({
      {at + "type=Other", at + "type Invalid"},
      {at + "type=example.com/x", ""},
      {"spec.limits[1].type=Container", "spec.limits[1].type Duplicate"},
      {at + "max={\"nope\":\"1\"}", at + "max[nope] Invalid; " + at + "max[nope] Invalid"},
      {at + "min.cpu=5", at + "min[cpu] Invalid; " + at + "defaultRequest[cpu] Invalid; " + at +
                             "default[cpu] Invalid"},
      {at + "defaultRequest.cpu=500m", at + "defaultRequest[cpu] Invalid"},
      {at + "defaultRequest.cpu=3500m", at + "defaultRequest[cpu] Invalid"},
      {at + "default.cpu=5", at + "default[cpu] Invalid"},
      {at + "maxLimitRequestRatio.cpu=500m", at + "maxLimitRequestRatio[cpu] Invalid"},
      {at + "maxLimitRequestRatio.cpu=5", at + "maxLimitRequestRatio[cpu] Invalid"},
      {at + "maxLimitRequestRatio.cpu=4", ""},
      {at + "type=Pod", at + "default Forbidden; " + at + "defaultRequest Forbidden"},
      {"spec.limits=[{\"type\":\"PersistentVolumeClaim\"}]", at + "limits Required"},
      {"spec.limits=[{\"type\":\"PersistentVolumeClaim\",\"min\":{\"storage\":\"1Gi\"}}]", ""},
  });
  ranges.ExpectChanged({{"", at + "type=Other", at + "type Invalid"}});
}

TEST(CoreRulesTest, QuotasCountWhatTheirScopeHas) {
  const RulesTester quotas("v1", "ResourceQuota",
                           R"({"spec": {"hard": {"pods": "5"}, "scopes": ["BestEffort"]}})");
  const std::string selector = "spec.scopes= & spec.scopeSelector.matchExpressions=";
  const std::string at = "spec.scopeSelector.matchExpressions";
  quotas.ExpectNew({
      {"spec.hard={\"nope\":\"1\"}", "spec.hard[nope] Invalid; spec.hard[nope] Invalid"},
      {"spec.hard.pods=-1", "spec.hard[pods] Invalid"},
      {"spec.hard.pods=500m", "spec.hard[pods] Invalid"},
      {"spec.hard={\"cpu\":\"1\"}", "spec.scopes Invalid"},
      {"spec.scopes=[\"Odd\"]", "spec.scopes Invalid"},
      {"spec.scopes=[\"BestEffort\",\"NotBestEffort\"]", "spec.scopes Invalid"},
      {selector + "[{\"scopeName\":\"PriorityClass\",\"operator\":\"In\",\"values\":[\"a\"]}]", ""},
      {selector + "[{\"scopeName\":\"Odd\",\"operator\":\"Exists\"}]", at + ".scopeName Invalid"},
      {selector + "[{\"scopeName\":\"PriorityClass\",\"operator\":\"In\"}]",
       at + ".values Required"},
      {selector + "[{\"scopeName\":\"PriorityClass\",\"operator\":\"Exists\",\"values\":[\"a\"]}]",
       at + ".values Invalid"},
      {selector + "[{\"scopeName\":\"Terminating\",\"operator\":\"DoesNotExist\"}]",
       at + ".operator Invalid"},
      {selector + "[{\"scopeName\":\"PriorityClass\",\"operator\":\"Like\"}]",
       at + ".operator Invalid"},
  });
  quotas.ExpectChanged({{"", "spec.scopes=[\"NotBestEffort\"]", "spec.scopes Invalid"},
                        {"", "spec.hard.pods=6", ""}});
  quotas.ExpectChanged({{"", "status.used={\"pods\":\"-1\"}", "status.used[pods] Invalid"},
                        {"", "status.hard={\"nope\":\"1\"}",
                         "status.hard[nope] Invalid; status.hard[nope] Invalid"}},
                       "status");
  EXPECT_EQ(quotas.Warnings("spec.hard={\"cpu\":\"2\",\"limits.cpu\":\"1\"}").size(), 1u);
}

TEST(CoreRulesTest, EndpointsHaveAddressesAndPorts) {
  const RulesTester endpoints("v1", "Endpoints",
                              R"({"subsets": [{"addresses": [{"ip": "10.0.0.1"}],
                                  "ports": [{"port": 80, "protocol": "TCP"}]}]})");
  const std::string at = "subsets[0]";
  endpoints.ExpectNew({
      {at + ".addresses=", at + " Required"},
      {at + ".addresses[0].ip=x",
       at + ".addresses[0].ip Invalid; " + at + ".addresses[0].ip Invalid"},
      {at + ".addresses[0].ip=127.0.0.1", at + ".addresses[0].ip Invalid"},
      {at + ".addresses[0].hostname=a.b", at + ".addresses[0].hostname Invalid"},
      {at + ".addresses[0].nodeName=A", at + ".addresses[0].nodeName Invalid"},
      {at + ".notReadyAddresses=[{\"ip\":\"169.254.0.1\"}]",
       at + ".notReadyAddresses[0].ip Invalid"},
      {at + ".ports[0].port=0", at + ".ports[0].port Invalid"},
      {at + ".ports[0].name=A", at + ".ports[0].name Invalid"},
      {at + ".ports[0].protocol=", at + ".ports[0].protocol Required"},
      {at + ".ports[0].protocol=X", at + ".ports[0].protocol NotSupported"},
      {at + ".ports[0].appProtocol=a b", at + ".ports[0].appProtocol Invalid"},
      {at + ".ports[1]={\"name\":\"b\",\"port\":81,\"protocol\":\"TCP\"}",
       at + ".ports[0].name Required"},
  });
  endpoints.ExpectChanged(
      {{at + ".addresses[0].ip=127.0.0.1", "metadata.labels={\"a\":\"b\"}", ""},
       {"", at + ".addresses[0].ip=127.0.0.1", at + ".addresses[0].ip Invalid"}});
}

TEST(CoreRulesTest, NodesKeepTheRangesTheyGot) {
  const RulesTester nodes("v1", "Node",
                          R"({"spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"],
                              "providerID": "p", "taints": [{"key": "k", "effect": "NoSchedule"}]},
                              "status": {"capacity": {"pods": "10"}}})");
  nodes.ExpectNew({
      {"spec.taints[0].key=a b", "metadata.taints[0].key Invalid"},
      {"spec.taints[0].value=a b", "metadata.taints[0].value Invalid"},
      {"spec.taints[0].effect=", "metadata.taints[0].effect Required"},
      {"spec.taints[0].effect=Never", "metadata.taints[0].effect NotSupported"},
      {"spec.taints[1]={\"key\":\"k\",\"effect\":\"NoSchedule\"}", "metadata.taints[1] Duplicate"},
      {"status.capacity.pods=-1", "status.capacity.pods Invalid"},
      {"status.allocatable={\"pods\":\"500m\"}", "status.allocatable.pods Invalid"},
      {"status.declaredFeatures=[\"B\",\"A\"]", "status.declaredFeatures[1] Invalid"},
      {"status.declaredFeatures=[\"a\"]", "status.declaredFeatures[0] Invalid"},
      {"status.declaredFeatures=[\"A\",\"A\"]", "status.declaredFeatures[1] Duplicate"},
      {"spec.podCIDRs[0]=10.0.0.1/24", "spec.podCIDRs[0] Invalid"},
      {"spec.podCIDRs[1]=10.0.1.0/24", "spec.podCIDRs Invalid"},
      {"spec.podCIDRs[1]=2001:db8::/64", ""},
  });
  nodes.ExpectChanged({
      {"", "spec.podCIDRs=[\"10.0.1.0/24\"]", "spec.podCIDRs Forbidden"},
      {"spec.podCIDRs=", "spec.podCIDRs=[\"10.0.1.0/24\"]", ""},
      {"", "spec.providerID=q", "spec.providerID Forbidden"},
      {"spec.providerID=", "spec.providerID=q", ""},
      {"", "spec.externalID=x", "spec.externalID Forbidden"},
      {"", "spec.taints[0].effect=",
       "metadata.taints[0].effect Required; "
       "metadata.taints[0].effect Required"},
  });
  nodes.ExpectChanged({{"",
                        "status.addresses=[{\"type\":\"a\",\"address\":\"b\"},{\"type\":\"a\","
                        "\"address\":\"b\"}]",
                        "status.addresses[1] Duplicate"}},
                      "status");
  EXPECT_EQ(nodes.Warnings("spec.externalID=x").size(), 1u);
}

TEST(CoreRulesTest, EventsBelongToTheNamespaceOfTheirObject) {
  const RulesTester events(kEventRules, "v1",
                           R"({"metadata": {"namespace": "n"},
                               "involvedObject": {"namespace": "n"}})");
  const std::string report =
      "eventTime=2026-01-01T00:00:00.000000Z & reportingComponent=c & reportingInstance=i & "
      "action=a & reason=r";
  events.ExpectNew({
      {"involvedObject.namespace=m", "involvedObject.namespace Invalid"},
      {"involvedObject.namespace=", "involvedObject.namespace Invalid"},
      {"involvedObject.namespace= & metadata.namespace=default", ""},
      {report, ""},
      {report + " & reportingComponent=",
       "reportingComponent Required; reportingComponent Invalid; "
       "reportingComponent Invalid"},
      {report + " & reportingInstance=", "reportingInstance Required"},
      {report + " & action=" + std::string(129, 'x'), "action Invalid"},
      {report + " & reason=", "reason Required"},
      {report + " & message=" + std::string(1025, 'x'), "message Invalid"},
  });
  events.ExpectChanged({{"", "message=anything", ""}});
}

TEST(CoreRulesTest, EventsOfTheirOwnGroupAreStricter) {
  const RulesTester events(kNewEventRules, "v1",
                           R"({"metadata": {"name": "e", "namespace": "n"}, "type": "Normal",
                               "involvedObject": {"namespace": "n"},
                               "eventTime": "2026-01-01T00:00:00.000000Z",
                               "reportingComponent": "c", "reportingInstance": "i",
                               "action": "a", "reason": "r"})");
  events.ExpectNew({
      {"metadata.name=A", "metadata.name Invalid"},
      {"eventTime=", "eventTime Required"},
      {"type=Odd", "type Invalid"},
      {"count=1", "count Invalid"},
      {"source.component=x", "source Invalid"},
      {"firstTimestamp=2026-01-01T00:00:00Z", "firstTimestamp Invalid"},
      {"lastTimestamp=2026-01-01T00:00:00Z", "lastTimestamp Invalid"},
      {"series={\"count\":1}", "series.count Invalid; series.lastObservedTime Required"},
      {"reportingComponent=a b", "reportingController Invalid"},
  });
  events.ExpectChanged({
      {"", "message=x", "message Invalid"},
      {"", "reason=x", "reason Invalid; reason Invalid"},
      {"", "type=Warning", "type Invalid"},
      {"", "action=x", "action Invalid"},
      {"", "reportingInstance=x", "reportingInstance Invalid"},
      {"", "series={\"count\":2,\"lastObservedTime\":\"2026-01-01T00:00:00.000000Z\"}", ""},
  });
}

TEST(CoreRulesTest, ServiceAccountsAreWarnedOfAnOldAnnotation) {
  const RulesTester accounts("v1", "ServiceAccount", "{}");
  EXPECT_EQ(accounts.Warnings("").size(), 0u);
  EXPECT_EQ(accounts
                .Warnings("metadata.annotations={\"kubernetes.io/enforce-mountable-secrets\":"
                          "\"true\"}")
                .size(),
            1u);
}

}  // namespace
}  // namespace skiff::apiserver

#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

RulesTester Slices() {
  return {"discovery.k8s.io/v1", "EndpointSlice",
          R"({"addressType": "IPv4",
              "ports": [{"name": "http", "protocol": "TCP", "port": 80}],
              "endpoints": [{"addresses": ["10.1.2.3"]}]})"};
}

TEST(DiscoveryRulesTest, ASliceHasAddressesOfOneType) {
  Slices().ExpectNew({
      {"addressType=", "addressType Required"},
      {"addressType=IPX", "addressType NotSupported"},
      {"endpoints[0].addresses=", "endpoints[0].addresses Required"},
      {"endpoints[0].addresses[0]=10.1.2", "endpoints[0].addresses[0] Invalid"},
      {"endpoints[0].addresses[0]=127.0.0.1", "endpoints[0].addresses[0] Invalid"},
      {"endpoints[0].addresses[0]=2001:db8::1", "endpoints[0].addresses Invalid"},
      {"addressType=IPv6", "endpoints[0].addresses Invalid"},
      {"addressType=IPv6 & endpoints[0].addresses[0]=2001:db8::1", ""},
      {"addressType=IPv6 & endpoints[0].addresses[0]=2001:DB8::1",
       "endpoints[0].addresses[0] Invalid"},
      {"addressType=FQDN & endpoints[0].addresses[0]=example.com.", ""},
      {"addressType=FQDN & endpoints[0].addresses[0]=local", "endpoints[0].addresses[0] Invalid"},
      {"addressType=FQDN & endpoints[0].addresses[0]=A.b", "endpoints[0].addresses[0] Invalid"},
  });
}

TEST(DiscoveryRulesTest, EndpointsAndPortsAreNamedAsDnsNamesThem) {
  Slices().ExpectNew({
      {"endpoints[0].nodeName=A", "endpoints[0].nodeName Invalid"},
      {"endpoints[0].hostname=a.b", "endpoints[0].hostname Invalid"},
      {"endpoints[0].deprecatedTopology={\"a b\":\"c\"}",
       "endpoints[0].deprecatedTopology Invalid"},
      {"endpoints[0].hints.forZones=[{\"name\":\"a\"},{\"name\":\"a\"}]",
       "endpoints[0].hints.forZones[1].name Duplicate"},
      {"endpoints[0].hints.forZones=[{\"name\":\"a b\"}]",
       "endpoints[0].hints.forZones[0].name Invalid"},
      {"endpoints[0].hints.forNodes=[{\"name\":\"A\"}]",
       "endpoints[0].hints.forNodes[0].name Invalid"},
      {"ports[0].name=A", "ports[0].name Invalid"},
      {"ports[1]={\"name\":\"http\",\"protocol\":\"UDP\"}", "ports[1].name Duplicate"},
      {"ports[0].protocol=", "ports[0].protocol Required"},
      {"ports[0].protocol=HTTP", "ports[0].protocol NotSupported"},
      {"ports[0].appProtocol=a b", "ports[0].appProtocol Invalid"},
      {"ports[0].appProtocol=example.com/x", ""},
  });
}

TEST(DiscoveryRulesTest, ThereAreBoundsOnEveryList) {
  std::string names = "[{\"name\":\"z0\"}";
  for (int i = 1; i < 9; ++i) names += ",{\"name\":\"z" + std::to_string(i) + "\"}";
  names += "]";
  std::string addresses = "[\"10.0.0.1\"";
  for (int i = 1; i < 101; ++i) addresses += ",\"10.0.0.1\"";
  addresses += "]";
  Slices().ExpectNew({
      {"endpoints[0].hints.forZones=" + names, "endpoints[0].hints.forZones TooMany"},
      {"endpoints[0].hints.forNodes=" + names, "endpoints[0].hints.forNodes TooMany"},
      {"endpoints[0].addresses=" + addresses, "endpoints[0].addresses TooMany"},
  });
}

TEST(DiscoveryRulesTest, TheTypeStaysAndUnchangedEndpointsAreNotLookedAtAgain) {
  Slices().ExpectChanged({
      {"", "addressType=IPv6", "addressType Invalid"},
      {"endpoints[0].addresses[0]=127.0.0.1", "ports=", ""},
      {"endpoints[0].addresses[0]=127.0.0.1", "endpoints[0].hostname=a",
       "endpoints[0].addresses[0] Invalid"},
  });
}

}  // namespace
}  // namespace skiff::apiserver

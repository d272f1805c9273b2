#include "apiserver/registry/services.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "apiserver/registry/testing.h"
#include "base/thread.h"

namespace skiff {
namespace {

class Services : public ServiceTestBase {};

std::vector<IpRange> Ranges(std::initializer_list<std::string_view> texts) {
  std::vector<IpRange> out;
  for (const std::string_view text : texts) out.push_back(*IpRange::Parse(text));
  return out;
}

constexpr char kPorts[] = R"({"ports":[{"port":80}],"selector":{"a":"b"}})";

TEST_F(Services, GetAnAddressInTheTransactionThatCreatesThem) {
  Open();
  const std::string spec = Create("a", kPorts);
  const std::string address = Member(spec, "clusterIP");
  EXPECT_TRUE(address.starts_with("10.0.0.")) << spec;
  EXPECT_EQ(Member(spec, "clusterIPs"), "[" + address + "]");
  EXPECT_EQ(Member(spec, "ipFamilies"), "[IPv4]");
  EXPECT_EQ(Member(spec, "ipFamilyPolicy"), "SingleStack");
  EXPECT_EQ(Addresses(), std::vector<std::string>{address + "=ns/a"});
  const auto all = RangeAndWait(*store_, {.range = KeyRange::All()});
  std::set<int64_t> revisions;
  for (const KeyValue& entry : all->entries) revisions.insert(entry.mod_revision.value);
  EXPECT_EQ(revisions.size(), 1U);
}

TEST_F(Services, GiveTheirAddressBackWhenTheyGo) {
  Open();
  Create("a", kPorts);
  Delete("a");
  EXPECT_EQ(Addresses(), std::vector<std::string>{});
}

TEST_F(Services, MayAskForAnAddressThatIsFree) {
  Open();
  EXPECT_EQ(Member(Create("a", R"({"clusterIP":"10.0.0.11"})"), "clusterIPs"), "[10.0.0.11]");
  EXPECT_EQ(Create("b", R"({"clusterIP":"10.0.0.11"})"),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.11\"]: failed to "
            "allocate IP 10.0.0.11: provided IP is already allocated");
  EXPECT_EQ(Create("c", R"({"clusterIP":"10.0.0.255"})"),
            "Service \"c\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.255\"]: failed to "
            "allocate IP 10.0.0.255: the provided network does not match the current range");
  Delete("a");
  EXPECT_EQ(Member(Create("b", R"({"clusterIP":"10.0.0.11"})"), "clusterIP"), "10.0.0.11");
}

TEST_F(Services, TakeNothingInADryRun) {
  Open();
  EXPECT_EQ(Member(Create("a", kPorts, true), "clusterIP"), "10.0.0.0");
  EXPECT_EQ(Addresses(), std::vector<std::string>{});
}

TEST_F(Services, WithoutAClusterIpGetNone) {
  Open();
  EXPECT_EQ(Member(Create("a", R"({"clusterIP":"None","selector":{"a":"b"}})"), "ipFamilies"),
            "[IPv4]");
  const std::string selectorless = Create("b", R"({"clusterIP":"None"})");
  EXPECT_EQ(Member(selectorless, "ipFamilies"), "[IPv4,IPv6]");
  EXPECT_EQ(Member(selectorless, "ipFamilyPolicy"), "RequireDualStack");
  EXPECT_EQ(Create("c", R"({"type":"ExternalName","externalName":"x"})"),
            R"({"type":"ExternalName","externalName":"x"})");
  EXPECT_EQ(Addresses(), std::vector<std::string>{});
  EXPECT_EQ(Update("a", R"({"clusterIP":"10.0.0.12"})"),
            "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.12\"]: may not "
            "change once set");
}

TEST_F(Services, TakeAndGiveBackWhenTheirTypeChanges) {
  Open();
  Create("a", R"({"type":"ExternalName","externalName":"x","ports":[{"port":80}]})");
  const std::string spec = Update("a", R"({"type":"NodePort"})");
  EXPECT_EQ(Addresses(), std::vector<std::string>{Member(spec, "clusterIP") + "=ns/a"});
  EXPECT_EQ(TakenPorts().size(), 1U);
  EXPECT_EQ(Member(Update("a", R"({"type":"ClusterIP"})"), "nodePort"), "");
  EXPECT_EQ(TakenPorts().size(), 0U);
  EXPECT_EQ(Member(Update("a", R"({"type":"ExternalName"})"), "clusterIP"), "");
  EXPECT_EQ(Addresses(), std::vector<std::string>{});
}

TEST_F(Services, OfDualStackClustersGetOneAddressOfEachFamily) {
  Open({.ranges = Ranges({"10.0.0.0/24", "fd00::/112"})});
  const std::string both = Create("a", R"({"ipFamilyPolicy":"PreferDualStack"})");
  EXPECT_EQ(Member(both, "ipFamilies"), "[IPv4,IPv6]");
  EXPECT_EQ(Addresses().size(), 2U);
  const std::string one = Update("a", R"({"ipFamilyPolicy":"SingleStack"})");
  EXPECT_EQ(Member(one, "ipFamilies"), "[IPv4]");
  EXPECT_EQ(Addresses(), std::vector<std::string>{Member(one, "clusterIP") + "=ns/a"});
  const std::string again = Update("a", R"({"ipFamilyPolicy":"RequireDualStack"})");
  EXPECT_EQ(Member(again, "ipFamilies"), "[IPv4,IPv6]");
  EXPECT_EQ(Addresses().size(), 2U);
  EXPECT_EQ(Member(Create("b", R"({"ipFamilies":["IPv6"]})"), "clusterIP").substr(0, 6), "fd00::");
}

TEST_F(Services, OfSingleStackClustersCannotRequireTwoFamilies) {
  Open();
  EXPECT_EQ(Create("a", R"({"ipFamilyPolicy":"RequireDualStack"})"),
            "Service \"a\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": "
            "this cluster is not configured for dual-stack services");
  EXPECT_EQ(Create("a", R"({"ipFamilies":["IPv6"]})"),
            "Service \"a\" is invalid: spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured "
            "on this cluster");
  EXPECT_EQ(Create("a", R"({"clusterIPs":["10.0.0.13","10.0.0.14"]})"),
            "Service \"a\" is invalid: [spec.clusterIPs: Invalid value: "
            "[\"10.0.0.13\",\"10.0.0.14\"]: must be empty when `clusterIP` is not specified, "
            "spec.clusterIPs: Invalid value: [\"10.0.0.13\",\"10.0.0.14\"]: may specify no more "
            "than one IP for each IP family]");
}

TEST_F(Services, ShareANodePortBetweenProtocols) {
  Open();
  const std::string spec = Create("a", R"({"type":"NodePort","ports":[
      {"name":"a","port":53,"protocol":"TCP"},{"name":"b","port":53,"protocol":"UDP"}]})");
  ASSERT_EQ(TakenPorts().size(), 1U);
  EXPECT_EQ(Member(spec, "nodePort"), std::to_string(TakenPorts()[0]));
  EXPECT_GE(TakenPorts()[0], 30086);
}

TEST_F(Services, MayAskForANodePortThatIsFree) {
  Open();
  Create("a", R"({"type":"NodePort","ports":[{"port":80,"nodePort":30017}]})");
  EXPECT_EQ(Create("b", R"({"type":"NodePort","ports":[{"port":80,"nodePort":30017}]})"),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 30017: provided port "
            "is already allocated");
  EXPECT_EQ(Create("c", R"({"type":"NodePort","ports":[{"port":80,"nodePort":29999}]})"),
            "Service \"c\" is invalid: spec.ports[0].nodePort: Invalid value: 29999: provided port "
            "is not in the valid range. The range of valid ports is 30000-32767");
  Delete("a");
  EXPECT_EQ(TakenPorts(), std::vector<int32_t>{});
}

TEST_F(Services, KeepWhatTheyHaveWhenAnUpdateLeavesItOut) {
  Open();
  const std::string before =
      Create("a", R"({"type":"NodePort","ports":[{"name":"x","port":80,"nodePort":30017}]})");
  const std::string after = Update("a", R"({"ports":[{"name":"x","port":81}]})");
  EXPECT_EQ(Member(after, "nodePort"), "30017");
  EXPECT_EQ(Member(after, "clusterIP"), Member(before, "clusterIP"));
  EXPECT_EQ(TakenPorts(), std::vector<int32_t>{30017});
}

TEST_F(Services, WithLocalTrafficHaveAHealthCheckPort) {
  Open();
  Create("a", R"({"type":"LoadBalancer","externalTrafficPolicy":"Local",
      "healthCheckNodePort":30019,"allocateLoadBalancerNodePorts":false,"ports":[{"port":80}]})");
  EXPECT_EQ(TakenPorts(), std::vector<int32_t>{30019});
  EXPECT_EQ(Member(Update("a", R"({"externalTrafficPolicy":"Cluster"})"), "healthCheckNodePort"),
            "");
  EXPECT_EQ(TakenPorts(), std::vector<int32_t>{});
}

TEST_F(Services, CreatedAtTheSameTimeGetDifferentAddressesUntilNoneIsLeft) {
  Open();
  std::mutex mutex;
  std::set<std::string> addresses;
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < 4; ++t) {
      threads.push_back(std::make_unique<Thread>("create", [&, t] {
        for (int i = 0; i < 63; ++i) {
          const std::string spec = Create("s" + std::to_string(t) + "-" + std::to_string(i), "{}");
          std::lock_guard lock(mutex);
          addresses.insert(Member(spec, "clusterIP"));
        }
      }));
    }
  }
  EXPECT_EQ(addresses.size(), 252U);
  EXPECT_EQ(Addresses().size(), 252U);
  Create("x", "{}");
  Create("y", "{}");
  EXPECT_EQ(Create("z", "{}"),
            "Internal error occurred: failed to allocate a serviceIP for Service \"z\": range is "
            "full");
}

TEST_F(Services, CreatedAtTheSameTimeGetDifferentNodePorts) {
  Open();
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < 4; ++t) {
    threads.push_back(std::make_unique<Thread>("create", [&, t] {
      for (int i = 0; i < 20; ++i) {
        Create("s" + std::to_string(t) + "-" + std::to_string(i),
               R"({"type":"NodePort","ports":[{"port":80}]})");
      }
    }));
  }
  threads.clear();
  EXPECT_EQ(TakenPorts().size(), 80U);
}

TEST_F(Services, AreGivenWhatTheyLackByARepair) {
  Open();
  const std::string spec =
      Create("a", R"({"type":"NodePort","ports":[{"port":80,"nodePort":30017}]})");
  const std::string address = Member(spec, "clusterIP");
  ASSERT_TRUE(
      CommitAndWait(*store_, {{},
                              {{Write::Kind::kDelete, "/registry/ipaddresses/" + address, {}, {}},
                               {Write::Kind::kPut,
                                "/registry/ranges/servicenodeports",
                                SharedBytes(PortBitmap(30000, 32767).Encode()),
                                {}}}}));
  ASSERT_TRUE(services_->Repair(clock_, random_));
  EXPECT_EQ(Addresses(), std::vector<std::string>{address + "=ns/a"});
  EXPECT_EQ(TakenPorts(), std::vector<int32_t>{30017});
}

TEST_F(Services, ThatAreGoneLoseWhatIsLeftOfThemAtTheSecondRepair) {
  Open();
  const std::string spec =
      Create("a", R"({"type":"NodePort","ports":[{"port":80,"nodePort":30017}]})");
  ASSERT_TRUE(CommitAndWait(
      *store_, {{}, {{Write::Kind::kDelete, "/registry/services/specs/ns/a", {}, {}}}}));
  ASSERT_TRUE(services_->Repair(clock_, random_));
  EXPECT_EQ(Addresses().size(), 1U);
  EXPECT_EQ(TakenPorts().size(), 1U);
  ASSERT_TRUE(services_->Repair(clock_, random_));
  EXPECT_EQ(Addresses().size(), 0U);
  EXPECT_EQ(TakenPorts().size(), 0U);
}

TEST_F(Services, GetAddressesOfEveryServiceCidrThatIsReady) {
  Open();
  const auto put = [&](const std::string& name, const std::string& json) {
    const auto object =
        DecodeJson(json, Storage("networking.k8s.io", "servicecidrs")->desc().stored);
    std::string bytes;
    EncodeStorage(object->root(), &bytes);
    ASSERT_TRUE(CommitAndWait(
        *store_,
        {{}, {{Write::Kind::kPut, "/registry/servicecidrs/" + name, SharedBytes(bytes), {}}}}));
  };
  put("kubernetes", R"({"metadata":{"name":"kubernetes"},"spec":{"cidrs":["10.0.0.0/30"]}})");
  put("not-ready", R"({"metadata":{"name":"not-ready"},"spec":{"cidrs":["10.0.7.0/30"]},
      "status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  put("zz", R"({"metadata":{"name":"zz"},"spec":{"cidrs":["10.0.9.0/30"]}})");
  for (const char* name : {"a", "b", "c", "d"}) Create(name, "{}");
  std::vector<std::string> found = Addresses();
  for (std::string& each : found) each = each.substr(0, each.find('='));
  EXPECT_EQ(found, (std::vector<std::string>{"10.0.0.1", "10.0.0.2", "10.0.9.1", "10.0.9.2"}));
  EXPECT_TRUE(Create("e", "{}").ends_with("range is full"));
}

}  // namespace
}  // namespace skiff

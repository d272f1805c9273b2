#include "apiserver/registry/core/service_behaviour.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

// Services over a store in memory, written as the handlers do it.
class ServiceTestBase : public ::testing::Test {
 protected:
  // The settings may have ranges; otherwise 10.0.0.0/24.
  void Open(ServiceSettings settings = {}) {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    auto store = store::EmbeddedStore::Open(std::move(options));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::move(*store);
    leases_ = std::make_unique<store::LeasePool>(*store_, clock_);
    environment_ = std::make_unique<StorageEnvironment>(
        StorageEnvironment{*store_, clock_, random_, *leases_, KindDefaults()});
    const object::ResourceHub* hubs[] = {
        object::FindResource("", "v1", "services")->hub,
        object::FindResource("", "v1", "endpoints")->hub,
        object::FindResource("networking.k8s.io", "v1", "ipaddresses")->hub,
        object::FindResource("networking.k8s.io", "v1", "servicecidrs")->hub};
    auto storages = StorageSet::Make(hubs, *environment_);
    ASSERT_TRUE(storages) << storages.error().ToString();
    storages_ = std::move(*storages);
    storages_->Start();
    ASSERT_TRUE(storages_->WaitUntilReady(clock_.Monotonic() + std::chrono::seconds(60)));
    services_ = std::make_unique<ServiceBehaviour>(*storages_, std::move(settings));
    ASSERT_TRUE(services_->Follow());
  }
  void TearDown() override {
    services_.reset();
    if (storages_) storages_->Stop();
  }

  ResourceStorage* Storage(std::string_view group, std::string_view resource) {
    return storages_->Find(object::FindResource(group, "v1", resource)->hub);
  }
  ResourceStorage* Services() { return Storage("", "services"); }

  // `spec` as JSON. The answer is the spec that was stored, or the error's message.
  std::string Create(const std::string& name, const std::string& spec, bool dry_run = false) {
    const std::string json =
        R"({"metadata":{"name":")" + name + R"(","namespace":"ns"},"spec":)" + spec + "}";
    ObjectChange change = NewChange(name, dry_run);
    change.assume_absent = true;
    change.decide = [this, json, dry_run](const CurrentObject* current) -> Result<Change> {
      if (current != nullptr) return Fail(StatusReason::kAlreadyExists, "exists");
      Change out;
      out.kind = Change::Kind::kWrite;
      SKIFF_ASSIGN_OR_RETURN(out.object, object::DecodeJson(json, Services()->desc().stored));
      WriteContext write = Write(out, dry_run);
      SKIFF_RETURN_IF_ERROR(services_->PrepareForCreate(write, out.object));
      return out;
    };
    return Run(std::move(change));
  }
  // `spec` has what shall change.
  std::string Update(const std::string& name, const std::string& spec) {
    ObjectChange change = NewChange(name, false);
    change.decide = [this, spec](const CurrentObject* current) -> Result<Change> {
      if (current == nullptr) return Fail(StatusReason::kNotFound, "not there");
      SKIFF_ASSIGN_OR_RETURN(object::Document old, current->Decode());
      SKIFF_ASSIGN_OR_RETURN(
          const object::Document patch,
          object::DecodeJson(R"({"spec":)" + spec + "}", Services()->desc().stored));
      Change out;
      out.kind = Change::Kind::kWrite;
      out.object = old.Copy();
      object::Value* target = out.object.root().Find("spec");
      const object::Value& changes = *patch.root().Find("spec");
      for (const object::Value& member : changes.members()) {
        target->SetMember(out.object.arena(), member.field(), member.CopyInto(out.object.arena()));
      }
      WriteContext write = Write(out, false);
      SKIFF_RETURN_IF_ERROR(services_->PrepareForUpdate(write, old, out.object));
      return out;
    };
    return Run(std::move(change));
  }
  void Delete(const std::string& name) {
    ObjectChange change = NewChange(name, false);
    change.decide = [this](const CurrentObject* current) -> Result<Change> {
      if (current == nullptr) return Fail(StatusReason::kNotFound, "not there");
      Change out;
      out.kind = Change::Kind::kRemove;
      SKIFF_ASSIGN_OR_RETURN(out.object, current->Decode());
      WriteContext write = Write(out, false);
      SKIFF_RETURN_IF_ERROR(services_->OnRemove(write, out.object));
      return out;
    };
    Run(std::move(change));
  }

  // The text of a member of a spec, without quotes.
  static std::string Member(const std::string& spec, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const size_t at = spec.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    const size_t end = spec.find_first_of(spec[begin] == '[' ? "]" : ",}", begin);
    std::string out = spec.substr(begin, end - begin + (spec[begin] == '[' ? 1 : 0));
    std::erase(out, '"');
    return out;
  }
  // The IPAddress objects, "10.0.0.3=ns/a".
  std::vector<std::string> Addresses() {
    std::vector<std::string> out;
    const auto reply =
        store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/registry/ipaddresses/")});
    for (const store::KeyValue& entry : reply->entries) {
      const auto object = DecodeStored(entry.value.view(), {});
      const object::Value* parent = object->root().FindPath({"spec", "parentRef"});
      out.push_back(entry.key.substr(std::string_view("/registry/ipaddresses/").size()) + "=" +
                    std::string(parent->Find("namespace")->AsText()) + "/" +
                    std::string(parent->Find("name")->AsText()));
    }
    return out;
  }
  std::vector<int32_t> TakenPorts() {
    const auto reply = store::RangeAndWait(
        *store_, {.range = store::KeyRange::Single("/registry/ranges/servicenodeports")});
    if (reply->entries.empty()) return {};
    return PortBitmap::Decode(30000, 32767, reply->entries[0].value.view())->Taken();
  }

  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<store::LeasePool> leases_;
  std::unique_ptr<StorageEnvironment> environment_;
  std::unique_ptr<StorageSet> storages_;
  std::unique_ptr<ServiceBehaviour> services_;

 private:
  ObjectChange NewChange(const std::string& name, bool dry_run) {
    ObjectChange change;
    change.storage = Services();
    change.name_space = "ns";
    change.name = name;
    change.dry_run = dry_run;
    return change;
  }
  WriteContext Write(Change& change, bool dry_run) {
    return {*Services()->hub().resource,
            {},
            NowOf(clock_),
            random_,
            nullptr,
            change.also,
            kDefaultSettings,
            dry_run};
  }
  static std::string Run(ObjectChange change) {
    const Result<Changed> changed =
        store::Await<Changed>([&](auto done) { ChangeObject(std::move(change), std::move(done)); });
    if (!changed) return changed.error().message();
    const Result<object::Document> object = DecodeStored(changed->bytes.view(), {});
    return object::EncodeJson(*object->root().Find("spec"));
  }
};

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
  const auto all = store::RangeAndWait(*store_, {.range = store::KeyRange::All()});
  std::set<int64_t> revisions;
  for (const store::KeyValue& entry : all->entries) revisions.insert(entry.mod_revision.value);
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
  const std::string elsewhere = Create("c", R"({"type":"ExternalName","externalName":"x"})");
  EXPECT_EQ(Member(elsewhere, "clusterIP"), "");
  EXPECT_EQ(Member(elsewhere, "ipFamilies"), "");
  EXPECT_EQ(Addresses(), std::vector<std::string>{});
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
  ASSERT_TRUE(store::CommitAndWait(
      *store_, {{},
                {{store::Write::Kind::kDelete, "/registry/ipaddresses/" + address, {}, {}},
                 {store::Write::Kind::kPut,
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
  ASSERT_TRUE(store::CommitAndWait(
      *store_, {{}, {{store::Write::Kind::kDelete, "/registry/services/specs/ns/a", {}, {}}}}));
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
        object::DecodeJson(json, Storage("networking.k8s.io", "servicecidrs")->desc().stored);
    std::string bytes;
    object::EncodeStorage(object->root(), &bytes);
    ASSERT_TRUE(store::CommitAndWait(
        *store_,
        {{},
         {{store::Write::Kind::kPut, "/registry/servicecidrs/" + name, SharedBytes(bytes), {}}}}));
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
}  // namespace skiff::apiserver

#include "apiserver/bootstrap/bootstrap.h"

#include <atomic>
#include <map>

#include <gtest/gtest.h>

#include "apiserver/authz/authorizers.h"
#include "apiserver/defaults/testing.h"
#include "apiserver/discovery/runtime_config.h"
#include "apiserver/rest/deadlines.h"
#include "apiserver/rest/object_output.h"
#include "base/random.h"
#include "object/json/encode.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

std::vector<const object::ResourceHub*> HubsOf(const ServedResources& served) {
  std::vector<const object::ResourceHub*> out;
  for (const ServedGroup& group : served.groups()) {
    for (const ServedVersion& version : group.versions) {
      for (const ServedResource& resource : version.resources) out.push_back(resource.desc->hub);
    }
  }
  return out;
}

// An API server without anything that serves.
class Server {
 public:
  Server(const std::shared_ptr<store::MemoryDisk>& disk, Clock& clock, std::string_view address)
      : clock_(clock),
        served_(*RuntimeConfig::Parse(""), FeatureGates({{"AllAlpha", true}, {"AllBeta", true}})),
        log_(clock, sink_) {
    store::EmbeddedOptions options;
    options.open_engine = [disk] { return disk->Open(); };
    options.clock = &clock;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    own_store_ = std::move(*store::EmbeddedStore::Open(std::move(options)));
    Begin(*own_store_, address);
  }
  // A second server of the same cluster.
  Server(Server& other, std::string_view address)
      : clock_(other.clock_),
        served_(*RuntimeConfig::Parse(""), FeatureGates({{"AllAlpha", true}, {"AllBeta", true}})),
        log_(clock_, sink_) {
    Begin(*other.store_, address);
  }
  ~Server() {
    bootstrap_.reset();
    registry_.reset();
    storages_->Stop();
  }

  void Begin(store::Store& store, std::string_view address) {
    store_ = &store;
    leases_ = std::make_unique<store::LeasePool>(store, clock_);
    environment_ = std::make_unique<StorageEnvironment>(
        StorageEnvironment{store, clock_, random_, *leases_, KindDefaults()});
    storages_ = std::move(*StorageSet::Make(HubsOf(served_), *environment_));
    storages_->Start();
    EXPECT_TRUE(storages_->WaitUntilReady(Clock::kForever));
    deadlines_ = std::make_unique<Deadlines>(clock_);
    rest_ = std::make_unique<RestContext>(clock_, random_, *deadlines_, KindDefaults(),
                                          kDefaultSettings);
    registry_ =
        std::make_unique<Registry>(RegistryContext{*storages_, clock_, random_, authorizer_});
    BootstrapOptions options;
    options.service_ranges = {*IpRange::Parse("10.0.0.0/24")};
    options.advertise_address = *IpAddress::Parse(address);
    options.host_name = "host";
    options.authentication.client_ca_pem =
        "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
    options.authentication_now = [this] {
      AuthenticationInfo out;
      out.client_ca_pem = ca_is_renewed
                              ? "-----BEGIN CERTIFICATE-----\nBB==\n-----END CERTIFICATE-----\n"
                              : "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
      return out;
    };
    bootstrap_ = std::make_unique<Bootstrap>(
        BootstrapContext{*storages_, store, *registry_, *rest_, served_, log_}, options);
  }

  void Start() { bootstrap_->Start(); }
  void Drain() { bootstrap_->Drain(); }
  std::string Log() { return sink_.Text(); }
  store::Store& store() { return *store_; }
  std::atomic<bool> ca_is_renewed{false};

  std::map<std::string, int64_t> Keys() {
    std::map<std::string, int64_t> out;
    const auto reply = store::RangeAndWait(*store_, {.range = store::KeyRange::All()});
    for (const store::KeyValue& entry : reply->entries) out[entry.key] = entry.mod_revision.value;
    return out;
  }
  std::string Json(std::string_view key) {
    const auto reply = store::RangeAndWait(
        *store_, {.range = store::KeyRange::Single("/registry/" + std::string(key))});
    if (reply->entries.empty()) return "none";
    const auto object = DecodeStored(reply->entries[0].value.view(), {});
    return object ? object::EncodeJson(object->root()) : object.error().message();
  }

 private:
  Clock& clock_;
  SystemRandom random_;
  ServedResources served_;
  MemoryLogSink sink_;
  skiff::Log log_;
  std::unique_ptr<store::EmbeddedStore> own_store_;
  store::Store* store_ = nullptr;
  std::unique_ptr<store::LeasePool> leases_;
  std::unique_ptr<StorageEnvironment> environment_;
  std::unique_ptr<StorageSet> storages_;
  std::unique_ptr<Deadlines> deadlines_;
  std::unique_ptr<RestContext> rest_;
  AlwaysAllow authorizer_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Bootstrap> bootstrap_;
};

class BootstrapTest : public ::testing::Test {
 protected:
  // Until the object has, or has not, the text.
  static bool WaitFor(Server& server, std::string_view key, std::string_view text,
                      bool has = true) {
    SystemClock clock;
    std::mutex mutex;
    std::condition_variable wake;
    const Duration deadline = clock.Monotonic() + std::chrono::seconds(60);
    while (clock.Monotonic() < deadline) {
      if ((server.Json(key).find(text) != std::string::npos) == has) return true;
      std::unique_lock lock(mutex);
      clock.WaitUntil(wake, lock, clock.Monotonic() + std::chrono::milliseconds(2));
    }
    ADD_FAILURE() << server.Json(key) << server.Log();
    return false;
  }
  static bool WaitForStart(Server& server, std::string_view address) {
    return WaitFor(server, "endpointslices/default/kubernetes", address);
  }

  ManualClock clock_;
  std::shared_ptr<store::MemoryDisk> disk_ = store::MemoryDisk::Make();
};

TEST_F(BootstrapTest, MakesWhatEveryClusterHas) {
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  const std::map<std::string, int64_t> keys = server.Keys();
  for (const std::string_view key :
       {"namespaces/default", "namespaces/kube-system", "namespaces/kube-public",
        "namespaces/kube-node-lease", "priorityclasses/system-node-critical",
        "priorityclasses/system-cluster-critical", "services/specs/default/kubernetes",
        "services/endpoints/default/kubernetes", "endpointslices/default/kubernetes",
        "ipaddresses/10.0.0.1", "servicecidrs/kubernetes", "masterleases/192.0.2.1",
        "flowschemas/system-leader-election", "prioritylevelconfigurations/workload-low",
        "apiregistration.k8s.io/apiservices/v1.", "apiregistration.k8s.io/apiservices/v1.apps",
        "configmaps/kube-system/extension-apiserver-authentication",
        "configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking"}) {
    EXPECT_TRUE(keys.contains("/registry/" + std::string(key))) << key;
  }
  EXPECT_TRUE(WaitFor(server, "namespaces/default", R"("finalizers":["kubernetes"])"));
  EXPECT_TRUE(WaitFor(server, "namespaces/default", R"("phase":"Active")"));
  EXPECT_TRUE(WaitFor(server, "services/specs/default/kubernetes", R"("clusterIP":"10.0.0.1")"));
  EXPECT_TRUE(WaitFor(server, "services/specs/default/kubernetes", R"("ipFamilies":["IPv4"])"));
  EXPECT_TRUE(WaitFor(server, "servicecidrs/kubernetes", R"("status":"True")"));
  EXPECT_TRUE(WaitFor(server, "flowschemas/probes", R"("generation":1)"));
}

TEST_F(BootstrapTest, FindsEverythingInPlaceAtTheNextStart) {
  std::map<std::string, int64_t> before;
  {
    Server server(disk_, clock_, "192.0.2.1");
    server.Start();
    ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
    before = server.Keys();
  }
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  const std::string lease = "/registry/masterleases/192.0.2.1";
  while (server.Keys()[lease] == before[lease]) {
  }
  server.Drain();
  // What says that the server lives is new, and its end changes the endpoints.
  for (const auto& [key, revision] : server.Keys()) {
    if (key.starts_with("/registry/leases/") || key.find("default/kubernetes") != key.npos)
      continue;
    EXPECT_EQ(before[key], revision) << key;
  }
}

TEST_F(BootstrapTest, NobodyWaitsAtTheEndForAStoreThatCannotBeWritten) {
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  disk_->SetFull(true);
  store::Transaction put;
  put.writes.push_back(
      {store::Write::Kind::kPut, "/registry/a", SharedBytes(std::string("1")), {}});
  ASSERT_FALSE(store::CommitAndWait(server.store(), std::move(put)));
  server.Drain();
  EXPECT_NE(server.Log().find("until its key expires"), std::string::npos) << server.Log();
}

TEST_F(BootstrapTest, AFlowSchemaSaysThatItsPriorityLevelIsGone) {
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  ASSERT_TRUE(WaitFor(server, "flowschemas/service-accounts", R"("reason":"Found")"));
  store::Transaction remove;
  remove.writes.push_back(
      {store::Write::Kind::kDelete, "/registry/prioritylevelconfigurations/workload-low", {}, {}});
  ASSERT_TRUE(store::CommitAndWait(server.store(), std::move(remove)));
  // Long before the level itself is made anew.
  clock_.Advance(std::chrono::seconds(3));
  EXPECT_TRUE(WaitFor(server, "flowschemas/service-accounts", R"("reason":"NotFound")"));
  EXPECT_TRUE(WaitFor(server, "flowschemas/service-accounts", R"("operation":"Apply")"));
}

TEST_F(BootstrapTest, MakesAnewWhatSomebodyDeleted) {
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  store::Transaction remove;
  for (const char* key : {"namespaces/kube-public", "services/specs/default/kubernetes",
                          "ipaddresses/10.0.0.1", "services/endpoints/default/kubernetes"}) {
    remove.writes.push_back({store::Write::Kind::kDelete, "/registry/" + std::string(key), {}, {}});
  }
  ASSERT_TRUE(store::CommitAndWait(server.store(), std::move(remove)));
  clock_.Advance(std::chrono::seconds(11));
  EXPECT_TRUE(WaitFor(server, "services/specs/default/kubernetes", "10.0.0.1"));
  EXPECT_TRUE(WaitFor(server, "services/endpoints/default/kubernetes", "192.0.2.1"));
  EXPECT_EQ(server.Json("namespaces/kube-public"), "none");
  clock_.Advance(std::chrono::seconds(50));
  EXPECT_TRUE(WaitFor(server, "namespaces/kube-public", "Active"));
}

TEST_F(BootstrapTest, RemovesAtTheStartWhatAnEarlierServerHasRegistered) {
  const std::string prefix = "apiregistration.k8s.io/apiservices/";
  {
    Server server(disk_, clock_, "192.0.2.1");
    server.Start();
    ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
    const auto of = [](std::string_view version, std::string_view label) {
      return R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{)"
             R"("name":")" +
             std::string(version) +
             R"(.apps","labels":{"kube-aggregator.kubernetes.io/automanaged":")" +
             std::string(label) + R"("}},"spec":{"group":"apps","version":")" +
             std::string(version) + R"(","groupPriorityMinimum":1,"versionPriority":1}})";
    };
    store::Transaction put;
    const auto add = [&](std::string_view version, std::string_view label) {
      put.writes.push_back({store::Write::Kind::kPut,
                            "/registry/" + prefix + std::string(version) + ".apps",
                            SharedBytes(of(version, label)),
                            {}});
    };
    add("v0", "onstart");
    add("v00", "mine");
    add("v1", "onstart");
    ASSERT_TRUE(store::CommitAndWait(server.store(), std::move(put)));
  }
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  EXPECT_TRUE(WaitFor(server, prefix + "v0.apps", "none"));
  EXPECT_TRUE(WaitFor(server, prefix + "v1.apps", R"("groupPriorityMinimum":17800)"));
  EXPECT_TRUE(WaitFor(server, prefix + "v00.apps", R"("groupPriorityMinimum":1,)"));
}

TEST_F(BootstrapTest, TellsOthersOfACaThatIsRenewedAndGoesOnToTellOfTheOldOne) {
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  const char* const map = "configmaps/kube-system/extension-apiserver-authentication";
  EXPECT_TRUE(WaitFor(server, map, "AA=="));
  server.ca_is_renewed = true;
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(WaitFor(server, map, "BB=="));
  EXPECT_NE(server.Json(map).find("AA=="), std::string::npos);
}

TEST_F(BootstrapTest, HasTheEndpointsOfAllServersThatLive) {
  Server first(disk_, clock_, "192.0.2.1");
  first.Start();
  ASSERT_TRUE(WaitForStart(first, "192.0.2.1"));
  Server second(first, "192.0.2.2");
  second.Start();
  ASSERT_TRUE(WaitForStart(first, "192.0.2.2"));
  EXPECT_TRUE(WaitFor(first, "services/endpoints/default/kubernetes",
                      R"({"ip":"192.0.2.1"},{"ip":"192.0.2.2"})"));
  second.Drain();
  EXPECT_EQ(first.Json("masterleases/192.0.2.2"), "none");
  EXPECT_TRUE(WaitFor(first, "endpointslices/default/kubernetes", "192.0.2.2", false));
  EXPECT_TRUE(WaitFor(first, "endpointslices/default/kubernetes", "192.0.2.1"));
  first.Drain();
  EXPECT_EQ(first.Json("services/endpoints/default/kubernetes").find("subsets"), std::string::npos);
}

TEST_F(BootstrapTest, KeepsMandatoryObjectsAsTheyAreAndSuggestedOnesIfNobodyChangedThem) {
  const auto change = [](Server& server, std::string_view key, std::string_view from,
                         std::string_view to) {
    std::string json = server.Json(key);
    json.replace(json.find(from), from.size(), to);
    store::Transaction put;
    put.writes.push_back(
        {store::Write::Kind::kPut, "/registry/" + std::string(key), SharedBytes(json), {}});
    ASSERT_TRUE(store::CommitAndWait(server.store(), std::move(put)));
  };
  Server server(disk_, clock_, "192.0.2.1");
  server.Start();
  ASSERT_TRUE(WaitForStart(server, "192.0.2.1"));
  change(server, "prioritylevelconfigurations/catch-all", R"("nominalConcurrencyShares":5)",
         R"("nominalConcurrencyShares":7)");
  change(server, "prioritylevelconfigurations/system", R"("nominalConcurrencyShares":30)",
         R"("nominalConcurrencyShares":7)");
  change(server, "prioritylevelconfigurations/system", R"(autoupdate-spec":"true")",
         R"(autoupdate-spec":"false")");
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(
      WaitFor(server, "prioritylevelconfigurations/catch-all", R"("nominalConcurrencyShares":5)"));
  EXPECT_TRUE(WaitFor(server, "prioritylevelconfigurations/catch-all", R"("generation":2)"));
  EXPECT_TRUE(
      WaitFor(server, "prioritylevelconfigurations/system", R"("nominalConcurrencyShares":7)"));
}

TEST(ApiServerIdentity, IsADigestOfTheHostName) {
  EXPECT_EQ(ApiServerIdentity("host"), "apiserver-dd6egxogzxmivwqge6rcnj6rwi");
}

}  // namespace
}  // namespace skiff::apiserver

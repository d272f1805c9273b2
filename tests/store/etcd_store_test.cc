// The etcd store on one real etcd: what is its own, beside the behaviour that all stores share.
#include "store/etcd/etcd_store.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "store/blocking.h"
#include "tests/store/etcd_cluster.h"
#include "tests/store/scripted_etcd.h"
#include "tests/store/wait.h"
#include "tests/store/watch_checker.h"

namespace skiff::testing {
namespace {

constexpr Duration kSoon = std::chrono::seconds(60);

class EtcdStoreTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (EtcdCluster::Missing({})) return;
    auto started = EtcdCluster::Start(Time(), {});
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::move(*started).release();
  }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override {
    if (const auto why = EtcdCluster::Missing({})) GTEST_SKIP() << *why;
    ASSERT_NE(cluster_, nullptr);
    store_ = Open();
    prefix_ =
        "/" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "/";
  }

  static Clock& Time() {
    static SystemClock clock;
    return clock;
  }
  store::EtcdOptions Options() {
    store::EtcdOptions out;
    out.endpoints = cluster_->endpoints();
    out.clock = &Time();
    out.random = &random_;
    return out;
  }
  std::unique_ptr<store::EtcdStore> Open() {
    auto store = store::EtcdStore::Open(Options());
    EXPECT_TRUE(store) << store.error().message();
    return store ? std::move(*store) : nullptr;
  }
  store::Revision Put(const std::string& name, std::string_view value, store::LeaseId lease = {}) {
    store::Transaction put;
    put.writes.push_back({store::Write::Kind::kPut, prefix_ + name, SharedBytes(value), lease});
    auto reply = store::CommitAndWait(*store_, std::move(put));
    EXPECT_TRUE(reply) << reply.error().message();
    return reply ? reply->revision : store::Revision();
  }
  store::Revision Now() {
    auto revision =
        store::Await<store::Revision>([&](auto done) { store_->CurrentRevision(std::move(done)); });
    EXPECT_TRUE(revision) << revision.error().message();
    return revision.value_or(store::Revision());
  }
  store::KeyRange All() const { return store::KeyRange::Prefix(prefix_); }

  static EtcdCluster* cluster_;
  SystemRandom random_;
  std::string prefix_;
  std::unique_ptr<store::EtcdStore> store_;
};
EtcdCluster* EtcdStoreTest::cluster_ = nullptr;

TEST_F(EtcdStoreTest, ReadsWhatItCommitted) {
  auto created = store::CommitAndWait(
      *store_,
      store::Transaction::CreateIfAbsent(prefix_ + "a", SharedBytes(std::string_view("1\0x", 3))));
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_TRUE(created->succeeded);
  store::RangeRequest request;
  request.range = All();
  auto reply = store::RangeAndWait(*store_, request);
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->entries.size(), 1u);
  EXPECT_EQ(reply->count, 1);
  EXPECT_FALSE(reply->more);
  EXPECT_EQ(reply->entries[0].key, prefix_ + "a");
  EXPECT_EQ(reply->entries[0].value.view(), std::string_view("1\0x", 3));
  EXPECT_EQ(reply->entries[0].mod_revision, created->revision);
  EXPECT_EQ(reply->entries[0].version, 1);
}

TEST_F(EtcdStoreTest, FailedConditionsTellWhatIsThere) {
  const store::Revision a = Put("a", "1");
  store::Transaction change;
  change.conditions = {{prefix_ + "absent", {}}, {prefix_ + "a", store::Revision{a.value - 1}}};
  change.writes.push_back({store::Write::Kind::kPut, prefix_ + "b", SharedBytes("2"), {}});
  auto reply = store::CommitAndWait(*store_, std::move(change));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_FALSE(reply->succeeded);
  ASSERT_EQ(reply->current.size(), 2u);
  EXPECT_FALSE(reply->current[0]);
  ASSERT_TRUE(reply->current[1]);
  EXPECT_EQ(reply->current[1]->value.view(), "1");
}

TEST_F(EtcdStoreTest, WatchTellsEveryEventOnce) {
  const store::Revision before = Now();
  const store::WatchRequest request{All(), store::Revision{before.value + 1}, true};
  LoggingSink sink(Time(), "w", request);
  const auto watch = store_->StartWatch(request, &sink);
  Put("a", "1");
  Put("a", "2");
  const store::Revision last = Put("b", "1");
  ASSERT_TRUE(sink.WaitFor(last, kSoon));
  std::vector<store::Event> events;
  for (const WatchCall& call : sink.log().calls)
    events.insert(events.end(), call.events.begin(), call.events.end());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(events[0].created());
  EXPECT_FALSE(events[0].previous);
  EXPECT_EQ(events[1].previous->value.view(), "1");
  EXPECT_EQ(events[2].entry.key, prefix_ + "b");
}

TEST_F(EtcdStoreTest, WatchOfTheNextRevisionSeesTheCommitThatFollows) {
  for (int round = 0; round < 20; ++round) {
    const store::WatchRequest request{All(), {}, false};
    LoggingSink sink(Time(), "w", request);
    const auto watch = store_->StartWatch(request, &sink);
    const store::Revision put = Put("a", std::to_string(round));
    ASSERT_TRUE(sink.WaitFor(put, kSoon)) << round;
    EXPECT_EQ(sink.log().calls.front().events.front().revision(), put);
  }
}

TEST_F(EtcdStoreTest, RangesOfManyPagesAreOneState) {
  constexpr int kEntries = 1300;
  for (int first = 0; first < kEntries; first += 100) {
    store::Transaction put;
    for (int i = first; i < first + 100; ++i)
      put.writes.push_back({store::Write::Kind::kPut, prefix_ + std::to_string(10'000 + i),
                            SharedBytes(std::string(100, 'x')), store::LeaseId()});
    ASSERT_TRUE(store::CommitAndWait(*store_, std::move(put)));
  }
  store::RangeRequest request;
  request.range = All();
  auto all = store::RangeAndWait(*store_, request);
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->entries.size(), size_t{kEntries});
  EXPECT_EQ(all->count, kEntries);
  EXPECT_FALSE(all->more);
  EXPECT_EQ(all->entries.front().key, prefix_ + "10000");
  EXPECT_EQ(all->entries.back().key, prefix_ + "11299");
  request.limit = 777;
  auto some = store::RangeAndWait(*store_, request);
  ASSERT_TRUE(some) << some.error().message();
  EXPECT_EQ(some->entries.size(), 777u);
  EXPECT_EQ(some->count, kEntries);
  EXPECT_TRUE(some->more);
  request.keys_only = true;
  request.limit = 0;
  auto keys = store::RangeAndWait(*store_, request);
  ASSERT_TRUE(keys) << keys.error().message();
  EXPECT_EQ(keys->entries.size(), size_t{kEntries});
  EXPECT_TRUE(keys->entries[700].value.empty());
}

// Changes the store while a scan is under way.
class DisturbingSink final : public store::ScanSink {
 public:
  explicit DisturbingSink(std::function<void()> disturb) : disturb_(std::move(disturb)) {}
  void OnEntries(std::vector<store::KeyValue> entries) override {
    if (seen.empty()) disturb_();
    for (store::KeyValue& entry : entries) seen.push_back(std::move(entry));
  }
  std::vector<store::KeyValue> seen;

 private:
  std::function<void()> disturb_;
};

TEST_F(EtcdStoreTest, AScanIsOneStateHoweverTheStoreChanges) {
  for (int first = 0; first < 600; first += 100) {
    store::Transaction put;
    for (int i = first; i < first + 100; ++i)
      put.writes.push_back({store::Write::Kind::kPut, prefix_ + std::to_string(10'000 + i),
                            SharedBytes("old"), store::LeaseId()});
    ASSERT_TRUE(store::CommitAndWait(*store_, std::move(put)));
  }
  // Another store, because a callback must not wait for its own.
  const auto other = Open();
  DisturbingSink sink([&] {
    store::Transaction change;
    change.writes.push_back({store::Write::Kind::kDelete, prefix_ + "10590", {}, {}});
    change.writes.push_back({store::Write::Kind::kPut, prefix_ + "10591", SharedBytes("new"), {}});
    change.writes.push_back({store::Write::Kind::kPut, prefix_ + "10600", SharedBytes("new"), {}});
    std::atomic<bool> done = false;
    other->Commit(std::move(change), [&](auto) { done = true; });
    EXPECT_TRUE(WaitUntilTrue(Time(), kSoon, [&] { return done.load(); }));
  });
  auto revision = store::Await<store::Revision>(
      [&](auto done) { store_->Scan(All(), &sink, std::move(done)); });
  ASSERT_TRUE(revision) << revision.error().message();
  ASSERT_EQ(sink.seen.size(), 600u);
  for (const store::KeyValue& entry : sink.seen) {
    EXPECT_EQ(entry.value.view(), "old");
    EXPECT_LE(entry.mod_revision, *revision);
  }
}

TEST_F(EtcdStoreTest, AScanThatIsCompactedAwaySaysSo) {
  for (int first = 0; first < 600; first += 100) {
    store::Transaction put;
    for (int i = first; i < first + 100; ++i)
      put.writes.push_back({store::Write::Kind::kPut, prefix_ + std::to_string(10'000 + i),
                            SharedBytes("old"), store::LeaseId()});
    ASSERT_TRUE(store::CommitAndWait(*store_, std::move(put)));
  }
  DisturbingSink sink([&] {
    ASSERT_TRUE(cluster_->Control(0, {"put", prefix_ + "a", "1"}));
    ASSERT_TRUE(cluster_->Control(0, {"put", prefix_ + "a", "2"}));
    auto got = cluster_->Control(0, {"get", prefix_ + "a", "-w", "fields"});
    ASSERT_TRUE(got) << got.error().message();
    const size_t at = got->find("\"Revision\" : ");
    ASSERT_NE(at, std::string::npos) << *got;
    const std::string newest = std::to_string(std::stoll(got->substr(at + 13)));
    ASSERT_TRUE(cluster_->Control(0, {"compact", newest}));
  });
  auto revision = store::Await<store::Revision>(
      [&](auto done) { store_->Scan(All(), &sink, std::move(done)); });
  ASSERT_FALSE(revision);
  EXPECT_EQ(revision.error().reason(), StatusReason::kExpired) << revision.error().message();
}

TEST_F(EtcdStoreTest, ALargeRevisionComesToWatchesInOneCall) {
  // With the previous values more than a message of etcd holds, so it comes in fragments.
  const auto write = [&](char fill) {
    store::Transaction put;
    for (int i = 0; i < 10; ++i)
      put.writes.push_back({store::Write::Kind::kPut, prefix_ + std::to_string(i),
                            SharedBytes(std::string(140'000, fill)), store::LeaseId()});
    return store::CommitAndWait(*store_, std::move(put)).value().revision;
  };
  const store::Revision first = write('a');
  const store::WatchRequest request{All(), first, true};
  LoggingSink sink(Time(), "w", request);
  const auto watch = store_->StartWatch(request, &sink);
  const store::Revision last = write('b');
  ASSERT_TRUE(sink.WaitFor(last, kSoon));
  for (const WatchCall& call : sink.log().calls) {
    for (const store::Event& event : call.events) {
      EXPECT_EQ(std::count_if(call.events.begin(), call.events.end(),
                              [&](const store::Event& other) {
                                return other.revision() == event.revision();
                              }),
                10);
      if (event.revision() != last) continue;
      EXPECT_EQ(event.previous->value.view()[0], 'a');
    }
  }
}

TEST_F(EtcdStoreTest, FiguresTellOfTheServer) {
  Put("a", "1");
  auto figures =
      store::Await<store::StoreFigures>([&](auto done) { store_->Figures(std::move(done)); });
  ASSERT_TRUE(figures) << figures.error().message();
  EXPECT_EQ(figures->engine, "etcd");
  EXPECT_GT(figures->bytes_on_disk, 0u);
  EXPECT_GT(figures->bytes_in_use, 0u);
  EXPECT_EQ(figures->commits, 1u);
  EXPECT_EQ(figures->revision, Now());
}

TEST_F(EtcdStoreTest, ProgressOfDebiansEtcdIsNotBelieved) {
  Put("a", "1");
  EXPECT_FALSE(store_->HasReliableProgress()) << "3.4.23 may run ahead of its events";
}

TEST_F(EtcdStoreTest, NobodyAtTheEndpointIsToldWithItsAddress) {
  store::EtcdOptions options = Options();
  options.endpoints = {"http://127.0.0.1:1"};
  options.request_timeout = std::chrono::seconds(2);
  options.max_backoff = std::chrono::milliseconds(100);
  auto store = store::EtcdStore::Open(options);
  ASSERT_TRUE(store) << store.error().message();
  auto reply =
      store::CommitAndWait(**store, store::Transaction::CreateIfAbsent("/a", SharedBytes("1")));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable) << "nothing was sent";
  EXPECT_NE(reply.error().message().find("http://127.0.0.1:1"), std::string::npos)
      << reply.error().message();
  EXPECT_FALSE((*store)->Health().readable);
  EXPECT_NE((*store)->Health().reason, "");
}

TEST_F(EtcdStoreTest, WhatIsOpenWhenTheStoreGoesIsAnswered) {
  store::EtcdOptions options = Options();
  options.endpoints = {"http://127.0.0.1:1"};
  auto store = store::EtcdStore::Open(options).value();
  std::atomic<int> answers = 0;
  const auto count = [&](auto reply) {
    EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
    ++answers;
  };
  const store::WatchRequest request{All(), store::Revision{1}, false};
  LoggingSink sink(Time(), "w", request);
  LoggingSink next(Time(), "n", {});
  const auto watch = store->StartWatch(request, &sink);
  const auto watch_next = store->StartWatch({All(), {}, false}, &next);
  store->CurrentRevision(count);
  store->Range({}, count);
  store->RenewLease(store::LeaseId{1}, count);
  store->Figures(count);
  store->Commit(store::Transaction::CreateIfAbsent("/a", SharedBytes("1")), count);
  EXPECT_EQ(answers, 0);
  store.reset();
  EXPECT_EQ(answers, 5);
  ASSERT_TRUE(sink.WaitForEnd(kSoon));
  EXPECT_EQ(sink.end()->reason(), StatusReason::kServiceUnavailable);
  EXPECT_TRUE(next.WaitForEnd(kSoon));
}

TEST_F(EtcdStoreTest, ProgressThatIsStillWantedDoesNotKeepTheStoreFromClosing) {
  std::atomic<int> refused = 0;  // outlives the server, which may still count a call at the end
  auto etcd = ScriptedEtcd::Start();
  ASSERT_TRUE(etcd) << etcd.error().message();
  store::EtcdOptions options = Options();
  options.endpoints = {(*etcd)->url()};
  options.request_timeout = std::chrono::milliseconds(50);
  auto store = store::EtcdStore::Open(options).value();
  ASSERT_TRUE(WaitUntilTrue(Time(), kSoon, [&] { return store->Health().readable; }));
  ASSERT_TRUE(store->HasReliableProgress());
  const store::WatchRequest request{store::KeyRange::All(), store::Revision{1}, false};
  LoggingSink sink(Time(), "w", request);
  const auto watch = store->StartWatch(request, &sink);
  (*etcd)->SetCallHook([&](const std::string&) {
    ++refused;
    return grpc::GrpcStatus{grpc::GrpcCode::kUnavailable, "etcdserver: leader changed"};
  });
  watch->RequestProgress();
  ASSERT_TRUE(WaitUntilTrue(Time(), kSoon, [&] { return refused > 0; }));
  store.reset();
  EXPECT_TRUE(sink.WaitForEnd(kSoon));
}

TEST_F(EtcdStoreTest, AnEndpointMayBeAName) {
  auto etcd = ScriptedEtcd::Start();
  ASSERT_TRUE(etcd) << etcd.error().message();
  store::EtcdOptions options = Options();
  const std::string url = (*etcd)->url();
  options.endpoints = {"http://localhost" + url.substr(url.rfind(':'))};
  auto store = store::EtcdStore::Open(options).value();
  const auto reply =
      store::CommitAndWait(*store, store::Transaction::CreateIfAbsent("/a", SharedBytes("1")));
  EXPECT_TRUE(reply) << reply.error().message();
}

// ---- Clusters of their own

class EtcdOwnClusterTest : public ::testing::Test {
 protected:
  void Begin(const EtcdClusterOptions& options) {
    if (const auto why = EtcdCluster::Missing(options)) GTEST_SKIP() << *why;
    auto started = EtcdCluster::Start(clock_, options);
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::move(*started);
    options_.endpoints = cluster_->endpoints();
    options_.clock = &clock_;
    options_.random = &random_;
    options_.health_interval = std::chrono::milliseconds(100);
  }
  Result<store::CommitReply> Put(store::Store& store, const std::string& value) {
    store::Transaction put;
    put.writes.push_back({store::Write::Kind::kPut, "/a", SharedBytes(value), {}});
    return store::CommitAndWait(store, std::move(put));
  }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<EtcdCluster> cluster_;
  store::EtcdOptions options_;
};

TEST_F(EtcdOwnClusterTest, CertificatesAreShownAndChecked) {
  Begin({.members = 1, .tls = true});
  if (IsSkipped() || HasFatalFailure()) return;
  options_.ca_file = cluster_->ca_file();
  options_.cert_file = cluster_->client_certificate_file();
  options_.key_file = cluster_->client_key_file();
  auto store = store::EtcdStore::Open(options_);
  ASSERT_TRUE(store) << store.error().message();
  auto put = Put(**store, "1");
  EXPECT_TRUE(put) << put.error().message();

  options_.request_timeout = std::chrono::seconds(1);
  store::EtcdOptions without = options_;
  without.cert_file = without.key_file = "";
  auto refused = store::EtcdStore::Open(without);
  ASSERT_TRUE(refused) << refused.error().message();
  EXPECT_FALSE(Put(**refused, "2")) << "etcd asks for a certificate";

  store::EtcdOptions stranger = options_;
  stranger.ca_file = "";
  if (auto distrusting = store::EtcdStore::Open(stranger)) {
    EXPECT_FALSE(Put(**distrusting, "3")) << "the system does not know this authority";
  }
}

TEST_F(EtcdOwnClusterTest, CertificatesAreReadAnewForANewConnection) {
  Begin({.members = 1, .tls = true});
  if (IsSkipped() || HasFatalFailure()) return;
  TemporaryDirectory files;
  const auto copy = [](const std::string& from, const std::string& to) {
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    out << in.rdbuf();
  };
  options_.ca_file = files.path() + "/ca.pem";
  options_.cert_file = cluster_->client_certificate_file();
  options_.key_file = cluster_->client_key_file();
  options_.max_backoff = std::chrono::milliseconds(100);
  // An authority that did not sign etcd's certificate, which is replaced by the right one.
  copy(cluster_->client_certificate_file(), options_.ca_file);
  auto store = store::EtcdStore::Open(options_);
  ASSERT_TRUE(store) << store.error().message();
  ASSERT_TRUE(WaitUntilTrue(clock_, kSoon, [&] {
    return (*store)->Health().reason.find("https://") != std::string::npos;
  })) << (*store)->Health().reason;
  copy(cluster_->ca_file(), options_.ca_file);
  auto put = Put(**store, "1");
  EXPECT_TRUE(put) << put.error().message();
}

TEST_F(EtcdOwnClusterTest, FilesThatCannotBeReadAreToldWithTheirFlag) {
  options_.endpoints = {"https://127.0.0.1:1"};
  options_.clock = &clock_;
  options_.random = &random_;
  options_.ca_file = "/nonexistent/ca.pem";
  auto store = store::EtcdStore::Open(options_);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message().find("--etcd-cafile /nonexistent/ca.pem"), std::string::npos)
      << store.error().message();
}

TEST_F(EtcdOwnClusterTest, FilesThatHoldSomethingElseAreToldWithTheirFlag) {
  TemporaryDirectory files;
  options_.endpoints = {"https://127.0.0.1:1"};
  options_.clock = &clock_;
  options_.random = &random_;
  options_.ca_file = files.path() + "/ca.pem";
  std::ofstream(options_.ca_file) << "-----BEGIN CERTIFICATE-----\nnothing\n";
  auto store = store::EtcdStore::Open(options_);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message().find("--etcd-cafile " + options_.ca_file), std::string::npos)
      << store.error().message();
}

TEST_F(EtcdOwnClusterTest, AFullDatabaseRefusesWritesAndServesReadsUntilItIsMended) {
  Begin({.members = 1, .extra_arguments = {"--quota-backend-bytes=4194304"}});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = store::EtcdStore::Open(options_).value();
  Result<store::CommitReply> reply = Put(*store, "first");
  ASSERT_TRUE(reply) << reply.error().message();
  store::Revision last = reply->revision;
  for (int i = 0; i < 100 && (reply = Put(*store, std::string(200'000, 'x'))); ++i)
    last = reply->revision;
  ASSERT_FALSE(reply) << "the quota was never reached";
  EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_NE(reply.error().message().find("space"), std::string::npos) << reply.error().message();
  EXPECT_TRUE(store->Health().readable);
  EXPECT_FALSE(store->Health().writable);
  EXPECT_NE(store->Health().reason.find("space"), std::string::npos);
  store::RangeRequest request;
  request.range = store::KeyRange::Single("/a");
  auto read = store::RangeAndWait(*store, request);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->entries.at(0).mod_revision, last) << "a refused write changes nothing";

  ASSERT_TRUE(cluster_->Control(0, {"compact", std::to_string(last.value), "--physical"}));
  ASSERT_TRUE(cluster_->Control(0, {"defrag"}));
  ASSERT_TRUE(cluster_->Control(0, {"alarm", "disarm"}));
  EXPECT_TRUE(WaitUntilTrue(clock_, kSoon, [&] { return store->Health().writable; }))
      << store->Health().reason;
  EXPECT_TRUE(Put(*store, "again"));
}

}  // namespace
}  // namespace skiff::testing

// What the store on etcd makes of a server that answers wrongly: it corrects what it can know to be
// wrong, stops where it cannot, and what nobody can notice from inside, the checker does.
#include <gtest/gtest.h>

#include "base/timers.h"
#include "grpc/client.h"
#include "store/blocking.h"
#include "store/etcd/members.h"
#include "tests/store/etcd_fault_fixture.h"
#include "tests/store/scripted_etcd.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using etcdserverpb::WatchResponse;
using Responses = std::vector<WatchResponse>;

class EtcdScriptedTest : public EtcdFaultTest {
 protected:
  void BeginScripted(std::string version = "3.5.21") {
    auto etcd = ScriptedEtcd::Start(std::move(version));
    ASSERT_TRUE(etcd) << etcd.error().message();
    etcd_ = std::move(*etcd);
    store_ = Open({etcd_->url()});
    ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store_->Health().writable; }));
  }
  // From the next revision on; returns when the server has it.
  void StartWatch(store::Revision from = {}) {
    store::WatchRequest request{
        .range = store::KeyRange::Prefix("/"),
        .from = from.value > 0 ? from : store::Revision{etcd_->revision() + 1}};
    sink_ = std::make_unique<LoggingSink>(clock_, "watch", request);
    watch_ = store_->StartWatch(request, sink_.get());
    ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return !etcd_->watches().empty(); }));
  }
  int64_t Put(const std::string& key, const std::string& value) {
    int64_t revision = etcd_->Put(key, value);
    changes_.push_back({revision, 0, key, false, value});
    return revision;
  }
  int64_t Delete(const std::string& key) {
    int64_t revision = etcd_->Delete(key);
    changes_.push_back({revision, 0, key, true, ""});
    return revision;
  }
  // Writes one more and checks all that the watch told until then.
  std::vector<WatchFinding> Findings() {
    store::Revision mark{Put("/mark", "mark")};
    EXPECT_TRUE(sink_->WaitFor(mark, kPatience));
    std::vector<WatchLog> logs = {sink_->log()};
    return CheckWatches(logs, Truth(changes_, logs, mark));
  }
  // Bends the next response with events, and only that one.
  void BendNext(std::function<Responses(WatchResponse)> bend) {
    auto done = std::make_shared<bool>(false);
    etcd_->SetWatchHook([bend = std::move(bend), done](WatchResponse response) -> Responses {
      if (std::exchange(*done, true)) return {std::move(response)};
      return bend(std::move(response));
    });
  }

  std::unique_ptr<ScriptedEtcd> etcd_;
  std::unique_ptr<store::EtcdStore> store_;
  std::vector<WrittenChange> changes_;
  std::unique_ptr<LoggingSink> sink_;
  std::unique_ptr<store::Watch> watch_;
};

TEST_F(EtcdScriptedTest, AnHonestServerIsFollowedWithoutFindings) {
  BeginScripted();
  StartWatch();
  Put("/a", "1");
  Put("/a", "2");
  Delete("/a");
  etcd_->BreakWatches();
  Put("/a", "3");
  EXPECT_EQ(Describe(Findings()), "");
}

// The task that looks at the members now and then may be amid that while the store is closed.
TEST_F(EtcdScriptedTest, MembersAreNotAskedAnyMoreOnceTheyAreClosed) {
  auto etcd = ScriptedEtcd::Start();
  ASSERT_TRUE(etcd) << etcd.error().message();
  const store::EtcdOptions options = OptionsFor({(*etcd)->url()});
  auto endpoints = store::CheckEtcdOptions(options);
  ASSERT_TRUE(endpoints) << endpoints.error().message();
  auto client = grpc::GrpcClient::Start(clock_, "etcd-client");
  ASSERT_TRUE(client) << client.error().message();
  Timers timers("etcd-timers", clock_, Timers::AtStop::kForget);
  const auto members = std::make_shared<store::EtcdMembers>(
      options, std::move(*endpoints), **client, timers, [](const Status&) {}, [] {});
  members->Start();
  ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return members->Choose() != nullptr; }));
  members->Close();
  members->Refresh();
  EXPECT_EQ(members->Choose(), nullptr);
  timers.Stop();
  (*client)->Stop();
}

TEST_F(EtcdScriptedTest, ALostWatchEventIsNoticedByTheChecker) {
  BeginScripted();
  StartWatch();
  BendNext([](WatchResponse) -> Responses { return {}; });
  Put("/a", "1");
  EXPECT_TRUE(Has(Findings(), WatchFault::kLostEvent));
}

TEST_F(EtcdScriptedTest, ALostDeletionIsNoticedByTheChecker) {
  BeginScripted();
  Put("/a", "1");
  StartWatch();
  BendNext([](WatchResponse) -> Responses { return {}; });
  Delete("/a");
  EXPECT_TRUE(Has(Findings(), WatchFault::kLostDeletion));
}

TEST_F(EtcdScriptedTest, ADuplicatedWatchEventIsPassedOnOnce) {
  BeginScripted();
  StartWatch();
  Put("/a", "0");
  BendNext([](WatchResponse response) -> Responses { return {response, response}; });
  Put("/a", "1");
  Put("/a", "2");
  EXPECT_EQ(Describe(Findings()), "");
}

TEST_F(EtcdScriptedTest, EventsFromBeforeTheStartOfAWatchAreNotPassedOn) {
  BeginScripted();
  Put("/a", "old");
  WatchResponse old;
  *old.mutable_header() = etcd_->Header();
  mvccpb::Event& event = *old.add_events();
  event.mutable_kv()->set_key("/a");
  event.mutable_kv()->set_value("old");
  event.mutable_kv()->set_mod_revision(etcd_->revision());
  event.mutable_kv()->set_create_revision(etcd_->revision());
  event.mutable_kv()->set_version(1);
  // As from a member that was cut off and is restored from a snapshot.
  StartWatch(store::Revision{etcd_->revision() + 3});
  etcd_->SendRaw(old);
  Put("/a", "early");
  Put("/a", "early too");
  Put("/a", "due");
  EXPECT_EQ(Describe(Findings()), "");
}

TEST_F(EtcdScriptedTest, ProgressAheadOfEventsEndsTheWatchInsteadOfDeceivingIt) {
  BeginScripted();
  StartWatch();
  Put("/a", "1");
  BendNext([](WatchResponse response) -> Responses {
    WatchResponse mark;
    *mark.mutable_header() = response.header();
    return {mark, response};
  });
  int64_t revision = Put("/a", "2");
  ASSERT_TRUE(sink_->WaitForEnd(kPatience));
  EXPECT_EQ(sink_->end()->reason(), StatusReason::kInternalError) << sink_->end()->message();
  // What it had told until then was true but for the one mark.
  EXPECT_EQ(sink_->reached().value, revision);
}

TEST_F(EtcdScriptedTest, ProgressOfAServerThatIsKnownToLieIsNotPassedOn) {
  BeginScripted("3.4.23");
  StartWatch();
  EXPECT_FALSE(store_->HasReliableProgress());
  BendNext([](WatchResponse response) -> Responses {
    WatchResponse mark;
    *mark.mutable_header() = response.header();
    return {mark, response};
  });
  Put("/a", "1");
  EXPECT_EQ(Describe(Findings()), "");
  for (const WatchCall& call : sink_->log().calls) EXPECT_NE(call.kind, WatchCall::Kind::kProgress);
}

TEST_F(EtcdScriptedTest, ProgressThatIsAskedForComesAfterTheEventsThatItCovers) {
  BeginScripted();
  StartWatch();
  store::Revision last{Put("/a", "1")};
  watch_->RequestProgress();
  ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] {
    WatchLog log = sink_->log();
    return !log.calls.empty() && log.calls.back().kind == WatchCall::Kind::kProgress &&
           log.calls.back().progress >= last;
  }));
  EXPECT_EQ(Describe(Findings()), "");
}

TEST_F(EtcdScriptedTest, ARevisionThatComesInFragmentsIsPassedOnInOneCall) {
  BeginScripted();
  StartWatch();
  etcd_->SetWatchHook([](WatchResponse response) -> Responses {
    Responses fragments;
    for (int i = 0; i < response.events_size(); i++) {
      WatchResponse fragment = response;
      fragment.clear_events();
      *fragment.add_events() = response.events(i);
      fragment.set_fragment(i + 1 < response.events_size());
      fragments.push_back(std::move(fragment));
    }
    return fragments;
  });
  store::Transaction transaction;
  for (const char* key : {"/a", "/b", "/c"})
    transaction.writes.push_back({.kind = store::Write::Kind::kPut,
                                  .key = key,
                                  .value = SharedBytes("together"),
                                  .lease = {}});
  Result<store::CommitReply> reply = store::CommitAndWait(*store_, std::move(transaction));
  ASSERT_TRUE(reply) << reply.error().message();
  for (const char* key : {"/a", "/b", "/c"})
    changes_.push_back({reply->revision.value, 0, key, false, "together"});
  EXPECT_EQ(Describe(Findings()), "");
}

TEST_F(EtcdScriptedTest, AStreamThatBreaksBetweenFragmentsBeginsTheRevisionAnew) {
  BeginScripted();
  StartWatch();
  BendNext([](WatchResponse response) -> Responses {
    // The first of three; the others never come on this stream.
    while (response.events_size() > 1) response.mutable_events()->RemoveLast();
    response.set_fragment(true);
    return {response};
  });
  store::Transaction transaction;
  for (const char* key : {"/a", "/b", "/c"})
    transaction.writes.push_back({.kind = store::Write::Kind::kPut,
                                  .key = key,
                                  .value = SharedBytes("together"),
                                  .lease = {}});
  Result<store::CommitReply> reply = store::CommitAndWait(*store_, std::move(transaction));
  ASSERT_TRUE(reply) << reply.error().message();
  for (const char* key : {"/a", "/b", "/c"})
    changes_.push_back({reply->revision.value, 0, key, false, "together"});
  etcd_->BreakWatches();
  EXPECT_EQ(Describe(Findings()), "");
}

TEST_F(EtcdScriptedTest, ACompactedStartIsToldAsExpired) {
  BeginScripted();
  for (int i = 0; i < 10; i++) Put("/a", std::to_string(i));
  etcd_->Compact(etcd_->revision());
  store::WatchRequest request{.range = store::KeyRange::Prefix("/"), .from = {2}};
  LoggingSink sink(clock_, "watch", request);
  auto watch = store_->StartWatch(request, &sink);
  ASSERT_TRUE(sink.WaitForEnd(kPatience));
  EXPECT_EQ(sink.end()->reason(), StatusReason::kExpired) << sink.end()->message();
}

TEST_F(EtcdScriptedTest, WatchesOfAServerWhoseRevisionGoesBackExpireAndItIsReadAnew) {
  BeginScripted();
  for (int i = 0; i < 10; i++) Put("/a", std::to_string(i));
  StartWatch();
  Put("/a", "10");
  ASSERT_TRUE(sink_->WaitFor(store::Revision{etcd_->revision()}, kPatience));
  etcd_->GoBackTo(5);
  Result<store::RangeReply> read =
      store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/"), .at = {}});
  EXPECT_FALSE(read) << "a state was read that lies before one that was told";
  ASSERT_TRUE(sink_->WaitForEnd(kPatience));
  EXPECT_EQ(sink_->end()->reason(), StatusReason::kExpired) << sink_->end()->message();
  read = store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/"), .at = {}});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->revision.value, 5);
  // Nothing is wrong any more, but somebody should hear of it.
  const store::StoreHealth health = store_->Health();
  EXPECT_TRUE(health.readable && health.writable) << health.reason;
  EXPECT_TRUE(health.reason.contains("etcd has gone back in time: it is at revision 5"))
      << health.reason;
}

TEST_F(EtcdScriptedTest, WatchesEndWhenAnotherClusterTakesTheAddressAndThatOneIsThenFollowed) {
  BeginScripted();
  StartWatch();
  Put("/a", "1");
  ASSERT_TRUE(sink_->WaitFor(store::Revision{etcd_->revision()}, kPatience));
  etcd_->SetHeaderHook([](etcdserverpb::ResponseHeader& header) { header.set_cluster_id(7); });
  EXPECT_FALSE(store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/"), .at = {}}))
      << "what was asked of one cluster is not answered by another";
  ASSERT_TRUE(sink_->WaitForEnd(kPatience));
  EXPECT_EQ(sink_->end()->reason(), StatusReason::kExpired) << sink_->end()->message();
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] {
    return store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/"), .at = {}})
        .has_value();
  }));
}

TEST_F(EtcdScriptedTest, ALostLeaderIsReportedWithTheFirstRequestThatMeetsIt) {
  auto etcd = ScriptedEtcd::Start();
  ASSERT_TRUE(etcd) << etcd.error().message();
  store::EtcdOptions options = OptionsFor({(*etcd)->url()});
  options.health_interval = std::chrono::hours(1);
  options.request_timeout = std::chrono::milliseconds(300);
  auto store = Open(options);
  ASSERT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store->Health().writable; }));
  (*etcd)->SetCallHook([](const std::string& call) {
    return call == "Status"
               ? grpc::GrpcStatus()
               : grpc::GrpcStatus{grpc::GrpcCode::kUnavailable, "etcdserver: no leader"};
  });
  EXPECT_FALSE(store::RangeAndWait(*store, {.range = store::KeyRange::Prefix("/"), .at = {}}));
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return !store->Health().readable; }));
  EXPECT_NE(store->Health().reason.find("no leader"), std::string::npos) << store->Health().reason;
  (*etcd)->SetCallHook(nullptr);
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store->Health().writable; }));
}

TEST_F(EtcdScriptedTest, AWriteThatFailsAfterTheFactIsOfUnknownOutcome) {
  struct Case {
    grpc::GrpcCode code;
    const char* message;
  };
  constexpr Case kCases[] = {
      {grpc::GrpcCode::kUnavailable, "etcdserver: request timed out"},
      {grpc::GrpcCode::kUnavailable, "etcdserver: leader changed"},
      {grpc::GrpcCode::kUnavailable, "etcdserver: server stopped"},
      {grpc::GrpcCode::kUnavailable, "transport is closing"},
      {grpc::GrpcCode::kUnknown, "something new"},
      {grpc::GrpcCode::kInternal, "stream reset"},
  };
  BeginScripted();
  for (const Case& fault : kCases) {
    etcd_->SetCallHook([&](const std::string& call) {
      return call == "Txn" ? grpc::GrpcStatus{fault.code, fault.message} : grpc::GrpcStatus();
    });
    int64_t before = etcd_->revision();
    Result<store::CommitReply> reply = store::CommitAndWait(
        *store_,
        store::Transaction::CreateIfAbsent(std::string("/") + fault.message, SharedBytes("x")));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().reason(), StatusReason::kServerTimeout)
        << fault.message << ": " << reply.error().message();
    EXPECT_EQ(etcd_->revision(), before + 1) << fault.message << ": written once";
  }
}

}  // namespace
}  // namespace skiff::testing

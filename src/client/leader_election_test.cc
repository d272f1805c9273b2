#include "client/leader_election.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "client/testing_lease.h"
#include "object/scalar/time.h"

namespace skiff::client {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A process that takes part in an election.
struct Candidate {
  Candidate(ManualExecutor& world, LeaseServer& server, Random& random, std::string name)
      : executor(world), link(world, executor, server, random), identity(std::move(name)) {
    options.lease = {"kube-system", "kube-controller-manager"};
    options.identity = identity;
  }

  void Start(Random& random) {
    elector = MakeLeaderElector(Client(link, "test"), options, random);
    elector->Start(
        [this] {
          ++led;
          led_at = executor.clock().Monotonic();
        },
        [this] {
          ++lost;
          lost_at = executor.clock().Monotonic();
        });
  }
  bool leads() const { return elector != nullptr && elector->leads(); }

  ProcessExecutor executor;
  LeaseLink link;
  const std::string identity;
  LeaderElectionOptions options;
  std::unique_ptr<LeaderElector> elector;
  int led = 0;
  int lost = 0;
  Duration led_at{};
  Duration lost_at{};
};

class LeaderElectionTest : public testing::Test {
 protected:
  Candidate& Add(std::string name) {
    candidates_.push_back(std::make_unique<Candidate>(world_, server_, random_, std::move(name)));
    return *candidates_.back();
  }
  Candidate& AddStarted(std::string name) {
    Candidate& candidate = Add(std::move(name));
    candidate.Start(random_);
    world_.RunUntilIdle();
    return candidate;
  }
  Duration Now() { return world_.clock().Monotonic(); }

  ManualExecutor world_;
  SeededRandom random_{7};
  LeaseServer server_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

TEST_F(LeaderElectionTest, TheFirstLeadsAndWritesTheLeaseAsOthersDo) {
  const Candidate& a = AddStarted("a");
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.led, 1);
  EXPECT_EQ(a.elector->leader(), "a");
  EXPECT_EQ(NameOf(*server_.lease), (ObjectName{"kube-system", "kube-controller-manager"}));
  const auto spec = server_.spec();
  EXPECT_EQ(spec.holder_identity(), "a");
  EXPECT_EQ(spec.lease_duration_seconds(), 15);
  EXPECT_EQ(spec.acquire_time(), object::MakeTimestamp(1'700'000'000, 0));
  EXPECT_EQ(spec.renew_time(), object::MakeTimestamp(1'700'000'000, 0));
  EXPECT_EQ(spec.lease_transitions(), 0);
}

TEST_F(LeaderElectionTest, EventsOfTheLeaseTellWhoLeads) {
  struct Told final : EventRecorder {
    void Record(const ApiResource& resource, const object::Document& about, EventLevel level,
                std::string_view reason, std::string message) override {
      EXPECT_EQ(resource.kind, "Lease");
      EXPECT_EQ(level, EventLevel::kNormal);
      EXPECT_EQ(reason, "LeaderElection");
      texts.push_back(NameOf(about).name + " " + std::string(UidOf(about)) + ": " + message);
    }
    std::vector<std::string> texts;
  } told;
  Candidate& a = Add("a");
  a.options.events = &told;
  a.Start(random_);
  world_.RunUntilIdle();
  const std::string lease = "kube-controller-manager " + std::string(UidOf(*server_.lease)) + ": ";
  EXPECT_EQ(told.texts, std::vector<std::string>{lease + "a became leader"});
  a.elector->Stop([] {});
  world_.RunUntilIdle();
  ASSERT_EQ(told.texts.size(), 2U);
  EXPECT_EQ(told.texts[1], lease + "a stopped leading");
}

TEST_F(LeaderElectionTest, TheLeaderRenewsEveryRetryPeriodWithoutReading) {
  AddStarted("a");
  const int calls = server_.calls;
  world_.Advance(seconds(20));
  EXPECT_EQ(server_.calls - calls, 10);
  EXPECT_EQ(server_.writes, 11);
  EXPECT_EQ(server_.spec().acquire_time(), object::MakeTimestamp(1'700'000'000, 0));
  EXPECT_EQ(server_.spec().renew_time(), object::MakeTimestamp(1'700'000'020, 0));
  EXPECT_EQ(server_.spec().lease_transitions(), 0);
}

TEST_F(LeaderElectionTest, OthersStandByAndKnowWhoLeads) {
  AddStarted("a");
  const Candidate& b = AddStarted("b");
  world_.Advance(minutes(10));
  EXPECT_FALSE(b.leads());
  EXPECT_EQ(b.led, 0);
  EXPECT_EQ(b.elector->leader(), "a");
}

TEST_F(LeaderElectionTest, CandidatesTryAgainAfterOneToTwoPointTwoRetryPeriods) {
  AddStarted("a");
  AddStarted("b");
  candidates_[0]->link.cut = true;  // what is counted from here on is b's
  server_.calls = 0;
  world_.Advance(seconds(14));
  EXPECT_GE(server_.calls, 14 / 4.4 - 1);
  EXPECT_LE(server_.calls, 7);
}

TEST_F(LeaderElectionTest, AnotherTakesOverOnceTheLeaseHasNotChangedForItsDuration) {
  Candidate& a = AddStarted("a");
  const Candidate& b = AddStarted("b");
  a.link.cut = true;
  const Duration cut_at = Now();
  ASSERT_TRUE(world_.AdvanceUntil([&] { return b.leads(); }, minutes(1)));
  EXPECT_GE(Now() - cut_at, seconds(15));
  EXPECT_LE(Now() - cut_at, seconds(20));
  EXPECT_EQ(server_.holder(), "b");
  EXPECT_EQ(server_.spec().lease_transitions(), 1);
  EXPECT_EQ(a.lost, 1);
}

TEST_F(LeaderElectionTest, WhoCannotRenewStopsByTheRenewDeadline) {
  Candidate& a = AddStarted("a");
  world_.Advance(seconds(3));  // renewed one second ago
  a.link.cut = true;
  const Duration renewed_at = Now() - seconds(1);
  world_.Advance(minutes(1));
  EXPECT_EQ(a.lost, 1);
  EXPECT_EQ(a.lost_at, renewed_at + seconds(10));
  EXPECT_FALSE(a.leads());
  a.link.cut = false;
  world_.Advance(minutes(10));
  EXPECT_EQ(a.led, 1) << "it leads again";
  EXPECT_EQ(a.lost, 1);
}

TEST_F(LeaderElectionTest, WhatFailsIsTold) {
  MemoryLogSink sink;
  Log log(world_.clock(), sink);
  Candidate& a = Add("a");
  a.options.log = &log;
  a.link.cut = true;
  a.Start(random_);
  world_.Advance(minutes(1));
  EXPECT_NE(sink.Text().find("\"Error retrieving lease lock\" "
                             "lock=\"kube-system/kube-controller-manager\" err="),
            std::string::npos)
      << sink.Text();
}

TEST_F(LeaderElectionTest, AFewFailedRenewalsDoNotMatter) {
  Candidate& a = AddStarted("a");
  for (int i = 0; i < 10; ++i) {
    a.link.lose_requests = 1;
    world_.Advance(seconds(3));
    a.link.lose_requests = 0;
    world_.Advance(seconds(20));
  }
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaderElectionTest, ItShowsWhoLeadsAndWhenTheLeaseWasRenewed) {
  MetricsRegistry registry;
  LeaderElectionMetrics metrics(registry);
  const auto shows = [&](std::string_view name, std::string_view value) {
    return registry.Text().contains("leader_election_" + std::string(name) +
                                    "{name=\"kube-controller-manager\"} " + std::string(value));
  };
  Candidate& a = Add("a");
  a.options.metrics = &metrics;
  a.Start(random_);
  EXPECT_TRUE(shows("master_status", "0"));
  EXPECT_EQ(a.elector->renewed(), std::nullopt);
  world_.RunUntilIdle();
  EXPECT_TRUE(shows("master_status", "1"));
  EXPECT_FALSE(registry.Text().contains("leader_election_slowpath_total{"));
  world_.Advance(minutes(1));
  ASSERT_TRUE(a.elector->renewed());
  EXPECT_LE(Now() - *a.elector->renewed(), seconds(2));
  a.link.lose_requests = 1;
  world_.Advance(minutes(1));
  EXPECT_TRUE(shows("master_status", "0"));
  EXPECT_TRUE(registry.Text().contains("leader_election_slowpath_total{"));
  EXPECT_EQ(a.elector->renewed(), std::nullopt);
}

TEST_F(LeaderElectionTest, ALeaseThatAnotherTookIsLostAtOnce) {
  Candidate& a = AddStarted("a");
  auto stolen = MutableCopy(*server_.lease);
  views::coordination_k8s_io_v1::MutableLease(*stolen).mutable_spec().set_holder_identity("thief");
  server_.Answer({.verb = ClientVerb::kUpdate, .body = stolen});
  world_.Advance(seconds(2));
  EXPECT_EQ(a.lost, 1);
  EXPECT_FALSE(a.leads());
  EXPECT_EQ(server_.holder(), "thief");
}

TEST_F(LeaderElectionTest, ALeaseThatWasDeletedIsMadeAgain) {
  const Candidate& a = AddStarted("a");
  server_.lease = nullptr;
  world_.Advance(seconds(4));
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(server_.holder(), "a");
}

TEST_F(LeaderElectionTest, AnAnswerThatComesTooLateMakesNobodyLead) {
  Candidate& a = Add("a");
  a.link.least_delay = a.link.most_delay = milliseconds(2400);
  a.options.renew_deadline = milliseconds(4800);
  a.options.lease_duration = seconds(6);
  a.options.retry_period = seconds(1);
  a.Start(random_);
  world_.Advance(minutes(2));
  EXPECT_EQ(a.led, 0);
}

TEST_F(LeaderElectionTest, WhoseAnswersGetLostFindsItsOwnLease) {
  Candidate& a = Add("a");
  a.link.lose_answers = 1;
  a.Start(random_);
  world_.AdvanceUntil([&] { return server_.lease != nullptr; });
  world_.Advance(seconds(6));
  EXPECT_FALSE(a.leads());
  a.link.lose_answers = 0;
  world_.Advance(seconds(20));
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(server_.spec().lease_transitions(), 0);
}

TEST_F(LeaderElectionTest, StoppingGivesTheLeaseUp) {
  Candidate& a = AddStarted("a");
  const Candidate& b = AddStarted("b");
  bool done = false;
  a.elector->Stop([&] { done = true; });
  EXPECT_FALSE(a.leads());
  world_.RunUntilIdle();
  EXPECT_TRUE(done);
  EXPECT_EQ(a.lost, 0) << "it was not lost";
  EXPECT_EQ(server_.spec().holder_identity(), "");
  EXPECT_EQ(server_.spec().lease_duration_seconds(), 1);
  world_.Advance(milliseconds(4500));
  EXPECT_TRUE(b.leads());
  EXPECT_EQ(server_.spec().lease_transitions(), 1);
}

TEST_F(LeaderElectionTest, StoppingLeavesTheLeaseWhenToldSo) {
  Candidate& a = Add("a");
  a.options.release_on_stop = false;
  a.Start(random_);
  world_.RunUntilIdle();
  bool done = false;
  a.elector->Stop([&] { done = true; });
  world_.RunUntilIdle();
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.holder(), "a");
}

TEST_F(LeaderElectionTest, StoppingWaitsForTheRenewalThatIsUnderWay) {
  Candidate& a = AddStarted("a");
  a.link.least_delay = a.link.most_delay = milliseconds(500);
  world_.Advance(milliseconds(2250));  // its renewal is on its way
  bool done = false;
  a.elector->Stop([&] { done = true; });
  EXPECT_TRUE(world_.AdvanceUntil([&] { return done; }, seconds(5)));
  EXPECT_EQ(server_.holder(), "");
}

TEST_F(LeaderElectionTest, StoppingEndsWithoutAServer) {
  Candidate& a = AddStarted("a");
  a.link.cut = true;
  bool done = false;
  a.elector->Stop([&] { done = true; });
  EXPECT_TRUE(world_.AdvanceUntil([&] { return done; }, a.options.renew_deadline));
}

TEST_F(LeaderElectionTest, StoppingOneThatStandsByTouchesNothing) {
  AddStarted("a");
  Candidate& b = AddStarted("b");
  bool done = false;
  b.elector->Stop([&] { done = true; });
  world_.Advance(minutes(1));
  EXPECT_TRUE(done);
  EXPECT_EQ(server_.holder(), "a");
  EXPECT_TRUE(candidates_[0]->leads());
}

TEST_F(LeaderElectionTest, OneThatIsGoneTellsNobodyAnything) {
  Candidate& a = AddStarted("a");
  a.link.least_delay = a.link.most_delay = seconds(1);
  world_.Advance(milliseconds(2500));
  a.elector = nullptr;
  world_.Advance(minutes(1));
  EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaderElectionTest, WallClocksThatJumpChangeNothing) {
  Candidate& a = AddStarted("a");
  Candidate& b = AddStarted("b");
  for (const Duration jump : {Duration(hours(5)), Duration(-hours(9)), Duration(hours(20'000))}) {
    a.executor.wall_offset += jump;
    b.executor.wall_offset -= jump;
    world_.Advance(minutes(2));
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
  }
  EXPECT_EQ(b.led, 0);
}

TEST_F(LeaderElectionTest, AWallClockThatStandsStillDoesNotLookLikeADeadLeader) {
  Candidate& a = AddStarted("a");
  const Candidate& b = AddStarted("b");
  const Duration start = Now();
  while (Now() - start < minutes(2)) {
    world_.Advance(milliseconds(100));
    a.executor.wall_offset -= milliseconds(100);
  }
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(b.led, 0);
}

TEST_F(LeaderElectionTest, AProcessThatStoodStillDoesNotLeadWhenItWakes) {
  Candidate& a = AddStarted("a");
  const Candidate& b = AddStarted("b");
  a.executor.Pause();
  ASSERT_TRUE(world_.AdvanceUntil([&] { return b.leads(); }, minutes(1)));
  EXPECT_FALSE(a.leads());
  a.executor.Resume();
  world_.Advance(minutes(1));
  EXPECT_EQ(a.lost, 1);
  EXPECT_TRUE(b.leads());
}

// One world of the property test: processes that come, go, stop and are cut off.
class ElectionWorld {
 public:
  explicit ElectionWorld(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) Replace(i);
  }

  void Run(Duration time) {
    const Duration end = Now() + time;
    while (Now() < end) {
      if (random_.Uniform(20) == 0) Disturb();
      world_.Advance(milliseconds(1 + random_.Uniform(400)));
      Check();
    }
  }

  // Without faults somebody leads before long.
  bool Settles() {
    for (int i = 0; i < 3; ++i) Heal(i);
    for (int round = 0; round < 200; ++round) {
      for (int i = 0; i < 3; ++i) {
        if (members_[i]->lost > 0) Replace(i);
      }
      world_.Advance(milliseconds(500));
      Check();
    }
    return std::ranges::count_if(members_, [](const auto& m) { return m->leads(); }) == 1;
  }

  int leaders_seen() const { return leaders_seen_; }
  bool two_led() const { return two_led_; }

 private:
  Duration Now() { return world_.clock().Monotonic(); }

  void Check() {
    const auto leading = std::ranges::count_if(members_, [](const auto& m) { return m->leads(); });
    two_led_ = two_led_ || leading > 1;
  }

  void Replace(int i) {
    if (members_.size() <= static_cast<size_t>(i)) members_.resize(i + 1);
    if (members_[i] != nullptr) {
      leaders_seen_ += members_[i]->led;
      Heal(i);
      members_[i]->elector = nullptr;
      members_[i]->link.Close();
      gone_.push_back(std::move(members_[i]));
    }
    members_[i] =
        std::make_unique<Candidate>(world_, server_, random_, "p" + std::to_string(++born_));
    Candidate& member = *members_[i];
    member.executor.monotonic_offset = seconds(random_.Uniform(1'000'000));
    member.link.most_delay = milliseconds(random_.Uniform(3000));
    member.Start(random_);
  }

  void Heal(int i) {
    Candidate& member = *members_[i];
    member.link.cut = false;
    member.link.lose_requests = member.link.lose_answers = 0;
    member.link.most_delay = milliseconds(50);
    member.executor.Resume();
  }

  void Disturb() {
    const int i = static_cast<int>(random_.Uniform(3));
    Candidate& member = *members_[i];
    switch (random_.Uniform(9)) {
      case 0:
        return Replace(i);
      case 1:
        member.link.cut = !member.link.cut;
        break;
      case 2:
        member.link.lose_requests = random_.UniformDouble();
        break;
      case 3:
        member.link.lose_answers = random_.UniformDouble();
        break;
      case 4:
        member.link.most_delay = milliseconds(random_.Uniform(12'000));
        break;
      case 5:
        member.executor.Pause();
        break;
      case 6:
        member.executor.wall_offset = seconds(random_.Uniform(100'000));
        break;
      case 7:
        if (member.led > 0) member.elector->Stop([] {});
        break;
      default:
        Heal(i);
    }
  }

  ManualExecutor world_;
  SeededRandom random_;
  LeaseServer server_;
  std::vector<std::unique_ptr<Candidate>> members_;
  std::vector<std::unique_ptr<Candidate>> gone_;  // what they sent may still arrive
  int born_ = 0;
  int leaders_seen_ = 0;
  bool two_led_ = false;
};

TEST(LeaderElectionPropertyTest, TwoNeverLeadAtOnceWhateverFails) {
  int leaders = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    ElectionWorld world(seed);
    world.Run(minutes(10));
    leaders += world.leaders_seen();
    ASSERT_FALSE(world.two_led()) << "seed " << seed;
  }
  // The faults leave enough for elections to take place.
  EXPECT_GT(leaders, 1000);
}

TEST(LeaderElectionPropertyTest, SomebodyLeadsOnceThingsAreQuiet) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    ElectionWorld world(seed);
    world.Run(minutes(3));
    ASSERT_TRUE(world.Settles()) << "seed " << seed;
    ASSERT_FALSE(world.two_led()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace skiff::client

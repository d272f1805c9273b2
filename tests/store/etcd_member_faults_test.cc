// The store on etcd while members die, come back, hang and take turns at leading.
#include <gtest/gtest.h>

#include "tests/store/etcd_fault_fixture.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using EtcdMemberFaultsTest = EtcdFaultTest;

TEST_F(EtcdMemberFaultsTest, MembersKilledAndRestartedUnderLoadLoseNothing) {
  Begin({.members = 3});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < 3 * FaultRounds(); round++) {
    int victim = round % 3;
    ASSERT_TRUE(scene.load().WaitForWrites(30, kPatience)) << "before kill " << round;
    cluster().Kill(victim);
    ASSERT_TRUE(scene.load().WaitForWrites(30, kPatience)) << "two members left, " << round;
    ASSERT_TRUE(cluster().Restart(victim));
    Result<void> healthy = cluster().WaitHealthy(kPatience);
    ASSERT_TRUE(healthy) << healthy.error().message();
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdMemberFaultsTest, TheOnlyMemberKilledUnderLoadComesBackWithAllThatWasAcknowledged) {
  Begin({.members = 1});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < 4 * FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience)) << "round " << round;
    cluster().Kill(0);
    ASSERT_TRUE(cluster().Restart(0));
  }
  ASSERT_TRUE(scene.load().WaitForWrites(20, kPatience));
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdMemberFaultsTest, LeadersChangeUnderLoad) {
  Begin({.members = 3});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < 4 * FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(30, kPatience)) << "round " << round;
    Result<int> leader = cluster().WaitForLeader(kPatience);
    ASSERT_TRUE(leader);
    Result<void> moved = cluster().MoveLeader((*leader + 1) % 3);
    ASSERT_TRUE(moved) << moved.error().message();
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdMemberFaultsTest, AKilledLeaderIsReplacedUnderLoad) {
  Begin({.members = 3});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < 2 * FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(30, kPatience)) << "round " << round;
    Result<int> leader = cluster().WaitForLeader(kPatience);
    ASSERT_TRUE(leader);
    cluster().Kill(*leader);
    ASSERT_TRUE(scene.load().WaitForWrites(30, kPatience)) << "under the new leader, " << round;
    ASSERT_TRUE(cluster().Restart(*leader));
    ASSERT_TRUE(cluster().WaitHealthy(kPatience));
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdMemberFaultsTest, AllMembersDownIsAFailingHealthCheckUntilTheyAreBack) {
  Begin({.members = 3});
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open(cluster().endpoints());
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
    EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store->Health().writable; }));
    cluster().KillAll();
    EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] {
      store::StoreHealth health = store->Health();
      return !health.readable && !health.writable && !health.reason.empty();
    }));
    for (int i = 0; i < 3; i++) ASSERT_TRUE(cluster().Restart(i));
    ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
    EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return store->Health().writable; }));
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdMemberFaultsTest, AMemberThatHangsIsLeftForAnother) {
  Begin({.members = 3});
  if (IsSkipped() || HasFatalFailure()) return;
  Result<int> leader = cluster().WaitForLeader(kPatience);
  ASSERT_TRUE(leader);
  // Followers only: a leader that hangs may serve a stale read when it wakes up, which is a fault
  // of this etcd (its issue 20418) and not of the store.
  int followers[] = {(*leader + 1) % 3, (*leader + 2) % 3};
  auto store = Open({cluster().endpoint(followers[0]), cluster().endpoint(followers[1])});
  FaultScene scene(clock_, {store.get()}, {});
  for (int follower : followers) {
    ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
    cluster().Pause(follower);
    EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience));
    cluster().Resume(follower);
    ASSERT_TRUE(cluster().WaitHealthy(kPatience));
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

}  // namespace
}  // namespace skiff::testing

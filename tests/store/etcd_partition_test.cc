// The store on etcd while the network between the members is split.
#include <gtest/gtest.h>

#include "store/blocking.h"
#include "tests/store/etcd_fault_fixture.h"
#include "tests/store/text.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

class EtcdPartitionTest : public EtcdFaultTest {
 protected:
  // Three members; a_ leads.
  void BeginSplit() {
    Begin({.members = 3, .namespaces = true});
    if (IsSkipped() || HasFatalFailure()) return;
    Result<int> leader = cluster().WaitForLeader(kPatience);
    ASSERT_TRUE(leader);
    a_ = *leader;
    b_ = (a_ + 1) % 3;
    c_ = (a_ + 2) % 3;
  }

  int a_ = 0;
  int b_ = 0;
  int c_ = 0;
};

TEST_F(EtcdPartitionTest, AClientOfAllMembersGoesOnWithTheMajority) {
  BeginSplit();
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open({cluster().endpoint(a_), cluster().endpoint(b_), cluster().endpoint(c_)});
  FaultScene scene(clock_, {store.get()}, {});
  for (int round = 0; round < FaultRounds(); round++) {
    ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
    Result<int> leader = cluster().WaitForLeader(kPatience);
    ASSERT_TRUE(leader);
    ASSERT_TRUE(cluster().Partition({{*leader}, {(*leader + 1) % 3, (*leader + 2) % 3}}));
    EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience)) << "while the leader is cut off";
    ASSERT_TRUE(cluster().Heal());
    EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience)) << "after healing";
  }
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdPartitionTest, AClientOfTheMinorityWritesNothingAndCatchesUpAfterHealing) {
  BeginSplit();
  if (IsSkipped() || HasFatalFailure()) return;
  store::EtcdOptions impatient = OptionsFor({cluster().endpoint(a_)});
  impatient.request_timeout = std::chrono::seconds(1);
  auto minority = Open(std::move(impatient));
  auto majority = Open({cluster().endpoint(b_), cluster().endpoint(c_)});
  FaultScene scene(clock_, {majority.get(), minority.get()}, {});
  ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
  ASSERT_TRUE(cluster().Partition({{a_}, {b_, c_}}));
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] {
    return !cluster().Healthy(a_) && cluster().Healthy(b_) && cluster().Healthy(c_);
  }));
  EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience)) << "with the majority";
  Result<store::CommitReply> refused = store::CommitAndWait(
      *minority, store::Transaction::CreateIfAbsent("/elsewhere", SharedBytes("x")));
  ASSERT_FALSE(refused) << "acknowledged by a member that is alone";
  EXPECT_TRUE(refused.error().reason() == StatusReason::kServiceUnavailable ||
              refused.error().reason() == StatusReason::kServerTimeout)
      << refused.error().message();
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return !minority->Health().writable; }));
  // Revisions that the member which is alone has not heard of: when it catches up, the watches must
  // begin with these, neither with what it learns first nor with what comes next.
  Result<store::Revision> ahead =
      store::Await<store::Revision>([&](auto done) { majority->CurrentRevision(std::move(done)); });
  ASSERT_TRUE(ahead) << ahead.error().message();
  for (int64_t offset : {-20, -1, 0, 1, 20})
    scene.AddWatch(*minority, Text("watch of the minority from ", offset),
                   {.range = scene.load().range(), .from = {ahead->value + offset}});
  ASSERT_TRUE(cluster().Heal());
  EXPECT_TRUE(WaitUntilTrue(clock_, kPatience, [&] { return minority->Health().writable; }));
  EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience)) << "after healing";
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

TEST_F(EtcdPartitionTest, AClientThatIsCutOffFromItsMemberTurnsToAnother) {
  BeginSplit();
  if (IsSkipped() || HasFatalFailure()) return;
  auto store = Open({cluster().endpoint(b_), cluster().endpoint(c_)});
  FaultScene scene(clock_, {store.get()}, {});
  ASSERT_TRUE(scene.load().WaitForWrites(50, kPatience));
  ASSERT_TRUE(cluster().SetClientLink(b_, false));
  EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience));
  ASSERT_TRUE(cluster().SetClientLink(b_, true));
  ASSERT_TRUE(cluster().SetClientLink(c_, false));
  EXPECT_TRUE(scene.load().WaitForWrites(50, kPatience));
  ASSERT_TRUE(cluster().SetClientLink(c_, true));
  SceneFindings findings = scene.Finish();
  EXPECT_TRUE(findings.clean()) << findings.Describe();
}

}  // namespace
}  // namespace skiff::testing

#include "cli/controller_manager/controller_health.h"

#include <gtest/gtest.h>

namespace skiff::cli {
namespace {

using std::chrono::seconds;

class ControllerHealthTest : public testing::Test {
 protected:
  ManualClock clock_;
  ControllerHealth health_{clock_, "kube-controller-manager", seconds(15)};
};

TEST_F(ControllerHealthTest, EachLoopHasACheckThatTellsWhatWasReportedLast) {
  health_.Report({.faults = {{"a-controller", ""}, {"b-controller", "a step is stuck"}}});
  const auto checks = health_.Checks(true);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].name, "leaderElection");
  EXPECT_EQ(checks[0].check(), "");
  EXPECT_EQ(checks[1].name, "a-controller");
  EXPECT_EQ(checks[1].check(), "");
  EXPECT_EQ(checks[2].check(), "a step is stuck");
  health_.Report({.faults = {{"a-controller", "the loop was stopped"}}});
  EXPECT_EQ(checks[1].check(), "the loop was stopped");
  EXPECT_EQ(checks[2].check(), "the loop does not run");
}

TEST_F(ControllerHealthTest, AThreadThatHangsIsNotWell) {
  health_.Report({.faults = {{"a-controller", ""}}});
  clock_.Advance(ControllerHealth::kMaxSilence);
  EXPECT_EQ(health_.ControllerFault("a-controller"), "");
  clock_.Advance(seconds(1));
  EXPECT_EQ(health_.ControllerFault("a-controller"),
            "the control loops have not been heard of for 31 s");
  EXPECT_NE(health_.LeaseFault(), "");
  health_.Report({.faults = {{"a-controller", ""}}});
  EXPECT_EQ(health_.ControllerFault("a-controller"), "");
}

TEST_F(ControllerHealthTest, WhoLeadsBeyondItsLeaseIsNotWell) {
  health_.Report({.lease_renewed = clock_.Monotonic()});
  clock_.Advance(seconds(34));
  health_.Report({.lease_renewed = clock_.Monotonic() - seconds(34)});
  EXPECT_EQ(health_.LeaseFault(), "");
  clock_.Advance(seconds(2));
  EXPECT_EQ(health_.LeaseFault(),
            "failed election to renew leadership on lease kube-controller-manager");
  health_.Report({.lease_lost = true});
  EXPECT_EQ(health_.LeaseFault(), "the lease kube-controller-manager was lost");
  health_.Report({});
  EXPECT_EQ(health_.LeaseFault(), "") << "who stands by is well";
}

}  // namespace
}  // namespace skiff::cli

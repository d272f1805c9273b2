#include "controllers/ttl_after_finished.h"

#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& Jobs() { return client::BuiltIn("batch", "v1", "jobs"); }

class TtlAfterFinishedTest : public ControllerTest {
 protected:
  // Ended now, if at all.
  void PutJob(const std::string& name, const std::string& spec, const std::string& condition) {
    std::string conditions;
    if (!condition.empty()) {
      conditions = "{\"type\":\"" + condition + "\",\"status\":\"True\",\"lastTransitionTime\":\"" +
                   TimeFromNow({}) + "\"}";
    }
    Put(Jobs(), "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"a\"},\"spec\":{" + spec +
                    "},\"status\":{\"conditions\":[" + conditions + "]}}");
  }
  bool IsThere(const std::string& name) {
    const client::ObjectPtr job = Find(Jobs(), "a", name);
    return job && !client::IsDeleting(*job);
  }
};

TEST_F(TtlAfterFinishedTest, AJobGoesWhenItsTimeIsOver) {
  PutJob("complete", "\"ttlSecondsAfterFinished\":100", "Complete");
  PutJob("failed", "\"ttlSecondsAfterFinished\":0", "Failed");
  PutJob("running", "\"ttlSecondsAfterFinished\":0", "");
  PutJob("kept", "", "Complete");
  Run(MakeTtlAfterFinishedController);
  EXPECT_FALSE(IsThere("failed"));
  EXPECT_TRUE(IsThere("complete"));
  Pass(std::chrono::seconds(98));
  EXPECT_TRUE(IsThere("complete"));
  Pass(std::chrono::seconds(2));
  EXPECT_FALSE(IsThere("complete"));
  ExpectQuiet();
  EXPECT_TRUE(IsThere("running"));
  EXPECT_TRUE(IsThere("kept"));
  EXPECT_TRUE(registry_.Text().contains(
      "ttl_after_finished_controller_job_deletion_duration_seconds_count 2"))
      << registry_.Text();
}

TEST_F(TtlAfterFinishedTest, WhatItOwnsGoesWithIt) {
  PutJob("j", "\"ttlSecondsAfterFinished\":0", "Complete");
  Run(MakeTtlAfterFinishedController);
  ASSERT_FALSE(api_.calls().empty());
  const client::ClientCall& last = api_.calls().back();
  EXPECT_EQ(last.verb, client::ClientVerb::kDelete);
  EXPECT_EQ(last.deletion.propagation, "Foreground");
  EXPECT_FALSE(last.deletion.uid.empty());
}

TEST_F(TtlAfterFinishedTest, ATimeThatIsMadeLongerCounts) {
  PutJob("j", "\"ttlSecondsAfterFinished\":10", "Complete");
  Run(MakeTtlAfterFinishedController);
  api_.HoldWatches(true);
  PutJob("j", "\"ttlSecondsAfterFinished\":100", "Complete");
  Pass(std::chrono::seconds(60));
  EXPECT_TRUE(IsThere("j"));
  api_.HoldWatches(false);
  Pass(std::chrono::seconds(60));
  EXPECT_FALSE(IsThere("j"));
}

TEST_F(TtlAfterFinishedTest, AJobThatEndsInAFarFutureWaits) {
  Put(Jobs(), R"({"metadata":{"name":"j","namespace":"a"},
      "spec":{"ttlSecondsAfterFinished":2147483647},"status":{"conditions":[{"type":"Complete",
      "status":"True","lastTransitionTime":"9999-12-31T23:59:59Z"}]}})");
  Run(MakeTtlAfterFinishedController);
  ExpectQuiet();
  EXPECT_TRUE(IsThere("j"));
}

TEST_F(TtlAfterFinishedTest, FailuresAreTriedAgain) {
  PutJob("j", "\"ttlSecondsAfterFinished\":0", "Complete");
  api_.Fail({.verb = client::ClientVerb::kGet, .times = 2});
  api_.Fail({.verb = client::ClientVerb::kDelete, .times = 2});
  Run(MakeTtlAfterFinishedController);
  EXPECT_FALSE(IsThere("j"));
}

}  // namespace
}  // namespace skiff::controllers

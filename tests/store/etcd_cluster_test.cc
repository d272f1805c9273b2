// The harness itself: the clusters that the other tests break must work, break and end as told.
#include "tests/store/etcd_cluster.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/thread.h"
#include "tests/store/wait.h"

namespace skiff::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class EtcdClusterTest : public ::testing::Test {
 protected:
  // Nothing is started, and the test is marked as skipped, when the machine lacks something.
  std::unique_ptr<EtcdCluster> Start(const EtcdClusterOptions& options) {
    missing_ = EtcdCluster::Missing(options);
    if (missing_) return nullptr;
    Result<std::unique_ptr<EtcdCluster>> cluster = EtcdCluster::Start(clock_, options);
    if (!cluster) {
      ADD_FAILURE() << cluster.error().message();
      missing_ = "it does not start";
      return nullptr;
    }
    return std::move(*cluster);
  }

  SystemClock clock_;
  std::optional<std::string> missing_;
};

bool Alive(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST_F(EtcdClusterTest, OneMemberServesAndKeepsItsDataThroughAKill) {
  auto cluster = Start({.members = 1});
  if (missing_) GTEST_SKIP() << *missing_;
  ASSERT_TRUE(cluster->Control(0, {"put", "a", "1"}));
  cluster->Kill(0);
  EXPECT_FALSE(cluster->Running(0));
  EXPECT_FALSE(cluster->Healthy(0));
  ASSERT_TRUE(cluster->Restart(0));
  ASSERT_TRUE(cluster->WaitHealthy(seconds(60)));
  Result<std::string> read = cluster->Control(0, {"get", "a", "--print-value-only"});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, "1\n");
}

TEST_F(EtcdClusterTest, ThreeMembersElectAnotherLeaderWhenTheirsIsKilledOrTold) {
  auto cluster = Start({.members = 3});
  if (missing_) GTEST_SKIP() << *missing_;
  Result<int> first = cluster->WaitForLeader(seconds(60));
  ASSERT_TRUE(first);
  cluster->Kill(*first);
  Result<int> second = cluster->WaitForLeader(seconds(60));
  ASSERT_TRUE(second);
  EXPECT_NE(*first, *second);
  ASSERT_TRUE(cluster->WaitHealthy(seconds(60)));
  ASSERT_TRUE(cluster->Restart(*first));
  Result<void> healthy = cluster->WaitHealthy(seconds(60));
  ASSERT_TRUE(healthy) << healthy.error().message();
  Result<void> moved = cluster->MoveLeader(*first);
  ASSERT_TRUE(moved) << moved.error().message();
  Result<int> third = cluster->WaitForLeader(seconds(60));
  ASSERT_TRUE(third);
  EXPECT_EQ(*third, *first);
}

TEST_F(EtcdClusterTest, APausedMemberDoesNotAnswerUntilItIsResumed) {
  auto cluster = Start({.members = 1});
  if (missing_) GTEST_SKIP() << *missing_;
  cluster->Pause(0);
  EXPECT_FALSE(cluster->Healthy(0));
  EXPECT_TRUE(cluster->Running(0));
  cluster->Resume(0);
  EXPECT_TRUE(cluster->WaitHealthy(seconds(60)));
}

TEST_F(EtcdClusterTest, WithTlsOnlyCertifiedClientsAreServed) {
  auto cluster = Start({.members = 1, .tls = true});
  if (missing_) GTEST_SKIP() << *missing_;
  EXPECT_TRUE(cluster->endpoint(0).starts_with("https://"));
  Result<std::string> put = cluster->Control(0, {"put", "a", "1"});
  EXPECT_TRUE(put) << put.error().message();
  Result<std::string> stranger = RunCommand(
      clock_,
      {.command = {"etcdctl", "--endpoints=" + cluster->endpoint(0), "--insecure-skip-tls-verify",
                   "--insecure-transport=false", "--command-timeout=2s", "get", "a"}},
      seconds(60));
  EXPECT_FALSE(stranger);
}

TEST_F(EtcdClusterTest, APartitionCutsOffTheMinorityUntilItHeals) {
  auto cluster = Start({.members = 3, .namespaces = true});
  if (missing_) GTEST_SKIP() << *missing_;
  ASSERT_TRUE(cluster->Control(0, {"put", "a", "1"}));
  Result<int> leader = cluster->WaitForLeader(seconds(60));
  ASSERT_TRUE(leader);
  int b = (*leader + 1) % 3;
  int c = (*leader + 2) % 3;
  ASSERT_TRUE(cluster->Partition({{*leader}, {b, c}}));
  EXPECT_TRUE(WaitUntilTrue(clock_, seconds(60), [&] {
    return !cluster->Healthy(*leader) && cluster->Healthy(b) && cluster->Healthy(c);
  }));
  ASSERT_TRUE(cluster->Heal());
  Result<void> healthy = cluster->WaitHealthy(seconds(60));
  EXPECT_TRUE(healthy) << healthy.error().message();

  ASSERT_TRUE(cluster->SetClientLink(0, false));
  EXPECT_FALSE(cluster->Healthy(0));
  EXPECT_TRUE(WaitUntilTrue(clock_, seconds(60), [&] { return cluster->Healthy(1); }));
  ASSERT_TRUE(cluster->SetClientLink(0, true));
  EXPECT_TRUE(cluster->WaitHealthy(seconds(60)));
}

TEST_F(EtcdClusterTest, ClustersSideBySideDoNotMeet) {
  auto first = Start({.members = 1});
  if (missing_) GTEST_SKIP() << *missing_;
  auto second = Start({.members = 1});
  ASSERT_NE(second, nullptr);
  ASSERT_TRUE(first->Control(0, {"put", "a", "first"}));
  Result<std::string> read = second->Control(0, {"get", "a", "--print-value-only"});
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, "");
}

TEST_F(EtcdClusterTest, AMemberThatCannotStartIsReportedWithItsLog) {
  EtcdClusterOptions options{.members = 1, .extra_arguments = {"--no-such-flag"}};
  if (auto why = EtcdCluster::Missing(options)) GTEST_SKIP() << *why;
  Result<std::unique_ptr<EtcdCluster>> cluster = EtcdCluster::Start(clock_, options);
  ASSERT_FALSE(cluster);
  EXPECT_NE(cluster.error().message().find("no-such-flag"), std::string::npos)
      << cluster.error().message();
}

TEST(ChildProcessTest, LivesAsLongAsItsOwnerNotAsTheThreadThatStartedIt) {
  SystemClock clock;
  Result<std::unique_ptr<ChildProcess>> child = Fail(StatusReason::kUnknown, "not started");
  Thread("starter", [&] { child = ChildProcess::Start({.command = {"sleep", "1000"}}); }).Join();
  ASSERT_TRUE(child) << child.error().message();
  EXPECT_FALSE((*child)->WaitFor(clock, milliseconds(100)).has_value());
  pid_t pid = (*child)->pid();
  EXPECT_TRUE(Alive(pid));
  child->reset();
  EXPECT_FALSE(Alive(pid));
}

TEST(ChildProcessTest, DiesWithATestThatIsKilled) {
  SystemClock clock;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  pid_t test = ::fork();
  if (test == 0) {
    auto child = ChildProcess::Start({.command = {"sleep", "1000"}});
    pid_t pid = child ? (*child)->pid() : -1;
    [[maybe_unused]] ssize_t written = ::write(pipe[1], &pid, sizeof(pid));
    ::raise(SIGKILL);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(pipe[0], &child, sizeof(child)), ssize_t{sizeof(child)});
  ::close(pipe[0]);
  ::close(pipe[1]);
  ::waitpid(test, nullptr, 0);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(WaitUntilTrue(clock, seconds(60), [&] {
    // Whoever inherits orphans here may be slow to reap it: a zombie is dead enough.
    std::error_code error;
    std::filesystem::path exe =
        std::filesystem::read_symlink("/proc/" + std::to_string(child) + "/exe", error);
    return error || exe.filename() != "sleep";
  }));
}

TEST(ChildProcessTest, AProgramThatDoesNotExistIsAnError) {
  auto child = ChildProcess::Start({.command = {"no-such-program-here"}});
  ASSERT_FALSE(child);
  EXPECT_NE(child.error().message().find("no-such-program-here"), std::string::npos);
}

}  // namespace
}  // namespace skiff::testing

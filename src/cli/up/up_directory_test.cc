#include "cli/up/up_directory.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/up/kubeconfig.h"

namespace skiff::cli {
namespace {

class UpDirectoryTest : public testing::Test {
 protected:
  UpDirectoryTest() {
    std::string name = testing::TempDir() + "up.XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~UpDirectoryTest() override {
    unsetenv("SKIFF_DATA_DIR");
    std::filesystem::remove_all(directory_);
  }

  std::string directory_;
};

TEST_F(UpDirectoryTest, CommandsNameTheDirectoryUnlessTheyWouldTakeIt) {
  const UpDirectory place(directory_);
  EXPECT_EQ(place.CommandFor("down"), "skiff down --data-dir " + directory_);
  setenv("SKIFF_DATA_DIR", directory_.c_str(), 1);
  EXPECT_EQ(place.CommandFor("down"), "skiff down");
}

TEST_F(UpDirectoryTest, IsFoundByFlagThenByEnvironment) {
  EXPECT_EQ(UpDirectory::Find("/a/./b/../c/")->root(), "/a/c");
  setenv("SKIFF_DATA_DIR", "/from/environment", 1);
  EXPECT_EQ(UpDirectory::Find("")->root(), "/from/environment");
  EXPECT_EQ(UpDirectory::Find("/given")->root(), "/given");
  EXPECT_EQ(UpDirectory::Find("relative")->root(),
            std::filesystem::current_path().string() + "/relative");
}

TEST_F(UpDirectoryTest, BelongsToWhoeverHoldsTheLock) {
  const UpDirectory place(directory_ + "/some/where");
  EXPECT_FALSE(place.exists());
  EXPECT_EQ(place.Owner().value(), std::nullopt);
  {
    const Result<UpLock> lock = UpLock::Take(place);
    ASSERT_TRUE(lock) << lock.error().message();
    EXPECT_EQ(place.Owner().value(), getpid());
    const Result<UpLock> second = UpLock::Take(place);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().reason(), StatusReason::kConflict);
    EXPECT_NE(second.error().message().find("(pid " + std::to_string(getpid()) + ")"),
              std::string::npos);
    EXPECT_EQ(place.Owner().value(), getpid());  // who was refused changed nothing
  }
  EXPECT_EQ(place.Owner().value(), std::nullopt);
  EXPECT_TRUE(UpLock::Take(place));
}

TEST_F(UpDirectoryTest, TakesANumberWithoutALockForNothing) {
  const UpDirectory place(directory_);
  std::ofstream(place.pid_file()) << "1\n";
  EXPECT_EQ(place.Owner().value(), std::nullopt);
}

TEST_F(UpDirectoryTest, RemembersWhereItListens) {
  const UpDirectory place(directory_);
  EXPECT_FALSE(place.ReadRunning());
  ASSERT_TRUE(place.WriteRunning({.pid = 4711,
                                  .server = "https://[::1]:6443",
                                  .version = "v1.36.4",
                                  .started_at = "2026-01-02T03:04:05Z"}));
  const Result<RunningState> state = place.ReadRunning();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->pid, 4711);
  EXPECT_EQ(state->server, "https://[::1]:6443");
  EXPECT_EQ(state->started_at, "2026-01-02T03:04:05Z");
  std::ofstream(place.running_file()) << "[]";
  EXPECT_FALSE(place.ReadRunning());
}

TEST(KubeconfigTest, HoldsTheServerAndTheCredentials) {
  const std::string text = MakeKubeconfig({.server = "https://127.0.0.1:6443",
                                           .ca_pem = "ca",
                                           .client_cert_pem = "cert",
                                           .client_key_pem = "key"});
  EXPECT_NE(text.find("    server: https://127.0.0.1:6443\n"), std::string::npos);
  EXPECT_NE(text.find("certificate-authority-data: Y2E=\n"), std::string::npos);
  EXPECT_NE(text.find("client-certificate-data: Y2VydA==\n"), std::string::npos);
  EXPECT_NE(text.find("client-key-data: a2V5\n"), std::string::npos);
}

}  // namespace
}  // namespace skiff::cli

#include "base/log.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

class LogTest : public testing::Test {
 protected:
  // Without the thread's number, which differs from run to run, and what stands before the source.
  std::string LastText() {
    const std::string text = sink_.Text();
    return text.substr(text.find("] ") + 2);
  }

  ManualClock clock_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
};

TEST_F(LogTest, WritesLinesInTheFormOfKlog) {
  clock_.JumpWall(std::chrono::microseconds(42));
  log_.Warning("disk is nearly full", {{"free", "3 MiB"}});
  const std::string line = sink_.Text();
  EXPECT_TRUE(line.starts_with("W1114 22:13:20.000042 ")) << line;
  EXPECT_NE(line.find(" log_test.cc:"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("] \"disk is nearly full\" free=\"3 MiB\"\n")) << line;
}

TEST_F(LogTest, MakesOneLineOfWhateverIsInAMessage) {
  log_.Info("a\nb\x1b[31m\"\xff\xc2\x9bgrün \\");
  EXPECT_EQ(LastText(), "\"a\\nb\\x1b[31m\\\"\\xff\\xc2\\x9bgrün \\\\\"\n");
}

TEST_F(LogTest, LeavesOutWhatIsTooLong) {
  log_.Info(std::string(10 * limits::kMaxLogLineBytes, 'x'), {{"key", "never seen"}});
  EXPECT_LT(sink_.Text().size(), limits::kMaxLogLineBytes + 16);
  EXPECT_TRUE(sink_.Text().ends_with("x…\"\n"));
}

TEST_F(LogTest, WritesVerboseMessagesOnlyToThoseWhoAsk) {
  log_.Verbose(2, "details");
  EXPECT_EQ(sink_.Text(), "");
  log_.SetLevel(2);
  log_.Verbose(2, "details");
  EXPECT_EQ(LastText(), "\"details\"\n");
}

}  // namespace
}  // namespace skiff

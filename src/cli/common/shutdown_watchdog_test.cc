#include "cli/common/shutdown_watchdog.h"

#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "cli/common/command.h"
#include "net/loop_watchdog.h"
#include "net/server.h"
#include "net/testing.h"

namespace skiff::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// In processes of their own, which begin anew so that no thread is left out.
class ShutdownWatchdogDeathTest : public testing::Test {
 protected:
  ShutdownWatchdogDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// A server one of whose loops never turns again.
void StopWithAStuckLoop() {
  SystemClock clock;
  FileLogSink sink(STDERR_FILENO);
  Log log(clock, sink);
  net::LoopWatchdog watchdog(clock, log, nullptr);
  ShutdownWatchdog shutdown_watchdog(clock, log);
  net::Latch stuck;
  net::Latch never;
  net::FunctionHandler handler([&](net::HttpRequest, net::Responder) {
    stuck.Open();
    while (true) never.Wait();
  });
  net::HttpServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  options.handler = &handler;
  options.clock = &clock;
  options.watchdog = &watchdog;
  auto server = net::HttpServer::Start(std::move(options));
  if (!server) _exit(kExitSuccess);
  net::RawClient client((*server)->addresses().front());
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  stuck.Wait();
  shutdown_watchdog.Arm(milliseconds(1500), [&] { return watchdog.Fault(); });
  (*server)->Drain(milliseconds(100));
  _exit(kExitSuccess);
}

TEST_F(ShutdownWatchdogDeathTest, AProcessWithAStuckLoopEndsAllTheSameAndSaysWhichItIs) {
  EXPECT_EXIT(StopWithAStuckLoop(), testing::ExitedWithCode(kExitFailure),
              "not stopped in time.*http-[0-9]+ has not turned for");
}

TEST_F(ShutdownWatchdogDeathTest, WhatGoesOnIsToldByItsStage) {
  EXPECT_EXIT(
      {
        SystemClock clock;
        FileLogSink sink(STDERR_FILENO);
        Log log(clock, sink);
        ShutdownWatchdog shutdown_watchdog(clock, log);
        shutdown_watchdog.Arm(milliseconds(50), []() -> std::string { _exit(kExitSuccess); });
        shutdown_watchdog.SetStage("the store is being closed");
        net::Latch never;
        never.Wait();
      },
      testing::ExitedWithCode(kExitFailure), "left=\"the store is being closed\"");
}

TEST(ShutdownWatchdogTest, DoesNothingToWhoEndsInTime) {
  SystemClock clock;
  MemoryLogSink sink;
  Log log(clock, sink);
  {
    ShutdownWatchdog shutdown_watchdog(clock, log);
    shutdown_watchdog.Arm(seconds(3600), [] { return std::string(); });
  }
  { const ShutdownWatchdog never_armed(clock, log); }
  EXPECT_EQ(sink.Text(), "");
}

}  // namespace
}  // namespace skiff::cli

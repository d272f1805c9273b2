#include "apiserver/background_tasks.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace skiff::apiserver {
namespace {

TEST(BackgroundTasksTest, WhatIsPostedAfterTheEndIsTheOwnersToRunOrToDrop) {
  int ran = 0;
  {
    SystemClock clock;
    BackgroundTasks tasks(clock);
    tasks.Start();
    tasks.Stop();
    tasks.Post([&] {
      ++ran;
      tasks.Post([&] { ++ran; });
    });
    EXPECT_EQ(ran, 0);
    tasks.RunLeft();
    EXPECT_EQ(ran, 1);
    tasks.RunLeft();
    EXPECT_EQ(ran, 2);
    tasks.Post([&] { ran += 10; });
    tasks.DropLeft();
    tasks.RunLeft();
    tasks.Post([&] { ran += 10; });
  }
  // What it refers to has mostly gone by then.
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace skiff::apiserver

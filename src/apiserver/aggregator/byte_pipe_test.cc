#include "apiserver/aggregator/byte_pipe.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

using State = BytePipe::State;

TEST(BytePipeTest, GivesWhatWasPutInItsOrder) {
  BytePipe pipe(10);
  pipe.Put("abc");
  pipe.Put("def");
  EXPECT_EQ(pipe.Take(2).bytes, "ab");
  pipe.Put("ghi");
  EXPECT_EQ(pipe.Take(100).bytes, "cdefghi");
  EXPECT_EQ(pipe.Take(100).bytes, "");
  EXPECT_EQ(pipe.held_bytes(), 0U);
}

TEST(BytePipeTest, TellsTheTakerOnceWhenThereIsSomethingAgain) {
  BytePipe pipe(10);
  int told = 0;
  pipe.OnReady([&] { ++told; });
  EXPECT_EQ(told, 0);
  pipe.Put("a");
  pipe.Put("b");
  EXPECT_EQ(told, 1);
  pipe.Take(100);
  pipe.Put("c");
  EXPECT_EQ(told, 2);
  pipe.End(State::kEnded);
  EXPECT_EQ(told, 3);
}

TEST(BytePipeTest, WhatWasThereBeforeSomebodyListenedIsTold) {
  BytePipe pipe(10);
  pipe.Put("a");
  int told = 0;
  pipe.OnReady([&] { ++told; });
  EXPECT_EQ(told, 1);
}

TEST(BytePipeTest, IsFullAtItsBoundAndSaysWhenHalfOfItIsFree) {
  BytePipe pipe(10);
  int room = 0;
  pipe.OnRoom([&] { ++room; });
  pipe.Put("12345678");
  EXPECT_TRUE(pipe.has_room());
  pipe.Put("90ab");
  EXPECT_FALSE(pipe.has_room()) << "what was on its way is taken all the same";
  pipe.Take(5);
  EXPECT_TRUE(pipe.has_room());
  EXPECT_EQ(room, 0) << "for a little room nobody is woken";
  pipe.Take(2);
  EXPECT_EQ(room, 1);
  pipe.Take(5);
  EXPECT_EQ(room, 1);
}

TEST(BytePipeTest, EndsBehindWhatWasPut) {
  for (const State how : {State::kEnded, State::kBroken}) {
    BytePipe pipe(10);
    pipe.Put("abc");
    pipe.End(how);
    pipe.Put("late");
    const BytePipe::Taken first = pipe.Take(2);
    EXPECT_EQ(first.bytes, "ab");
    EXPECT_EQ(first.state, State::kOpen);
    const BytePipe::Taken last = pipe.Take(2);
    EXPECT_EQ(last.bytes, "c");
    EXPECT_EQ(last.state, how);
    EXPECT_EQ(pipe.Take(2).state, how);
  }
}

TEST(BytePipeTest, ATakerThatGoesIsToldToWhoPutsAndKeepsNothing) {
  BytePipe pipe(10);
  int room = 0;
  pipe.OnRoom([&] { ++room; });
  pipe.Put("abc");
  pipe.Close();
  EXPECT_EQ(room, 1);
  EXPECT_TRUE(pipe.closed());
  pipe.Put("abc");
  EXPECT_EQ(pipe.held_bytes(), 0U);
  EXPECT_FALSE(pipe.has_room());
  int late = 0;
  pipe.OnRoom([&] { ++late; });
  EXPECT_EQ(late, 1);
}

}  // namespace
}  // namespace skiff::apiserver

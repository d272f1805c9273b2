#include "client/https/watch_frames.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace skiff::client {
namespace {

std::string Prefixed(std::string_view frame) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(frame.size() >> static_cast<unsigned>(shift) & 0xff);
  return out.append(frame);
}

// The frames of a stream that comes in pieces of that size.
std::vector<std::string> Cut(WatchFrames& frames, std::string_view stream, size_t piece) {
  std::vector<std::string> out;
  for (size_t at = 0; at < stream.size(); at += piece) {
    frames.Add(stream.substr(at, piece));
    while (true) {
      const auto next = frames.Next();
      if (!next) {
        out.push_back("error: " + next.error().message());
        return out;
      }
      if (!*next) break;
      out.emplace_back(**next);
    }
  }
  return out;
}

TEST(WatchFramesTest, FramesComeOutHoweverTheyComeIn) {
  const std::vector<std::string> texts = {"", "a", std::string(300, 'x'), std::string("\0b", 2)};
  std::string stream;
  for (const std::string& text : texts) stream += Prefixed(text);
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    WatchFrames frames(WatchFrames::Kind::kLengthPrefixed);
    EXPECT_EQ(Cut(frames, stream, piece), texts);
    EXPECT_TRUE(frames.at_boundary());
  }
}

TEST(WatchFramesTest, JsonObjectsEndWhereTheirBracesEnd) {
  const std::vector<std::string> objects = {R"({})", R"({"a":"}\"{\\"})", R"({"b":[{"c":"]"}]})",
                                            "{\n  \"d\": {}\n}"};
  std::string stream;
  for (const std::string& object : objects) stream += object + (object.size() % 2 != 0 ? "\n" : "");
  stream += " \r\n";
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    WatchFrames frames(WatchFrames::Kind::kJsonObjects);
    EXPECT_EQ(Cut(frames, stream, piece), objects) << piece;
    EXPECT_TRUE(frames.at_boundary());
  }
}

TEST(WatchFramesTest, WhatIsCutOffIsNotComplete) {
  WatchFrames by_length(WatchFrames::Kind::kLengthPrefixed);
  EXPECT_TRUE(Cut(by_length, Prefixed("abc").substr(0, 6), 6).empty());
  EXPECT_FALSE(by_length.at_boundary());
  WatchFrames json(WatchFrames::Kind::kJsonObjects);
  EXPECT_TRUE(Cut(json, R"({"a":)", 9).empty());
  EXPECT_FALSE(json.at_boundary());
}

TEST(WatchFramesTest, FramesBeyondTheBoundAreRefusedBeforeTheyCome) {
  WatchFrames by_length(WatchFrames::Kind::kLengthPrefixed, 10);
  EXPECT_EQ(Cut(by_length, Prefixed(std::string(11, 'x')).substr(0, 4), 4).front(),
            "error: an event of the watch is longer than 10 bytes");
  WatchFrames json(WatchFrames::Kind::kJsonObjects, 10);
  EXPECT_EQ(Cut(json, R"({"aaaaaaaaaaaaaaaa)", 1).front(),
            "error: an event of the watch is longer than 10 bytes");
}

TEST(WatchFramesTest, GarbageIsAnErrorOrNothing) {
  WatchFrames json(WatchFrames::Kind::kJsonObjects);
  EXPECT_EQ(Cut(json, "<html>", 6).front(), "error: the watch is not a sequence of JSON objects");
  SeededRandom random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string noise;
    const size_t size = random.Uniform(60);
    for (size_t i = 0; i < size; ++i) noise += "{}[]\"\\ab\n\0"[random.Uniform(11)];
    for (const auto kind : {WatchFrames::Kind::kJsonObjects, WatchFrames::Kind::kLengthPrefixed}) {
      WatchFrames frames(kind, 32);
      Cut(frames, noise, 1 + random.Uniform(7));
    }
  }
}

}  // namespace
}  // namespace skiff::client

#include "object/object_errors.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::object {
namespace {

TEST(ObjectErrorsTest, CausesAreListedAndEachIsToldOnce) {
  EXPECT_EQ(InvalidObject("", "Pod", "p", {{"r", "m", "f"}}).message(),
            "Pod \"p\" is invalid: f: m");
  const Status status =
      InvalidObject("g", "Kind", "n", {{"r", "m", "f"}, {"r", "m", "f"}, {"r", "m", "e"}});
  EXPECT_EQ(status.message(), "Kind.g \"n\" is invalid: [f: m, e: m]");
  EXPECT_EQ(status.causes().size(), 3u);
}

TEST(ObjectErrorsTest, WhatIsNotListedIsCounted) {
  std::vector<StatusCause> causes;
  for (int i = 0; i < 2000; ++i) causes.push_back({"r", "m", "f" + std::to_string(i)});
  const Status status = InvalidObject("", "Pod", "p", causes, 1000);
  EXPECT_EQ(status.causes().size(), limits::kMaxStatusCauses);
  EXPECT_TRUE(status.message().ends_with(", f99: m, ... and 2900 more]")) << status.message();
}

TEST(ObjectErrorsTest, LongCausesLeaveRoomForFewerOfThem) {
  std::vector<StatusCause> causes;
  for (int i = 0; i < 100; ++i) {
    causes.push_back({"r", std::string(10'000, 'm'), "f" + std::to_string(i)});
  }
  const Status status = InvalidObject("", "Pod", std::string(100'000, 'n'), causes);
  size_t bytes = 0;
  for (const StatusCause& cause : status.causes()) bytes += cause.message.size();
  EXPECT_LE(bytes, limits::kMaxStatusCauseBytes);
  EXPECT_LE(status.message().size(), limits::kMaxStatusMessageBytes);
  EXPECT_TRUE(status.message().ends_with(", ... and 87 more]")) << status.message().substr(60'000);
}

}  // namespace
}  // namespace skiff::object

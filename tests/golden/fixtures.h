// Finds the recorded fixtures beside the checkout. Where they are absent, as on a user's machine,
// the fixture suites hold one test that says so and is skipped.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skiff {

// The folder, or "" when it is not there.
std::string FixtureRoot();

// GROUP.VERSION.KIND of every object in the wire folder; {"absent"} without fixtures.
std::vector<std::string> WireFixtureNames();

// The content of a file in the wire folder.
std::string ReadFixture(const std::string& name);

// A test that runs once for each recorded object.
class WireFixtureTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (FixtureRoot().empty()) GTEST_SKIP() << "../shared/fixtures is not there";
  }
};

// Parameter names for GoogleTest, which allows letters and digits only.
std::string FixtureTestName(const testing::TestParamInfo<std::string>& info);

}  // namespace skiff
